// How a thread is executed: frames, faults, atomic regions, loops. What the opcodes do is in
// execute_values.cpp, execute_synchronization.cpp, execute_histories.cpp and execute_choices.cpp.
#include "ir/exec/execution.h"

#include <algorithm>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "ir/exec/free_calls.h"
#include "support/mutation.h"

namespace cml::ir {

bool next_script(Script& script) {
  while (!script.empty()) {
    if (script.back().option + 1 < script.back().options) {
      ++script.back().option;
      return true;
    }
    script.pop_back();
  }
  return false;
}

bool LoopDetector::repeats(Pc pc, const std::vector<std::int32_t>& frame, const std::uint8_t* state,
                           std::size_t size) {
  ++steps_;
  if (has_copy_ && pc == pc_ && frame == frame_ && std::equal(state_.begin(), state_.end(), state))
    return true;
  if (steps_ == next_copy_) {
    pc_ = pc;
    frame_ = frame;
    state_.assign(state, state + size);
    has_copy_ = true;
    next_copy_ *= 2;
  }
  return false;
}

Execution::Execution(const System& system, const Layout& layout, const StepConfig& config)
    : system_(system),
      layout_(layout),
      config_(config),
      initialises_(system.threads.size()),
      meeting_places_(system),
      heap_(system, layout) {
  for (const ObjectId id : system.objects.ids())
    if (const auto& thread = system.objects[id].init_by) initialises_[*thread].push_back(id);
  for (const Thread& thread : system.threads) {
    evaluates_guard_.push(evaluates_guard(thread.code));
    waits_.push(location_waits(thread.code));
  }
  for (const Class& decl : system.classes)
    any_claimed_ = any_claimed_ || decl.is_claimed;
  find_handles();
}

Execution::~Execution() = default;

void Execution::find_handles() {
  const auto add = [this](const WordType& type, const Field& field) {
    if (type.kind == WordType::Kind::Thread) handles_.push_back(field);
  };
  for (const ThreadId id : system_.threads.ids()) {
    const std::vector<SlotInfo>& slots = system_.threads[id].code.slots;
    for (std::size_t i = 0; i < slots.size(); ++i)
      add(slots[i].type, layout_.thread(id).slots[i]);
  }
  for (const Class& decl : system_.classes)  // of what it alone may use
    for (std::uint32_t place = 1; decl.is_claimed && place < decl.places; ++place)
      handles_.push_back(layout_.object(ObjectId(decl.first.index + place)).fields[0]);
  for (const ObjectId id : system_.objects.ids()) {
    const std::vector<WordType>& words = system_.objects[id].words;
    const std::vector<Field>& fields = layout_.object(id).fields;
    const ObjectKind kind = system_.objects[id].kind;
    const std::size_t first = kind == ObjectKind::Channel || kind == ObjectKind::Life ? 1 : 0;
    for (std::size_t i = first; i < fields.size() && !words.empty(); ++i)
      add(words[(i - first) % words.size()], fields[i]);
  }
}

// A spawn is the first operation of its transition, so the state has the thread's own slots, too;
// and what garbage has was forgotten.
bool Execution::is_garbage(ThreadId thread) const {
  if (location(layout_, state_, thread) != kEnded) return false;
  const auto handle = static_cast<std::int32_t>(thread.index) + 1;
  const auto refers = [&](const Field& field) { return field.load(state_) == handle; };
  if (std::any_of(handles_.begin(), handles_.end(), refers) &&
      !CML_MUTATION("threads-that-are-referred-to-are-garbage"))
    return false;
  const auto owns = [&](ObjectId lock) { return layout_.owner(state_, lock) == thread; };
  return std::none_of(layout_.locks().begin(), layout_.locks().end(), owns) ||
         CML_MUTATION("threads-that-own-locks-are-garbage");
}

bool Execution::has_room_for_thread() const {
  std::uint32_t alive = 0;
  for (const ThreadId id : system_.threads.ids())
    if (system_.threads[id].is_spawned && !is_garbage(id)) ++alive;
  return alive < system_.max_threads;
}

void Execution::begin(std::uint8_t* state, ThreadId thread, Record& record) {
  const Location at = location(layout_, state, thread);
  begin(state, thread, system_.threads[thread].code.location_pc[at], record);
}

void Execution::begin(std::uint8_t* state, ThreadId thread, Pc pc, Record& record) {
  state_ = state;
  thread_ = thread;
  code_ = &system_.threads[thread].code;
  record_ = &record;
  pc_ = pc;
  gone_ = false;
  script_ = nullptr;
  const std::vector<Field>& slots = layout_.thread(thread).slots;
  frame_.resize(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i)
    frame_[i] = slots[i].load(state);
}

void Execution::begin_free(std::uint8_t* state, const Code& code, Record& record,
                           std::span<const std::int32_t> words) {
  state_ = state;
  thread_ = ThreadId();
  code_ = &code;
  record_ = &record;
  pc_ = 0;
  gone_ = false;
  script_ = nullptr;
  frame_.assign(code.slots.size(), 0);
  std::copy(words.begin(), words.end(), frame_.begin());
}

void Execution::finish() {
  if (gone_) return;
  const ThreadFields& fields = layout_.thread(thread_);
  for (std::size_t i = 0; i < frame_.size(); ++i)
    fields.slots[i].store(state_, frame_[i]);
  const Location at = code_->pc_location[pc_];
  if (at < kFirstLocation) {
    stop(FaultKind::Internal, current().range);
    return;
  }
  fields.location.store(state_, static_cast<std::int32_t>(at));
  if (meeting_places_.any()) arrive();
  if (closes_windows(current()) && !CML_MUTATION("window-open-after-everything")) close_windows();
}

Outcome Execution::instruction(std::uint32_t choice) {
  choice_ = choice;
  const Instruction& executed = current();
  if (any_claimed_ && !may_use_all()) return Outcome::Gone;
  const Outcome outcome =
      std::visit([this](const auto& node) { return execute(node); }, executed.node);
  if (too_many_) {
    too_many_ = false;
    limit(LimitKind::Choices);
    return Outcome::Gone;
  }
  return outcome;
}

Outcome Execution::region(Script& script) {
  script_ = &script;
  script_position_ = 0;
  loop_.restart();
  before_region_.assign(state_, state_ + layout_.size());
  bool inside = true;
  Outcome outcome = Outcome::Next;
  do {
    if (loop_.repeats(pc_, frame_, state_, layout_.size())) {
      // The block never completes, so what it did so far must not be visible.
      std::copy(before_region_.begin(), before_region_.end(), state_);
      diverge();
      outcome = Outcome::Gone;
      break;
    }
    if (loop_.steps() > config_.max_invisible) {
      std::copy(before_region_.begin(), before_region_.end(), state_);
      limit(LimitKind::Invisible);
      outcome = Outcome::Gone;
      break;
    }
    inside = current().opcode() != Opcode::AtomicEnd;
    if (closes_windows(current())) close_windows();
    outcome = instruction(0);
  } while (outcome == Outcome::Next && inside);
  script_ = nullptr;
  return outcome;
}

void Execution::guard() {
  Script script;
  script_ = &script;
  script_position_ = 0;
  const std::vector<bool>& evaluates_guard = evaluates_guard_[thread_];
  const Pc end = std::get<Atomic>(current().node).end;
  loop_.restart();
  Outcome outcome = instruction(0);
  while (outcome == Outcome::Next && pc_ < end) {
    if (loop_.repeats(pc_, frame_, state_, layout_.size()) || loop_.steps() > config_.max_invisible)
      break;
    const Opcode opcode = current().opcode();
    // A call that begins here waits for nothing; what comes first in it may.
    const bool only_begins = opcode == Opcode::Enter && !CML_MUTATION("beginning-a-call-may-block");
    if (is_operation(opcode) && !only_begins && !evaluates_guard[pc_] &&
        !CML_MUTATION("guard-of-another-way")) {
      pretend();
      break;
    }
    outcome = instruction(0);
    if (opcode == Opcode::Guard) break;
  }
  script_ = nullptr;
}

Outcome Execution::locals() {
  loop_.restart();
  while (!is_operation(current().opcode())) {
    if (loop_.repeats(pc_, frame_, state_, layout_.size())) {
      diverge();
      return Outcome::Gone;
    }
    if (loop_.steps() > config_.max_invisible) {
      limit(LimitKind::Invisible);
      return Outcome::Gone;
    }
    const Outcome outcome = instruction(0);
    if (outcome != Outcome::Next) return outcome;
  }
  return Outcome::Next;
}

void Execution::run_free() {
  loop_.restart();
  while (!gone_) {
    if (loop_.repeats(pc_, frame_, state_, layout_.size())) return diverge();
    if (loop_.steps() > config_.max_invisible) return limit(LimitKind::Invisible);
    if (instruction(0) != Outcome::Next) return;
  }
}

Outcome Execution::stop(FaultKind kind, SourceRange range, TextId message, ObjectId object) {
  record_->events.push_back({kind, thread_, pc_, range, message, object, {}});
  if (watch_ != nullptr) watch_->frame = frame_;
  leave(kStopped);
  return Outcome::Gone;
}

Outcome Execution::stop(const EvaluationFault& fault) {
  const SourceRange range = system_.exprs[fault.where].range;
  return stop(fault.kind, range.file.valid() ? range : current().range);
}

void Execution::diverge() {
  record_->events.push_back({FaultKind::Divergence, thread_, pc_, current().range, {}, {}, {}});
  leave(kDiverged);
}

void Execution::limit(LimitKind kind) {
  record_->events.push_back({FaultKind::Limit, thread_, pc_, current().range, {}, {}, kind});
  leave(kAssumed);
}

void Execution::leave(Location where) {
  gone_ = true;
  if (!thread_.valid()) return;
  const ThreadFields& fields = layout_.thread(thread_);
  fields.location.store(state_, static_cast<std::int32_t>(where));
  for (const Field& slot : fields.slots)
    slot.store(state_, 0);
}

std::optional<std::int32_t> Execution::value(ExprId expr) {
  EvaluationFault fault;
  const std::optional<std::int32_t> result = evaluate(system_, expr, frame_.data(), fault);
  if (!result) stop(fault);
  return result;
}

bool Execution::assign(const LocalPlace& place, std::int32_t value_to_store) {
  std::uint32_t offset = 0;
  if (place.index) {
    const auto index = value(*place.index);
    if (!index) return false;
    offset = static_cast<std::uint32_t>(*index);
  }
  const std::uint32_t slot = place.slot + offset;
  const bool fits = slot < frame_.size() &&
                    (!thread_.valid() || layout_.thread(thread_).slots[slot].holds(value_to_store));
  if (!fits) {
    stop(FaultKind::Internal, current().range);
    return false;
  }
  frame_[slot] = value_to_store;
  if (watch_ != nullptr && !watch_->only_changes) watch_->add({thread_, pc_, slot, value_to_store});
  if (record_->wants_locals && place.name.valid())
    record_->locals.push_back({place.name, slot, offset, value_to_store});
  return true;
}

bool Execution::assign(const std::optional<LocalPlace>& place, std::int32_t value_to_store) {
  return !place || assign(*place, value_to_store);
}

ObjectId Execution::resolve(const Place& place) {
  if (!place.index) return place.base;
  EvaluationFault fault;
  const auto index = evaluate(system_, *place.index, frame_.data(), fault);
  // The lowering has put a check before it; if it fails here, `stop` reports an internal error.
  if (!index || *index < 0 || static_cast<std::uint32_t>(*index) >= place.count) {
    stop(FaultKind::Internal, current().range);
    return place.base;
  }
  return ObjectId(place.base.index + place.stride * static_cast<std::uint32_t>(*index));
}

// ---- decisions ---------------------------------------------------------------------------------

std::uint32_t Execution::decide(std::uint64_t options) {
  if (script_ == nullptr) return choice_;
  if (options > kMaxChoices) {
    too_many_ = true;
    return 0;
  }
  if (script_position_ == script_->size())
    script_->push_back({0, static_cast<std::uint32_t>(options)});
  return (*script_)[script_position_++].option;
}

std::uint32_t Execution::decide_among(const std::vector<std::uint32_t>& options) {
  if (script_ == nullptr) return choice_;
  return options[decide(options.size())];
}

// ---- initialisation windows --------------------------------------------------------------------

void Execution::close_windows() {
  if (!thread_.valid()) return;
  heap_.close_windows(state_, thread_);
  for (const ObjectId id : initialises_[thread_]) {
    const Field& status = *layout_.object(id).init;
    if (status.load(state_) == static_cast<std::int32_t>(InitStatus::Open))
      status.store(state_, static_cast<std::int32_t>(InitStatus::Initialised));
  }
}

bool Execution::closes_windows(const Instruction& instruction) const {
  const bool has_windows =
      thread_.valid() && (!initialises_[thread_].empty() || layout_.thread(thread_).opens);
  if (!has_windows || instruction.opcode() == Opcode::New) return false;
  if (CML_MUTATION("window-open-after-release") && instruction.opcode() == Opcode::Release)
    return false;
  const auto [when, place] = visibility_rule(instruction);
  switch (when) {
    case VisibleWhen::Reading:
    case VisibleWhen::Writing:
      return system_.objects[place->base].kind != ObjectKind::Shared;
    case VisibleWhen::Inside: {  // an await does; of other blocks, the operations inside
      const Pc end = std::get<Atomic>(instruction.node).end;
      for (Pc pc = pc_ + 1; pc < end; ++pc)
        if (code_->instructions[pc].opcode() == Opcode::Guard) return true;
      return false;
    }
    case VisibleWhen::Never:
    case VisibleWhen::Always:
    case VisibleWhen::Taking:
    case VisibleWhen::Freeing:
    case VisibleWhen::Leaving:
    case VisibleWhen::Waking:
      break;
  }
  return is_operation(instruction.opcode());
}

}  // namespace cml::ir
