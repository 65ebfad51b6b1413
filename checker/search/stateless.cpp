#include "checker/search/stateless.h"

#include <algorithm>
#include <new>

#include "checker/store/state_set.h"

namespace cml::checker {

Stateless::Stateless(const SearchInput& input)
    : Search(input),
      reducer_(input.step, input.analyses, input.options, budget_, candidates(input)) {}

void Stateless::run() {
  explorer_.start();
  state_.assign(explorer_.reached(), explorer_.reached() + explorer_.stride());
  initial_ = state_;
  if (limits_.stopped()) return;
  push({}, SleepSets::empty());
  while (!frames_.empty() && !limits_.stopped()) {
    Frame& top = frames_.back();
    if (top.next < top.end) {
      step(top);
    } else if (top.is_reduced && top.stop) {
      take_the_rest(top);
    } else {
      pop();
    }
  }
  if (!limits_.complete()) look_for_cycle();
}

// No state is kept, so the way to where the search ended is gone once more.
void Stateless::look_for_cycle() {
  if (is_cyclic_ || frames_.empty()) return;
  try {
    StateSet seen(explorer_.step_bytes(), budget_);
    std::vector<std::uint8_t> state = initial_;
    is_cyclic_ = !seen.insert(state.data()).is_new;
    for (const ir::Action action : path()) {
      record_.clear();
      explorer_.step().execute(state.data(), action, record_);
      is_cyclic_ = is_cyclic_ || !seen.insert(state.data()).is_new;
    }
  } catch (const std::bad_alloc&) {
    // There is no memory to find out.
  }
}

void Stateless::push(ir::ThreadId moved, SleepId sleep) {
  Frame frame;
  frame.sleep = sleep;
  frame.begin = frame.next = actions_.size();
  frame.end = frame.begin;
  budget_.make_room(frames_, 1);
  frames_.push_back(frame);
  ++nodes_;
  limits_.reached_depth(frames_.size() - 1);
  load();
  const std::span<const ir::Action> enabled = explorer_.enabled_in_new(moved);
  Frame& top = frames_.back();
  budget_.make_room(actions_, enabled.size());
  const Reducer::Choice choice = reducer_.choose(explorer_.state(), enabled, sleep, actions_);
  top.is_reduced = choice.leaves_some;
  top.stop = choice.stop;
  top.end = actions_.size();
  explored_.resize(actions_.size());
  if (enabled.empty()) {
    ++executions_;
  } else if (top.begin == top.end && !(top.is_reduced && top.stop)) {
    ++blocked_executions_;
  }
}

void Stateless::pop() {
  const Frame& top = frames_.back();
  actions_.resize(top.begin);
  explored_.resize(top.begin);
  frames_.pop_back();
  if (!frames_.empty()) go_back(frames_.back());
}

void Stateless::step(Frame& top) {
  if (nodes_ >= options_.limits.max_states) return limits_.end_at_states();
  const std::size_t fired = top.next++;
  const ir::Action action = actions_[fired];
  if (fired == top.begin || actions_[fired - 1].thread != action.thread) top.of_thread = fired;
  load();
  explorer_.fire(action);
  const Reducer::Executed executed =
      reducer_.executed(explorer_.record(), explorer_.state(), explorer_.reached(), action,
                        top.sleep, {explored_.data() + top.begin, top.of_thread - top.begin});
  explorer_.check_divergence(explorer_.reached(), action.thread);
  explored_[fired] = {action, executed.summary};
  top.stop = top.stop || executed.stops;
  if (frames_.size() > options_.limits.max_depth) {
    look_for_cycle();
    return limits_.leave_out("max-depth");
  }
  advance(top);
  push(action.thread, executed.sleep);
}

void Stateless::take_the_rest(Frame& top) {
  ++reducer_.statistics().full_by_stop;
  top.is_reduced = false;
  load();
  const std::span<const ir::Action> enabled = explorer_.enabled();
  const std::vector<ir::Action> taken(actions_.begin() + static_cast<std::ptrdiff_t>(top.begin),
                                      actions_.end());
  reducer_.rest(enabled, taken, top.sleep, actions_);
  top.end = actions_.size();
  explored_.resize(actions_.size());
}

void Stateless::advance(Frame& top) {
  const std::uint8_t* const reached = explorer_.reached();
  switch (options_.undo.value_or(Undo::Checkpoint)) {
    case Undo::Checkpoint:
      top.undo = checkpoints_.size();
      budget_.make_room(checkpoints_, explorer_.bytes());
      checkpoints_.insert(checkpoints_.end(), state_.cbegin(), end_of(state_));
      break;
    case Undo::Replay:  // what the discipline keeps with a state is not executed, so it is copied
      top.undo = checkpoints_.size();
      budget_.make_room(checkpoints_, explorer_.bytes());
      checkpoints_.insert(checkpoints_.end(), state_.cbegin() + step_end(), end_of(state_));
      break;
    case Undo::Reverse:
      top.undo = log_.size();
      budget_.make_room(log_, explorer_.bytes());
      for (std::size_t i = 0; i < explorer_.bytes(); ++i)
        if (state_[i] != reached[i]) log_.push_back({static_cast<std::uint32_t>(i), state_[i]});
      break;
  }
  std::copy_n(reached, state_.size(), state_.begin());
}

void Stateless::go_back(const Frame& top) {
  switch (options_.undo.value_or(Undo::Checkpoint)) {
    case Undo::Checkpoint:
      std::copy_n(checkpoints_.begin() + static_cast<std::ptrdiff_t>(top.undo), explorer_.bytes(),
                  state_.begin());
      checkpoints_.resize(top.undo);
      break;
    case Undo::Replay:
      std::copy(initial_.begin(), initial_.end(), state_.begin());
      for (const Frame& frame : frames_) {
        if (&frame == &top) break;
        record_.clear();
        explorer_.step().execute(state_.data(), actions_[frame.next - 1], record_);
      }
      std::copy(checkpoints_.begin() + static_cast<std::ptrdiff_t>(top.undo), checkpoints_.end(),
                state_.begin() + step_end());
      checkpoints_.resize(top.undo);
      break;
    case Undo::Reverse:
      while (log_.size() > top.undo) {
        state_[log_.back().offset] = log_.back().old;
        log_.pop_back();
      }
      break;
  }
}

Path Stateless::path() const {
  Path result;
  for (const Frame& frame : frames_)
    if (frame.next > frame.begin) result.push_back(actions_[frame.next - 1]);
  return result;
}

Statistics Stateless::statistics() const {
  Statistics result = Search::statistics();
  result.reduction = reducer_.statistics();
  result.executions = executions_;
  result.blocked_executions = blocked_executions_;
  result.is_cyclic = is_cyclic_;
  return result;
}

std::uint64_t Stateless::memory() const {
  return frames_.capacity() * sizeof(Frame) + actions_.capacity() * sizeof(ir::Action) +
         explored_.capacity() * sizeof(Sleeper) + checkpoints_.capacity() +
         log_.capacity() * sizeof(Change) + reducer_.memory();
}

}  // namespace cml::checker
