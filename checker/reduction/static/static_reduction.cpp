#include "checker/reduction/static/static_reduction.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::checker {

StaticReduction::StaticReduction(ir::Step& step, const ir::Analyses& analyses,
                                 const Options& options, const MemoryBudget& budget,
                                 const CandidateLocks* candidates,
                                 const std::vector<ProvedCommutes>* commuting)
    : reducer_(step, analyses, options, budget, candidates, commuting),
      order_(options, step.system().threads.size()),
      budget_(budget),
      keeps_last_before_stop_(options.hang_check) {}

// ---- the frames --------------------------------------------------------------------------------

void StaticReduction::entered(Depth depth, const StateView& state,
                              std::span<const ir::Action> enabled) {
  Frame frame;
  frame.state = state.number;
  frame.begin = frame.next = actions_.size();
  frame.any_enabled = !enabled.empty();
  if (state.is_again) {
    SleepId& stored = stored_sleep_[*state.number];
    if (!CML_MUTATION("stored-set-not-intersected-depth-first"))
      stored = CML_MUTATED("stored-set-is-the-arriving-one-depth-first",
                           reducer_.intersection(stored, arriving_), arriving_);
    frame.sleep = stored;
    for (const Sleeper& sleeper : reducer_.sleepers(again_))
      actions_.push_back(sleeper.action);
    frame.end = frame.left_out = actions_.size();
  } else {
    if (depth > 0) frames_[depth - 1].progress = true;
    enter_new(frame, state, enabled);
  }
  if (frame.state) ++on_stack_[*frame.state];
  if (reducer_.sleeps()) {
    budget_.make_room(explored_, actions_.size() - explored_.size());
    explored_.resize(actions_.size());
  }
  frames_.push_back(frame);
}

void StaticReduction::enter_new(Frame& frame, const StateView& state,
                                std::span<const ir::Action> enabled) {
  frame.sleep = arriving_;
  budget_.make_room(actions_, enabled.size());
  const Reducer::Choice choice = reducer_.choose(state.bytes, enabled, frame.sleep, actions_);
  frame.stops = choice.stop;
  frame.progress =
      frame.sleep != SleepSets::empty() && CML_MUTATION("proviso-counts-sleeping-depth-first");
  frame.end = actions_.size();
  if (choice.leaves_some) {
    scratch_.clear();
    scratch_.append({actions_.begin() + frame.begin, actions_.end()});
    reducer_.rest(enabled, scratch_, frame.sleep, actions_);
  }
  frame.left_out = actions_.size();
  order_.arrange({actions_.begin() + frame.begin, actions_.begin() + frame.end});
  order_.arrange({actions_.begin() + frame.end, actions_.begin() + frame.left_out});
}

std::optional<ir::Action> StaticReduction::next(Depth depth) {
  Frame& frame = frames_[depth];
  const bool has_store = frame.state.has_value();
  const bool is_ignored = has_store && !frame.progress && reducer_.needs_proviso() &&
                          !CML_MUTATION("no-proviso-depth-first");
  const bool stops = frame.stops &&
                     !(has_store && CML_MUTATION("stop-does-not-expand-fully-depth-first")) &&
                     (has_store || !CML_MUTATION("stop-does-not-expand-fully-stateless"));
  if (frame.next == frame.end && frame.left_out > frame.end && (is_ignored || stops)) {
    ReductionStatistics& statistics = reducer_.statistics();
    ++(is_ignored ? statistics.full_by_proviso : statistics.full_by_stop);
    frame.end = frame.left_out;
  }
  if (frame.next == frame.end) return std::nullopt;
  const std::size_t at = frame.next++;
  if (at == frame.begin || actions_[at - 1].thread != actions_[at].thread) frame.of_thread = at;
  return actions_[at];
}

void StaticReduction::executed(Depth depth, ir::Action action, const Transition& transition) {
  Frame& frame = frames_[depth];
  std::span<const Sleeper> explored;
  if (reducer_.sleeps()) explored = {explored_.data() + frame.begin, frame.of_thread - frame.begin};
  const Reducer::Executed executed = reducer_.executed(
      transition.record, transition.before, transition.after, action, frame.sleep, explored);
  if (reducer_.sleeps()) explored_[frame.next - 1] = {action, executed.summary};
  frame.stops = frame.stops || executed.stops;
  arriving_ = executed.sleep;
}

void StaticReduction::stored(StateNumber) {
  on_stack_.add(0);
  if (reducer_.sleeps()) stored_sleep_.add(arriving_);
}

bool StaticReduction::matched(Depth depth, StateNumber state) {
  Frame& frame = frames_[depth];
  frame.progress =
      frame.progress || on_stack_[state] == 0 || CML_MUTATION("progress-to-a-state-on-the-stack");
  if (!reducer_.sleeps()) return false;
  again_ = CML_MUTATED("matched-without-difference-depth-first",
                       reducer_.difference(stored_sleep_[state], arriving_), SleepSets::empty());
  return again_ != SleepSets::empty();
}

void StaticReduction::left(Depth depth) {
  const Frame& frame = frames_[depth];
  if (frame.state) --on_stack_[*frame.state];
  actions_.resize(frame.begin);
  if (reducer_.sleeps()) explored_.resize(frame.begin);
  frames_.pop_back();
}

// ---- passing through ---------------------------------------------------------------------------

std::optional<ir::Action> StaticReduction::only(const StateView& state,
                                                std::span<const ir::Action> enabled) {
  scratch_.clear();
  is_only_of_more_ =
      reducer_.choose(state.bytes, enabled, SleepSets::empty(), scratch_).leaves_some;
  if (scratch_.size() != 1) return std::nullopt;
  return scratch_[0];
}

bool StaticReduction::must_stop(const Transition& transition, ir::Action action) {
  return (is_only_of_more_ || keeps_last_before_stop_) &&
         reducer_.stops(transition.after, action) &&
         !CML_MUTATION("stop-does-not-expand-fully-in-a-chain-depth-first");
}

// ------------------------------------------------------------------------------------------------

bool StaticReduction::is_blocked(Depth depth) const {
  const Frame& frame = frames_[depth];
  return frame.any_enabled && frame.begin == frame.end &&
         !(frame.left_out > frame.end && frame.stops);
}

std::uint64_t StaticReduction::memory() const {
  return frames_.memory() + actions_.capacity() * sizeof(ir::Action) +
         explored_.capacity() * sizeof(Sleeper) + stored_sleep_.memory() + on_stack_.memory() +
         reducer_.memory();
}

}  // namespace cml::checker
