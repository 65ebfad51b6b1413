#include "checker/reduction/dynamic/stateful_source.h"

#include <algorithm>
#include <bit>

#include "checker/reduction/static/set_algorithm.h"
#include "checker/waiting.h"
#include "support/mutation.h"

namespace cml::checker {

StatefulSource::StatefulSource(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                               const MemoryBudget& budget)
    : conflicts_(step, analyses, options.reduction.keeps_order),
      later_(conflicts_, budget, step.system().threads.size()),
      step_(step),
      options_(options),
      budget_(budget),
      no_calls_(step.system(), nullptr),
      sets_(step.system(), step.layout(), analyses, scope(options), nullptr, no_calls_,
            options.reduction.keeps_order),
      is_safe_(sets_, step.system(), analyses, scope(options)),
      stops_(step, analyses, !options.composes()),
      order_(options, step.system().threads.size()),
      threads_(step.system().threads.size()),
      state_bytes_(step.layout().size()) {}

// ---- the frames --------------------------------------------------------------------------------

ir::ThreadId StatefulSource::safe_thread(const std::uint8_t* state,
                                         std::span<const ir::Action> enabled) {
  for (const ir::Action action : enabled)
    if (is_safe_(action.thread, location(step_.layout(), state, action.thread)))
      return action.thread;
  return {};
}

void StatefulSource::entered(Depth, const StateView& state, std::span<const ir::Action> enabled) {
  Frame frame;
  frame.state = frame.least = *state.number;
  frame.begin = frame.next = frame.thread_end = actions_.size();
  budget_.make_room(actions_, enabled.size());
  actions_.append(enabled);
  frame.end = actions_.size();
  order_.arrange({actions_.begin() + frame.begin, actions_.end()});
  frame.chain = frame.later = LaterActions::none();
  const bool is_spurious = has_spurious_wakeup(options_, step_.layout(), state.bytes, enabled);
  if (!is_spurious) frame.safe = safe_thread(state.bytes, enabled);
  frame.is_full = is_spurious || (threads_ > kMostThreads && !frame.safe.valid());
  if (threads_ <= kMostThreads)
    for (const ir::Action action : enabled)
      frame.enabled |= bit(action.thread);
  frame.currents = currents_.size();
  if (frame.looks_for_conflicts()) {
    budget_.make_room(currents_, threads_);
    currents_.resize(currents_.size() + threads_, 0);
  }
  frame.bytes = copies_.size();
  budget_.make_room(copies_, state_bytes_);
  copies_.insert(copies_.end(), state.bytes, state.bytes + state_bytes_);
  budget_.make_room(frames_, 1);
  frames_.push_back(frame);
  budget_.make_room(open_, 1);
  open_.push_back(frame.state);
}

std::optional<ir::Action> StatefulSource::next(Depth) {
  Frame& frame = frames_.back();
  if (frame.next == frame.thread_end) {
    if (frame.next > frame.begin) finish_thread(frame);
    if (is_complete(frame)) return std::nullopt;
    begin_thread(frame, choose(frame));
  }
  return actions_[frame.next++];
}

void StatefulSource::begin_thread(Frame& frame, ir::ThreadId thread) {
  const auto is_its = [thread](const ir::Action& action) { return action.thread == thread; };
  ir::Action* const begin = actions_.begin() + frame.next;
  ir::Action* const end = actions_.begin() + frame.end;
  ir::Action* const first = std::find_if(begin, end, is_its);
  ir::Action* const last = std::find_if_not(first, end, is_its);
  std::rotate(begin, first, last);
  frame.thread_end = frame.next + static_cast<std::size_t>(last - first);
  frame.goes = thread;
  frame.conflicting = 0;
}

void StatefulSource::executed(Depth depth, ir::Action action, const Transition& transition) {
  Frame& frame = frames_.back();
  frame.summary = conflicts_.executed(transition);
  frame.chain = LaterActions::none();
  frame.stops = frame.stops || (conflicts_.stops(frame.summary) &&
                                !CML_MUTATION("stop-does-not-expand-fully-with-rows"));
  if (depth > 0) met(depth - 1, action.thread, frame.summary);
}

void StatefulSource::stored(StateNumber) { rows_.add(Row()); }

bool StatefulSource::matched(Depth depth, StateNumber state) {
  Frame& frame = frames_.back();
  const Row row = rows_[state];
  if (!row.valid()) {
    arrive_on_cycle(frame, LaterActions::none(), state);
    return false;
  }
  met(depth, row);
  arrive(frame, row);
  return false;
}

void StatefulSource::left(Depth depth) {
  Frame frame = frames_.back();
  const bool is_end =
      frame.begin == frame.end && !CML_MUTATION("blocked-operations-are-behind-no-state");
  const bool is_on_cycle =
      frame.is_on_cycle && !CML_MUTATION("blocked-operations-on-a-cycle-are-behind-no-state");
  if (is_end || is_on_cycle) add_blocked(depth);
  frame = frames_.back();
  count(frame);
  frames_.pop_back();
  actions_.resize(frame.begin);
  currents_.resize(frame.currents);
  copies_.resize(frame.bytes);
  const bool is_complete = frame.least == frame.state;
  if (is_complete) {
    StateNumber state = 0;
    do {
      state = open_.back();
      open_.pop_back();
      rows_[state] = frame.later;
    } while (state != frame.state);
  }
  if (frames_.empty()) return;
  if (is_complete) return arrive(frames_.back(), frame.later);
  arrive_on_cycle(frames_.back(), frame.later, frame.least);
}

void StatefulSource::add_blocked(Depth depth) {
  Frame& frame = frames_.back();
  const std::uint8_t* const state = copies_.data() + frame.bytes;
  for (const ir::ThreadId thread : step_.system().threads.ids()) {
    const ir::Location at = location(step_.layout(), state, thread);
    const auto is_its = [thread](const ir::Action& action) { return action.thread == thread; };
    if (at < ir::kFirstLocation ||
        std::any_of(actions_.begin() + frame.begin, actions_.begin() + frame.end, is_its))
      continue;
    const SummaryId summary = conflicts_.pending(state, thread);
    frame.later = later_.with(frame.later, thread, summary);
    if (depth > 0) met(depth - 1, thread, summary);
  }
}

// ---- what has been explored --------------------------------------------------------------------

void StatefulSource::arrive(Frame& frame, Row behind) {
  const Row all = later_.united(frame.chain, behind);
  if (frame.looks_for_conflicts()) frame.conflicting |= in_conflict(frame, all);
  frame.later = later_.united(frame.later, later_.with(all, frame.goes, frame.summary));
}

void StatefulSource::arrive_on_cycle(Frame& frame, Row behind, StateNumber least) {
  frame.is_on_cycle = !CML_MUTATION("what-is-known-is-all-behind-a-state-on-a-cycle");
  frame.least = std::min(frame.least, least);
  const Row all = later_.united(frame.chain, behind);
  frame.later = later_.united(frame.later, later_.with(all, frame.goes, frame.summary));
}

void StatefulSource::finish_thread(Frame& frame) {
  if (!frame.looks_for_conflicts()) return;
  frame.done |= bit(frame.goes);
  current(frame, frame.goes) = frame.conflicting | bit(frame.goes);
  if (CML_MUTATION("threads-that-are-not-enabled-are-in-no-source-set"))
    current(frame, frame.goes) &= frame.enabled;
}

bool StatefulSource::is_complete(const Frame& frame) {
  if (frame.next == frame.end) return true;
  if (frame.next == frame.begin || frame.is_full || frame.stops) return false;
  if (frame.safe.valid()) return true;
  if (frame.is_on_cycle) return false;
  for (ThreadMask left = frame.done; left != 0; left &= left - 1) {
    // The least T with this thread in it.
    ThreadMask set = left & (~left + 1);
    ThreadMask looked_at = 0;
    while ((set & ~looked_at) != 0 && (set & ~frame.done) == 0) {
      const ThreadMask one = (set & ~looked_at) & (~(set & ~looked_at) + 1);
      looked_at |= one;
      set |= current(frame, ir::ThreadId(static_cast<std::uint32_t>(std::countr_zero(one))));
    }
    if ((set & ~frame.done) == 0) return true;
  }
  return false;
}

ir::ThreadId StatefulSource::choose(const Frame& frame) {
  if (frame.safe.valid() && frame.next == frame.begin) return frame.safe;
  ThreadMask wanted = 0;
  for (ThreadMask left = frame.done; left != 0; left &= left - 1)
    wanted |= current(frame, ir::ThreadId(static_cast<std::uint32_t>(std::countr_zero(left))));
  const ir::Action* const begin = actions_.begin() + frame.next;
  const ir::Action* const end = actions_.begin() + frame.end;
  // Where one is wanted that is not enabled, all are that are.
  if ((wanted & ~frame.enabled) != 0) return begin->thread;
  const ir::Action* const first = std::find_if(begin, end, [&](const ir::Action& action) {
    return threads_ <= kMostThreads && (wanted & bit(action.thread)) != 0;
  });
  return first == end ? begin->thread : first->thread;
}

void StatefulSource::count(const Frame& frame) {
  if (frame.end - frame.begin < 2) return;
  const std::uint64_t taken = frame.next - frame.begin;
  ++statistics_.sets;
  statistics_.chosen += taken;
  statistics_.enabled += frame.end - frame.begin;
  statistics_.largest = std::max(statistics_.largest, taken);
  statistics_.single += taken == 1 ? 1 : 0;
  statistics_.full_by_stop += frame.stops ? 1 : 0;
  statistics_.full_by_proviso += !frame.stops && frame.is_on_cycle && !frame.safe.valid() ? 1 : 0;
}

// ---- passing through ---------------------------------------------------------------------------

std::optional<ir::Action> StatefulSource::only(const StateView& state,
                                               std::span<const ir::Action> enabled) {
  leaves_some_ = enabled.size() > 1;
  if (enabled.size() == 1) return enabled[0];
  if (has_spurious_wakeup(options_, step_.layout(), state.bytes, enabled)) return std::nullopt;
  const ir::ThreadId safe = safe_thread(state.bytes, enabled);
  if (!safe.valid()) return std::nullopt;
  const auto is_its = [safe](const ir::Action& action) { return action.thread == safe; };
  const auto action = std::find_if(enabled.begin(), enabled.end(), is_its);
  if (std::count_if(enabled.begin(), enabled.end(), is_its) != 1) return std::nullopt;
  return *action;
}

bool StatefulSource::must_stop(const Transition& transition, ir::Action action) {
  if ((leaves_some_ || options_.hang_check) && stops_(transition.after, action.thread)) return true;
  const SummaryId summary = conflicts_.executed(transition);
  Frame& frame = frames_.back();
  if (!CML_MUTATION("what-was-passed-through-is-behind-no-state"))
    frame.chain = later_.with(frame.chain, action.thread, summary);
  met(frames_.size() - 1, action.thread, summary);
  return false;
}

// ------------------------------------------------------------------------------------------------

std::uint64_t StatefulSource::memory() const {
  return conflicts_.memory() + later_.memory() + rows_.memory() +
         frames_.capacity() * sizeof(Frame) + actions_.capacity() * sizeof(ir::Action) +
         currents_.capacity() * sizeof(ThreadMask) + copies_.capacity() +
         open_.capacity() * sizeof(StateNumber);
}

}  // namespace cml::checker
