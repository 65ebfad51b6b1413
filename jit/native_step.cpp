// Executes and asks by generated code. What a search fires by the batch: native_successors.cpp;
// what that code calls back: native_callbacks.cpp.
#include "jit/native_step.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include "support/mutation.h"

namespace cml::jit {

using ir::Action;
using ir::Location;
using ir::ObjectId;
using ir::Pc;
using ir::Record;
using ir::ThreadId;

namespace {

/// The longest list of choices: the cases of a select, or the threads that may wait.
std::size_t most_choices(const ir::System& system) {
  std::size_t most = system.threads.size();
  for (const ir::Thread& thread : system.threads)
    for (const ir::Instruction& instruction : thread.code.instructions)
      if (const auto* select = std::get_if<ir::Select>(&instruction.node))
        most = std::max(most, select->cases.size() + 1);
  return most;
}

/// Of what is passed on at a meeting.
std::size_t most_words(const ir::System& system) {
  std::size_t most = 0;
  for (const ir::Object& object : system.objects)
    if (object.kind == ir::ObjectKind::Channel) most = std::max(most, object.words.size());
  return most;
}

}  // namespace

NativeStep::NativeStep(const ir::Analyses& analyses, const ir::Layout& layout,
                       const ir::StepConfig& config, std::shared_ptr<const Program> program,
                       const ir::Observations* observations)
    : system_(analyses.system()),
      layout_(layout),
      config_(config),
      program_(std::move(program)),
      plan_(program_->plan()),
      all_enabled_(program_->enabled()),
      enabled_rows_(program_->enabled_rows()),
      threads_(system_.threads.size()),
      observations_(observations),
      nothing_recorded_(observations == nullptr ? 0 : observations->recorded().size(), 0),
      interpreter_(analyses, layout, config),
      execution_(system_, layout_, config_),
      scratch_(layout.size()),
      choices_(most_choices(system_)),
      meetings_(system_, PlainMeetings(analyses)),
      handed_(most_words(system_)),
      script_cache_(layout.size()) {
  context_.choices = choices_.data();
  context_.handed = handed_.data();
  context_.step = this;
  leave_out_recorded(true);
  for (const ThreadId id : system_.threads.ids()) {
    const ThreadPlan& plan = plan_.threads[id];
    Hot hot;
    hot.step = program_->functions(id).step;
    hot.constants = program_->functions(id).constants;
    hot.locations = plan.locations.data();
    hot.location = layout.thread(id).location;
    hot.misses.resize(plan.locations.size(), 0);
    hot.room.micros = plan_.fuel + 1;
    hot.room.touches = hot.room.micros * plan.touches;
    hot.room.held = hot.room.touches * static_cast<std::uint32_t>(layout.lock_set_words());
    hot.room.marks = hot.room.micros * plan.marks;
    room_.micros = std::max(room_.micros, hot.room.micros);
    room_.touches = std::max(room_.touches, hot.room.touches);
    room_.held = std::max(room_.held, hot.room.held);
    room_.marks = std::max(room_.marks, hot.room.marks);
    hot_.push(hot);
  }
}

// ---- executing ---------------------------------------------------------------------------------

void NativeStep::initial(std::uint8_t* state, Record& record) {
  interpreter_.initial(state, record);
}

inline std::uint32_t NativeStep::call(const Hot& thread, std::uint8_t* state, Action action,
                                      Location from, std::uint32_t fuel, Record& record) {
  const std::size_t position = record.micros.size();
  record.micros.data()[position] = {action, thread.locations[from].pc,
                                    static_cast<std::uint32_t>(record.touches.size()),
                                    static_cast<std::uint32_t>(record.events.size()),
                                    static_cast<std::uint32_t>(record.locals.size())};
  record.micros.set_size(position + 1);
  context_.record = &record;
  context_.mode = Mode::Execute;
  context_.fuel = fuel;
  const std::uint32_t ended = thread.step(&context_, state, from, action.choice, thread.constants);
  check_failure();
  return ended;
}

inline std::uint32_t NativeStep::micro(std::uint8_t* state, Action action, std::uint32_t fuel,
                                       Record& record) {
  const Hot& thread = hot_[action.thread];
  const Location from = thread.at(state);
  if (is_rare(thread, action, from) || record.wants_locals) [[unlikely]]
    return rare_micro(state, action, from, fuel, record);
  thread.room.make(record);
  return call(thread, state, action, from, fuel, record);
}

[[gnu::noinline]] std::uint32_t NativeStep::rare_micro(std::uint8_t* state, Action action,
                                                       Location from, std::uint32_t fuel,
                                                       Record& record) {
  const Hot& thread = hot_[action.thread];
  if (thread.locations[from].interpreted || action.choice == ir::kTooManyChoices ||
      record.wants_locals) {
    interpreter_.micro(state, action, record);
    return kGoOn;
  }
  if (thread.locations[from].meets) {
    meet(state, action, record);
    return kGoOn;
  }
  find_script(state, action, from);
  script_position_ = 0;
  thread.room.make(record);
  return call(thread, state, action, from, fuel, record);
}

void NativeStep::execute(std::uint8_t* state, Action action, Record& record) {
  ++executed_;
  const std::size_t first = record.micros.size();
  const std::uint32_t ended = micro(state, action, plan_.fuel, record);
  if (config_.stop == ir::Stop::Micro || ended == kDone) return end_meeting(state, action, record);
  go_on(state, action.thread, record.micros.size() - first - 1, record);
  end_meeting(state, action, record);
}

// Whichever half receives is executed first, as in the interpreter.
void NativeStep::meet(std::uint8_t* state, Action action, Record& record) {
  const ir::Meeting meeting = ir::meeting_of(action.choice);
  const Hot& active = hot_[action.thread];
  const Location from = active.at(state);
  if (!hot_[meeting.partner].locations[at(state, meeting.partner)].meets)
    return interpreter_.micro(state, action, record);
  context_.mode = Mode::Hand;
  (void)active.step(&context_, state, from, meeting.own, active.constants);
  ir::Record& met = interpreter_.met_record();
  met.clear();
  met.wants_locals = false;
  half(state, {meeting.partner, ir::kMet}, action.thread, meeting.its, met);
  half(state, action, meeting.partner, meeting.own, record);
}

void NativeStep::half(std::uint8_t* state, Action action, ThreadId other, std::uint32_t its_case,
                      Record& record) {
  const Hot& thread = hot_[action.thread];
  const Location from = thread.at(state);
  thread.room.make(record);
  record.micros.push_back({action, thread.locations[from].pc,
                           static_cast<std::uint32_t>(record.touches.size()),
                           static_cast<std::uint32_t>(record.events.size()),
                           static_cast<std::uint32_t>(record.locals.size())});
  context_.record = &record;
  context_.mode = Mode::Execute;
  context_.fuel = 0;
  context_.other = other.index;
  (void)thread.step(&context_, state, from, its_case, thread.constants);
  check_failure();
}

// The first micro-transition of both threads has been executed.
void NativeStep::end_meeting(std::uint8_t* state, Action action, Record& record) {
  if (!ir::is_meeting(action.choice)) return;
  ir::Record& met = interpreter_.met_record();
  if (config_.stop == ir::Stop::Visible) go_on(state, ir::partner_of(action), 0, met);
  ir::append(record, met);
}

void NativeStep::run_invisible(std::uint8_t* state, ThreadId thread, Record& record) {
  go_on(state, thread, 0, record);
}

// Executes like the interpreter. The first `steps` of the run were executed without loop detection:
// too few for the detector to have taken a copy of the state.
void NativeStep::go_on(std::uint8_t* state, ThreadId thread, std::uint64_t steps, Record& record) {
  static const std::vector<std::int32_t> kNoFrame;
  loop_.restart(steps);
  while (at(state, thread) >= ir::kFirstLocation && !visible(state, thread)) {
    if (loop_.repeats(0, kNoFrame, state, layout_.size())) {
      execution_.begin(state, thread, record);
      return execution_.diverge();
    }
    if (loop_.steps() > config_.max_invisible) {
      execution_.begin(state, thread, record);
      return execution_.limit(ir::LimitKind::Invisible);
    }
    (void)micro(state, {thread, 0}, 0, record);
  }
}

// ---- actions -----------------------------------------------------------------------------------

void NativeStep::enabled(const std::uint8_t* state, ThreadId thread, std::vector<Action>& out) {
  const Location from = at(state, thread);
  if (from < ir::kFirstLocation) return;
  const LocationPlan& location = hot_[thread].locations[from];
  switch (location.enabledness) {
    case Enabledness::Counted:
      for (std::uint32_t i = 0; i < location.count; ++i)
        out.push_back({thread, i});
      return;
    case Enabledness::Trial:
      if (try_region(state, thread, from) != kBlocked) out.push_back({thread, 0});
      return;
    case Enabledness::Trials:
      return enabled_in_region(state, thread, from, out);
    case Enabledness::Meets:
      return meetings_.add(
          thread, from, [&](ThreadId other) { return at(state, other); }, out);
    case Enabledness::Interpreted:
      return interpreter_.enabled(state, thread, out);
    default:
      break;
  }
  const ThreadFunctions& functions = program_->functions(thread);
  const std::uint32_t count = functions.choices(&context_, state, from, functions.constants);
  check_failure();
  if (count == kAskInterpreter) return interpreter_.enabled(state, thread, out);
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back({thread, location.enabledness == Enabledness::List ? choices_[i] : i});
}

void NativeStep::all_enabled(const std::uint8_t* state, Buffer<Action>& out) {
  out.make_room(threads_);
  all_enabled_(&context_, enabled_rows_, state, &out);
  check_failure();
}

void NativeStep::append_enabled(const std::uint8_t* state, ThreadId thread, Buffer<Action>& out) {
  const Location from = at(state, thread);
  if (hot_[thread].locations[from].enabledness == Enabledness::Test) {
    const ThreadFunctions& functions = program_->functions(thread);
    const std::uint32_t count = functions.choices(&context_, state, from, functions.constants);
    if (count <= 1) {
      *out.end() = {thread, 0};
      return out.set_size(out.size() + count);
    }
  }
  actions_.clear();
  enabled(state, thread, actions_);
  out.make_room(actions_.size() + hot_.size());
  std::copy(actions_.begin(), actions_.end(), out.end());
  out.set_size(out.size() + actions_.size());
}

std::uint32_t NativeStep::try_region(const std::uint8_t* state, ThreadId thread,
                                     Location location) {
  std::copy_n(state, scratch_.size(), scratch_.begin());
  trial_.clear();
  hot_[thread].room.make(trial_);
  context_.record = &trial_;
  context_.mode = Mode::Trial;
  context_.fuel = 0;
  script_position_ = 0;
  const Hot& hot = hot_[thread];
  const std::uint32_t ended = hot.step(&context_, scratch_.data(), location, 0, hot.constants);
  check_failure();
  return ended;
}

void NativeStep::enabled_in_region(const std::uint8_t* state, ThreadId thread, Location location,
                                   std::vector<Action>& out) {
  const std::size_t first = out.size();
  script_.clear();
  std::uint32_t leaf = 0;
  do {
    if (config_.stop_token != nullptr) config_.stop_token->poll(ir::kWorkOfLeaf);
    if (try_region(state, thread, location) != kBlocked) out.push_back({thread, leaf});
    if (++leaf > ir::kMaxChoices) {
      out.resize(first);
      return out.push_back({thread, ir::kTooManyChoices});
    }
  } while (ir::next_script(script_));
}

void NativeStep::find_script(const std::uint8_t* state, Action action, Location location) {
  for (std::uint32_t leaf = script_cache_.find(state, action, script_); leaf < action.choice;
       ++leaf) {
    if (config_.stop_token != nullptr) config_.stop_token->poll(ir::kWorkOfLeaf);
    (void)try_region(state, action.thread, location);
    if (!ir::next_script(script_)) return;
  }
  script_cache_.keep(state, action, script_);
}

// ---- asking without executing ------------------------------------------------------------------

bool NativeStep::visible(const std::uint8_t* state, ThreadId thread) {
  const Location from = at(state, thread);
  if (from < ir::kFirstLocation) return false;
  switch (hot_[thread].locations[from].visible) {
    case Visible::Never:
      return false;
    case Visible::Always:
      return true;
    case Visible::Test:
      break;
  }
  if (plan_.threads[thread].locations[from].interpreted) return interpreter_.visible(state, thread);
  const ThreadFunctions& functions = program_->functions(thread);
  const bool is_visible = functions.visible(&context_, state, from, functions.constants) != 0;
  check_failure();
  return is_visible;
}

void NativeStep::pending(const std::uint8_t* state, ThreadId thread, Record& record) {
  const Location from = at(state, thread);
  if (from < ir::kFirstLocation) return;
  switch (hot_[thread].locations[from].pending) {
    case Pending::Nothing:
      return;
    case Pending::Interpreted:
      if (pending_acquire(state, thread, from, record)) return;
      return interpreter_.pending(state, thread, record);
    case Pending::Native:
      break;
  }
  if (record.wants_locals) return interpreter_.pending(state, thread, record);
  std::copy_n(state, scratch_.size(), scratch_.begin());
  const Hot& hot = hot_[thread];
  hot.room.make(record);
  context_.record = &record;
  context_.mode = Mode::Pending;
  context_.fuel = 0;
  if (!CML_MUTATION("what-is-pending-leaves-out-nothing")) leave_out_recorded(false);
  (void)hot.step(&context_, scratch_.data(), from, 0, hot.constants);
  check_failure();
  leave_out_recorded(true);
}

// What monitors ask most often: the touch of an acquire for which nothing has to be evaluated.
bool NativeStep::pending_acquire(const std::uint8_t* state, ThreadId thread, Location from,
                                 Record& record) const {
  const Pc pc = hot_[thread].locations[from].pc;
  const auto& node = system_.threads[thread].code.instructions[pc].node;
  const auto* acquire = std::get_if<ir::Acquire>(&node);
  if (acquire == nullptr) return false;
  const ir::Place& place = acquire->lock;
  ir::Touch touch;
  touch.object = place.base;
  if (place.index) {
    const ir::Expr& expr = system_.exprs[*place.index];
    if (expr.op != ir::ExprOp::Local) return false;
    const std::vector<ir::Field>& slots = layout_.thread(thread).slots;
    const std::int32_t index = slots[static_cast<std::size_t>(expr.value)].load(state);
    if (index < 0 || static_cast<std::uint32_t>(index) >= place.count) return false;
    touch.object = ObjectId(place.base.index + place.stride * static_cast<std::uint32_t>(index));
  }
  const bool is_owner = layout_.owner(state, touch.object) == thread;
  touch.effect = is_owner ? ir::Effect::Deepen : ir::Effect::Take;
  touch.pc = pc;
  record.touches.push_back(touch);
  return true;
}

}  // namespace cml::jit
