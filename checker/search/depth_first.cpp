#include "checker/search/depth_first.h"

#include <algorithm>

namespace cml::checker {

DepthFirst::DepthFirst(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
                       const Options& options, const Context& context)
    : Search(step, analyses, monitors, options, context), store_(bytes(), budget_) {}

void DepthFirst::load(StateNumber state) { store_.copy(state, before_.data()); }

void DepthFirst::run() {
  start();
  const StateNumber first = store_.insert(work_.data()).number;
  on_stack_.push_back(0);
  if (reducer_.sleeps()) stored_sleep_.push_back(SleepSets::empty());
  if (stopped()) return;
  push_new(first, {}, SleepSets::empty());
  while (!frames_.empty() && !stopped()) {
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
  went(frames_.size() - 1);
  load(state);
  expand_new(moved);
  budget_.make_room(actions_, all_.size());
  const Reducer::Choice choice = reducer_.choose(before_.data(), all_, sleep, actions_);
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
  went(frames_.size() - 1);
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
  const Fired step = explore(action, top.sleep, explored);
  const SleepId sleep = step.sleep;
  if (reducer_.sleeps()) explored_[fired] = {action, step.executed};
  top.stop = top.stop || step.stops;
  budget_.make_room(chain_, kMaxChain);
  const ir::ThreadId moved = pass_through(action.thread, chain_);
  if (store_.size() >= options_.limits.max_states && !store_.contains(work_.data())) return full();
  const StateSet::Inserted reached = store_.insert(work_.data());
  if (reached.is_new) {
    on_stack_.push_back(0);
    if (reducer_.sleeps()) stored_sleep_.push_back(sleep);
  }
  top.progress = top.progress || on_stack_[reached.number] == 0;
  const bool too_deep = frames_.size() > options_.limits.max_depth;
  if (reached.is_new) {
    if (too_deep) return limit("max-depth");
    return push_new(reached.number, moved, sleep);
  }
  matched(work_.data(), action.thread);
  if (!reducer_.sleeps()) return;
  SleepId& stored = stored_sleep_[reached.number];
  const SleepId again = reducer_.difference(stored, sleep);
  if (again == SleepSets::empty()) return;
  if (too_deep) return limit("max-depth");
  stored = reducer_.intersection(stored, sleep);
  push_again(reached.number, stored, again);
}

void DepthFirst::take_the_rest(Frame& top) {
  ++(top.progress ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  top.is_reduced = false;
  load(top.state);
  expand();
  const std::vector<ir::Action> taken(actions_.begin() + static_cast<std::ptrdiff_t>(top.begin),
                                      actions_.end());
  budget_.make_room(actions_, all_.size());
  reducer_.rest(all_, taken, top.sleep, actions_);
  top.end = actions_.size();
  extend_explored();
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

std::uint64_t DepthFirst::own_memory() const {
  return store_.memory() + frames_.memory() + actions_.capacity() * sizeof(ir::Action) +
         chain_.capacity() * sizeof(ir::Action) + explored_.capacity() * sizeof(Sleeper) +
         stored_sleep_.memory() + on_stack_.memory();
}

}  // namespace cml::checker
