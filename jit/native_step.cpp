// Drives generated code, and implements what it calls back.
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
using ir::Outcome;
using ir::Pc;
using ir::Record;
using ir::ThreadId;
using ir::WaitStatus;

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
      script_cache_(layout.size()) {
  context_.choices = choices_.data();
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

inline bool NativeStep::is_rare(const Hot& thread, Action action, Location from) {
  return thread.locations[from].is_rare || action.choice == ir::kTooManyChoices;
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
  find_script(state, action, from);
  script_position_ = 0;
  thread.room.make(record);
  return call(thread, state, action, from, fuel, record);
}

void NativeStep::execute(std::uint8_t* state, Action action, Record& record) {
  ++executed_;
  const std::size_t first = record.micros.size();
  const std::uint32_t ended = micro(state, action, plan_.fuel, record);
  if (config_.stop == ir::Stop::Micro || ended == kDone) return;
  go_on(state, action.thread, record.micros.size() - first - 1, record);
}

// The hot loop of a search: as long as what comes was executed before, and so is in the cache.
// Returns the first action that is not. A composed transition is the cached micro-transitions that
// it is made of, one behind the other: each was cached by itself, whatever the rest of the state.
template <std::size_t kBlocks, ir::Stop kStop>
[[gnu::always_inline]] inline std::size_t NativeStep::apply_cached(const std::uint8_t* state,
                                                                   std::size_t stride,
                                                                   std::span<const Action> actions,
                                                                   std::uint8_t* out) {
  if constexpr (kBlocks == kNoCache) return 0;
  const TransitionCache& cache = *cache_;
  const Action* action = actions.data();
  for (const Action* const end = action + actions.size(); action != end; ++action, out += stride) {
    const TransitionCache::CachedEffect* const effect = cache.find(*action, state);
    if (effect == nullptr) [[unlikely]]
      break;
    TransitionCache::apply<kBlocks>(*effect, state, stride, out);
    if constexpr (kStop == ir::Stop::Visible)
      if (!apply_invisible<kBlocks>(action->thread, stride, out)) [[unlikely]]
        break;
  }
  return static_cast<std::size_t>(action - actions.data());
}

template <std::size_t kBlocks>
[[gnu::always_inline]] inline bool NativeStep::apply_invisible(ThreadId thread, std::size_t stride,
                                                               std::uint8_t* out) {
  const Hot& hot = hot_[thread];
  for (std::uint32_t joined = 0;; ++joined) {
    // Reserved locations are visible always.
    const Visible visibility = hot.locations[hot.at(out)].visible;
    if (visibility == Visible::Always) return true;
    if (visibility == Visible::Test && visible(out, thread) &&
        !CML_MUTATION("composed-transitions-go-on-where-the-state-stops-them"))
      return true;
    if (joined == kMostJoined)  // the loop detector has to look
      return CML_MUTATION("composed-transitions-end-where-the-loop-detector-begins");
    const TransitionCache::CachedEffect* const effect = cache_->find({thread, 0}, out);
    if (effect == nullptr) return CML_MUTATION("composed-transitions-end-where-the-cache-does");
    TransitionCache::apply<kBlocks>(*effect, out, stride, out);
  }
}

template <std::size_t kBlocks, ir::Stop kStop>
std::size_t NativeStep::successors_from_cache(const std::uint8_t* state, std::size_t stride,
                                              std::span<const Action> actions, std::uint8_t* out,
                                              Record& record) {
  const std::size_t done = apply_cached<kBlocks, kStop>(state, stride, actions, out);
  if (done < actions.size()) [[unlikely]]
    return execute_some<kBlocks, kStop>(state, stride, actions, done, out, record);
  return done;
}

[[gnu::noinline]] bool NativeStep::make_successor(const std::uint8_t* state, std::size_t stride,
                                                  Action action, bool is_first, std::uint8_t* out,
                                                  Record& record) {
  const Hot& thread = hot_[action.thread];
  const Location from = thread.at(state);
  ++executed_;
  ir::copy_stride(state, stride, out);
  if (is_rare(thread, action, from)) {
    if (!is_first) return false;
    (void)rare_micro(out, action, from, 0, record);
    record.arrives = 1;  // a record of several transitions is of the last of them
    return true;
  }
  room_.make(record);
  context_.record = &record;
  context_.mode = Mode::Execute;
  (void)thread.step(&context_, out, from, action.choice, thread.constants);
  check_failure();
  leave_out_recorded_events(record);
  if (cache_ && (!record.has_observations() || CML_MUTATION("cached-effects-with-observations")) &&
      cache_->may_insert(action, state))
    insert(state, stride, action, from, out, record);
  return true;
}

[[gnu::noinline]] bool NativeStep::make_composed(const std::uint8_t* state, std::size_t stride,
                                                 Action action, bool is_first, std::uint8_t* out,
                                                 Record& record) {
  Hot& thread = hot_[action.thread];
  const Location from = thread.at(state);
  const bool is_rare = NativeStep::is_rare(thread, action, from);
  if (is_rare && !is_first) return false;
  record.clear();
  ir::copy_stride(state, stride, out);
  execute(out, action, record);
  if (is_rare) {
    record.arrives = 1;  // a record of several transitions is of the last of them
    return true;
  }
  leave_out_recorded_events(record);
  if (record.has_observations()) return true;
  record.clear();
  if (cache_ && thread.misses[from] < kMostMisses && !insert_all(state, stride, action))
    ++thread.misses[from];
  return true;
}

bool NativeStep::insert_all(const std::uint8_t* state, std::size_t stride, Action action) {
  from_.assign(state, state + stride);
  to_.resize(stride);
  Record& record = composed_trial_;
  for (std::uint32_t joined = 0; joined <= kMostJoined; ++joined, action.choice = 0) {
    const Hot& thread = hot_[action.thread];
    const Location from = thread.at(from_.data());
    if (is_rare(thread, action, from)) return false;
    const TransitionCache::CachedEffect* const effect = cache_->find(action, from_.data());
    if (effect != nullptr) {
      TransitionCache::apply<0>(*effect, from_.data(), stride, to_.data());
    } else if (cache_->may_insert(action, from_.data())) {
      ir::copy_stride(from_.data(), stride, to_.data());
      record.clear();
      room_.make(record);
      context_.record = &record;
      context_.mode = Mode::Execute;
      context_.fuel = 0;
      (void)thread.step(&context_, to_.data(), from, action.choice, thread.constants);
      check_failure();
      leave_out_recorded_events(record);
      // What the whole does not show may be shown by a part: an arrival on the way.
      if (record.has_observations()) {
        cache_->give_up(action, from_.data());
        return false;
      }
      insert(from_.data(), stride, action, from, to_.data(), record);
    } else {
      return false;
    }
    from_.swap(to_);
    if (at(from_.data(), action.thread) < ir::kFirstLocation ||
        visible(from_.data(), action.thread))
      return true;
  }
  return false;
}

void NativeStep::leave_out_recorded_events(Record& record) const {
  if (record.events.empty() || !record.touches.empty() || !record.marks.empty()) return;
  if (observations_ == nullptr) return;
  const bool are_recorded =
      std::all_of(record.events.begin(), record.events.end(), [this](const ir::Event& event) {
        const ir::Observations::Number number = observations_->of(system_, event);
        return number != ir::Observations::Touches::kAlways && observations_->is_recorded(number);
      });
  if (are_recorded) record.clear();
}

void NativeStep::insert(const std::uint8_t* state, std::size_t stride, Action action, Location from,
                        const std::uint8_t* after, Record& record) {
  const Hot& thread = hot_[action.thread];
  other_.resize(stride);
  other_after_.resize(stride);
  cache_->perturb(action, state, other_.data());
  ir::copy_stride(other_.data(), stride, other_after_.data());
  trial_.clear();
  room_.make(trial_);
  context_.record = &trial_;
  const std::uint32_t ended =
      thread.step(&context_, other_after_.data(), from, action.choice, thread.constants);
  context_.record = &record;
  check_failure();
  leave_out_recorded_events(trial_);
  if (ended == kBlocked || trial_.has_observations()) return cache_->give_up(action, state);
  cache_->insert(action, state, after, other_.data(), other_after_.data());
}

std::size_t NativeStep::successors(const std::uint8_t* state, std::size_t stride,
                                   std::span<const Action> actions, std::uint8_t* out,
                                   Record& record) {
  if (stride != cache_stride_ || record.wants_locals) [[unlikely]]
    return successors_anyhow(state, stride, actions, out, record);
  record.clear();
  return (this->*successors_)(state, stride, actions, out, record);
}

[[gnu::noinline]] std::size_t NativeStep::successors_anyhow(const std::uint8_t* state,
                                                            std::size_t stride,
                                                            std::span<const Action> actions,
                                                            std::uint8_t* out, Record& record) {
  if (record.wants_locals) return Step::successors(state, stride, actions, out, record);
  prepare_cache(stride);
  return successors(state, stride, actions, out, record);
}

// Some actions behind the first `done` are not cached.
template <std::size_t kBlocks, ir::Stop kStop>
[[gnu::noinline]] std::size_t NativeStep::execute_some(const std::uint8_t* state,
                                                       std::size_t stride,
                                                       std::span<const Action> actions,
                                                       std::size_t done, std::uint8_t* out,
                                                       Record& record) {
  while (done < actions.size()) {
    std::uint8_t* const to = out + done * stride;
    const bool is_made = kStop == ir::Stop::Micro
                             ? make_successor(state, stride, actions[done], done == 0, to, record)
                             : make_composed(state, stride, actions[done], done == 0, to, record);
    if (!is_made) break;
    ++done;
    if (record.has_observations() && !CML_MUTATION("successors-go-on-behind-observations")) break;
    done += apply_cached<kBlocks, kStop>(state, stride, actions.subspan(done), to + stride);
  }
  if (!record.has_observations() || !record.micros.empty()) return done;
  const Action last = actions[done - 1];
  const Hot& thread = hot_[last.thread];
  record.micros.push_back({last, thread.locations[thread.at(state)].pc, 0, 0, 0});
  return done;
}

template <ir::Stop kStop>
NativeStep::SuccessorsFunction NativeStep::successors_of(std::size_t blocks) {
  static constexpr std::array<SuccessorsFunction, 9> kByBlocks = {
      &NativeStep::successors_from_cache<0, kStop>, &NativeStep::successors_from_cache<1, kStop>,
      &NativeStep::successors_from_cache<2, kStop>, &NativeStep::successors_from_cache<3, kStop>,
      &NativeStep::successors_from_cache<4, kStop>, &NativeStep::successors_from_cache<5, kStop>,
      &NativeStep::successors_from_cache<6, kStop>, &NativeStep::successors_from_cache<7, kStop>,
      &NativeStep::successors_from_cache<8, kStop>};
  if (blocks == kNoCache) return &NativeStep::successors_from_cache<kNoCache, kStop>;
  return kByBlocks[blocks < kByBlocks.size() ? blocks : 0];
}

void NativeStep::prepare_cache(std::size_t stride) {
  cache_stride_ = stride;
  cache_.reset();
  const bool has_cache = program_->location_dependencies().size() != 0;
  if (has_cache) cache_.emplace(layout_, stride, program_->location_dependencies());
  const std::size_t blocks = has_cache ? stride / TransitionCache::kBlock : kNoCache;
  successors_ = config_.stop == ir::Stop::Micro ? successors_of<ir::Stop::Micro>(blocks)
                                                : successors_of<ir::Stop::Visible>(blocks);
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

// ---- called by generated code ------------------------------------------------------------------

std::uint32_t NativeStep::resume(std::uint8_t* state, ThreadId thread, Pc pc,
                                 std::uint32_t choice) {
  execution_.begin(state, thread, pc, *context_.record);
  Outcome outcome = execution_.instruction(choice);
  if (outcome == Outcome::Next) outcome = execution_.locals();
  if (outcome == Outcome::Next) execution_.finish();
  context_.record->arrives = 1;
  return kGoOn;
}

std::uint32_t NativeStep::too_many_choices(std::uint8_t* state, ThreadId thread, Pc pc) {
  execution_.begin(state, thread, pc, *context_.record);
  execution_.limit(ir::LimitKind::Choices);
  return kGoOn;
}

void NativeStep::enter(const std::uint8_t* state, ThreadId thread, Pc pc, bool is_region) {
  const Record& record = *context_.record;
  context_.loops = plan_.loops;
  before_.thread = thread;
  before_.pc = pc;
  before_.is_region = is_region;
  before_.touches = record.touches.size();
  before_.held = record.held.size();
  before_.events = record.events.size();
  before_.marks = record.marks.size();
  if (is_region) {
    before_.bytes.assign(state, state + layout_.size());
    return;
  }
  before_.bytes.clear();
  for (const ir::Field& slot : layout_.thread(thread).slots)
    before_.bytes.insert(before_.bytes.end(), state + slot.offset,
                         state + slot.offset + slot.width);
}

std::uint32_t NativeStep::loop() {
  if (context_.loops == 0) return 1;
  --context_.loops;
  // Room for another iteration: generated code does not check capacities.
  hot_[before_.thread].room.make(*context_.record);
  return 0;
}

std::uint32_t NativeStep::bail(std::uint8_t* state, ThreadId thread) {
  Record& record = *context_.record;
  record.touches.resize(before_.touches);
  record.held.resize(before_.held);
  record.events.resize(before_.events);
  record.marks.resize(before_.marks);
  Outcome outcome = Outcome::Next;
  if (before_.is_region) {
    script_.clear();  // a block with a loop has no choices here (plan.h)
    std::copy(before_.bytes.begin(), before_.bytes.end(), state);
    execution_.begin(state, thread, before_.pc, record);
    outcome = execution_.region(script_);
  } else {
    auto from = before_.bytes.begin();
    for (const ir::Field& slot : layout_.thread(thread).slots) {
      std::copy_n(from, slot.width, state + slot.offset);
      from += slot.width;
    }
    execution_.begin(state, thread, before_.pc, record);
  }
  if (outcome == Outcome::Blocked) return kBlocked;
  if (context_.mode != Mode::Execute) return kGoOn;
  record.arrives = 1;
  if (outcome == Outcome::Next) outcome = execution_.locals();
  if (outcome == Outcome::Next) execution_.finish();
  return kGoOn;
}

std::uint32_t NativeStep::decide(std::uint32_t options) {
  if (options > ir::kMaxChoices) return kAskInterpreter;
  if (script_position_ == script_.size()) script_.push_back({0, options});
  return script_[script_position_++].option;
}

ObjectId NativeStep::waits_for(const std::uint8_t* state, ThreadId thread) {
  const Pc pc = plan_.threads[thread].locations[at(state, thread)].pc;
  const auto& node = system_.threads[thread].code.instructions[pc].node;
  const ir::Place& place = std::get<ir::Rewait>(node).lock;
  if (!place.index) return place.base;
  const std::vector<ir::Field>& slots = layout_.thread(thread).slots;
  frame_.resize(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i)
    frame_[i] = slots[i].load(state);
  ir::EvaluationFault fault;
  const std::int32_t index = evaluate(system_, *place.index, frame_.data(), fault).value_or(0);
  return ObjectId(place.base.index + place.stride * static_cast<std::uint32_t>(index));
}

std::uint32_t NativeStep::waiters(const std::uint8_t* state, ObjectId lock) {
  std::uint32_t count = 0;
  for (const ThreadId id : system_.threads.ids())
    if (layout_.wait_status(state, id) == WaitStatus::Waiting && waits_for(state, id) == lock)
      choices_[count++] = id.index;
  return count;
}

void NativeStep::notify(std::uint8_t* state, ThreadId thread, Pc pc, ObjectId lock,
                        std::uint32_t flags, std::uint32_t choice) {
  const bool all = (flags & 1) != 0;
  const bool in_region = (flags & 2) != 0;
  const std::uint32_t count = waiters(state, lock);
  const ir::Observations::Touches observations =
      observations_ == nullptr ? ir::Observations::Touches() : observations_->touches(thread, pc);
  if (!observations.are_numbered() || context_.recorded[observations.number(lock)] == 0) {
    ir::Touch touch;
    touch.object = lock;
    touch.effect = ir::Effect::Notify;
    touch.before = static_cast<std::int32_t>(count);
    touch.pc = pc;
    context_.record->touches.push_back(touch);
  }
  const auto wake = [&](std::uint32_t waiter) {
    layout_.thread(ThreadId(waiter))
        .wait->store(state, static_cast<std::int32_t>(WaitStatus::Notified));
  };
  if (all) {
    std::for_each_n(choices_.begin(), count, wake);
  } else if (count == 1) {
    wake(choices_[0]);
  } else if (count > 1) {
    wake(in_region ? choices_[decide(count)] : choice);
  }
}

}  // namespace cml::jit
