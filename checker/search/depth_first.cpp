#include "checker/search/depth_first.h"

#include <algorithm>

namespace cml::checker {

DepthFirst::DepthFirst(const SearchInput& input)
    : Search(input),
      reducer_(input.step, input.analyses, input.options, budget_, candidates(input)),
      store_(explorer_.bytes(), budget_),
      sees_cycles_(!input.options.reduction.any()) {}

void DepthFirst::load(StateNumber state) { store_.copy(state, explorer_.state()); }

void DepthFirst::run() {
  explorer_.start();
  const StateNumber first = store_.insert(explorer_.reached()).number;
  on_stack_.push_back(0);
  if (reducer_.sleeps()) stored_sleep_.push_back(SleepSets::empty());
  if (limits_.stopped()) return;
  push_new(first, {}, SleepSets::empty());
  while (!frames_.empty() && !limits_.stopped()) {
    Frame& top = frames_.back();
    if (top.next < top.end) {
      step(top);
    } else if (top.is_reduced && (!top.progress || top.stop)) {
      take_the_rest(top);
    } else {
      pop();
    }
  }
}

void DepthFirst::push_new(StateNumber state, ir::ThreadId moved, SleepId sleep) {
  Frame frame;
  frame.state = state;
  frame.sleep = sleep;
  frame.begin = frame.next = frame.end = actions_.size();
  frame.chain = chain_.size();
  frames_.push_back(frame);
  ++on_stack_[state];
  limits_.reached_depth(frames_.size() - 1);
  load(state);
  const std::span<const ir::Action> enabled = explorer_.enabled_in_new(moved);
  budget_.make_room(actions_, enabled.size());
  const Reducer::Choice choice = reducer_.choose(explorer_.state(), enabled, sleep, actions_);
  frames_.back().is_reduced = choice.leaves_some;
  frames_.back().stop = choice.stop;
  frames_.back().end = actions_.size();
  extend_explored();
}

void DepthFirst::push_again(StateNumber state, SleepId sleep, SleepId again) {
  Frame frame;
  frame.state = state;
  frame.sleep = sleep;
  frame.begin = frame.next = actions_.size();
  frame.chain = chain_.size();
  for (const Sleeper& sleeper : reducer_.sleepers(again))
    actions_.push_back(sleeper.action);
  frame.end = actions_.size();
  extend_explored();
  frames_.push_back(frame);
  ++on_stack_[state];
  limits_.reached_depth(frames_.size() - 1);
}

void DepthFirst::extend_explored() {
  if (!reducer_.sleeps()) return;
  budget_.make_room(explored_, actions_.size() - explored_.size());
  explored_.resize(actions_.size());
}

void DepthFirst::pop() {
  const Frame& top = frames_.back();
  --on_stack_[top.state];
  actions_.resize(top.begin);
  if (reducer_.sleeps()) explored_.resize(top.begin);
  chain_.resize(top.chain);
  frames_.pop_back();
}

void DepthFirst::step(Frame& top) {
  const std::size_t fired = top.next++;
  const ir::Action action = actions_[fired];
  if (fired == top.begin || actions_[fired - 1].thread != action.thread) top.of_thread = fired;
  chain_.resize(top.chain);
  load(top.state);
  std::span<const Sleeper> explored;
  if (reducer_.sleeps()) explored = {explored_.data() + top.begin, top.of_thread - top.begin};
  explorer_.fire(action);
  const Reducer::Executed executed = reducer_.executed(
      explorer_.record(), explorer_.state(), explorer_.reached(), action, top.sleep, explored);
  if (!sees_cycles_) explorer_.check_divergence(explorer_.reached(), action.thread);
  const SleepId sleep = executed.sleep;
  if (reducer_.sleeps()) explored_[fired] = {action, executed.summary};
  top.stop = top.stop || executed.stops;
  budget_.make_room(chain_, kMaxChain);
  const ir::ThreadId moved = pass_through(action.thread);
  if (store_.size() >= options_.limits.max_states && !store_.contains(explorer_.reached()))
    return limits_.end_at_states();
  const StateSet::Inserted reached = store_.insert(explorer_.reached());
  if (reached.is_new) {
    on_stack_.push_back(0);
    if (reducer_.sleeps()) stored_sleep_.push_back(sleep);
  }
  top.progress = top.progress || on_stack_[reached.number] == 0;
  const bool too_deep = frames_.size() > options_.limits.max_depth;
  if (reached.is_new) {
    if (too_deep) return limits_.leave_out("max-depth");
    return push_new(reached.number, moved, sleep);
  }
  if (sees_cycles_) explorer_.check_divergence(explorer_.reached(), action.thread);
  if (!reducer_.sleeps()) return;
  SleepId& stored = stored_sleep_[reached.number];
  const SleepId again = reducer_.difference(stored, sleep);
  if (again == SleepSets::empty()) return;
  if (too_deep) return limits_.leave_out("max-depth");
  stored = reducer_.intersection(stored, sleep);
  push_again(reached.number, stored, again);
}

void DepthFirst::take_the_rest(Frame& top) {
  ++(top.progress ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  top.is_reduced = false;
  load(top.state);
  const std::span<const ir::Action> enabled = explorer_.enabled();
  const std::vector<ir::Action> taken(actions_.begin() + static_cast<std::ptrdiff_t>(top.begin),
                                      actions_.end());
  budget_.make_room(actions_, enabled.size());
  reducer_.rest(enabled, taken, top.sleep, actions_);
  top.end = actions_.size();
  extend_explored();
}

ir::ThreadId DepthFirst::pass_through(ir::ThreadId moved) {
  if (!passes_through()) return moved;
  for (std::size_t length = 0; length < kMaxChain; ++length) {
    if (limits_.stopped() || store_.contains(explorer_.reached())) return moved;
    explorer_.swap();
    const std::span<const ir::Action> enabled = explorer_.enabled_in_new(moved);
    single_.clear();
    const bool is_reduced =
        reducer_.choose(explorer_.state(), enabled, SleepSets::empty(), single_).leaves_some;
    if (single_.size() != 1) {
      explorer_.swap();
      return moved;
    }
    const ir::Action action = single_[0];
    chain_.push_back(action);
    explorer_.fire(action);
    if (is_reduced && reducer_.stops(explorer_.reached(), action.thread)) {
      // The state must be expanded fully, so it is one to store.
      chain_.pop_back();
      explorer_.swap();
      return moved;
    }
    moved = action.thread;
    explorer_.check_divergence(explorer_.reached(), moved);
  }
  return moved;
}

Path DepthFirst::path() const {
  Path result;
  budget_.make_room(result, frames_.size() + chain_.size());
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    if (frame.next == frame.begin) continue;
    result.push_back(actions_[frame.next - 1]);
    const std::size_t end = i + 1 < frames_.size() ? frames_[i + 1].chain : chain_.size();
    result.insert(result.end(), chain_.begin() + static_cast<std::ptrdiff_t>(frame.chain),
                  chain_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return result;
}

Statistics DepthFirst::statistics() const {
  Statistics result = Search::statistics();
  result.reduction = reducer_.statistics();
  return result;
}

std::uint64_t DepthFirst::memory() const {
  return store_.memory() + frames_.memory() + actions_.capacity() * sizeof(ir::Action) +
         chain_.capacity() * sizeof(ir::Action) + explored_.capacity() * sizeof(Sleeper) +
         stored_sleep_.memory() + on_stack_.memory() + reducer_.memory();
}

}  // namespace cml::checker
