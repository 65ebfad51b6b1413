#include "checker/search/stateless.h"

#include <algorithm>
#include <new>

namespace cml::checker {

Stateless::Stateless(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
                     const Options& options, const Context& context)
    : Search(step, analyses, monitors, options, context) {}

void Stateless::run() {
  start();
  state_ = work_;
  initial_ = work_;
  if (stopped()) return;
  push({}, SleepSets::empty());
  while (!frames_.empty() && !stopped()) {
    Frame& top = frames_.back();
    if (top.next < top.end) {
      step(top);
    } else if (top.is_reduced && top.stop) {
      take_the_rest(top);
    } else {
      pop();
    }
  }
  if (!complete()) look_for_cycle();
}

// No state is kept, so the way to where the search ended is gone once more.
void Stateless::look_for_cycle() {
  if (is_cyclic_ || frames_.empty()) return;
  try {
    StateSet seen(step_bytes_, budget_);
    std::vector<std::uint8_t> state = initial_;
    is_cyclic_ = !seen.insert(state.data()).is_new;
    for (const ir::Action action : path()) {
      record_.clear();
      step_.execute(state.data(), action, record_);
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
  went(frames_.size() - 1);
  before_ = state_;
  expand_new(moved);
  Frame& top = frames_.back();
  budget_.make_room(actions_, all_.size());
  const Reducer::Choice choice = reducer_.choose(before_.data(), all_, sleep, actions_);
  top.is_reduced = choice.leaves_some;
  top.stop = choice.stop;
  top.end = actions_.size();
  explored_.resize(actions_.size());
  if (all_.empty()) {
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
  if (nodes_ >= options_.limits.max_states) return full();
  const std::size_t fired = top.next++;
  const ir::Action action = actions_[fired];
  if (fired == top.begin || actions_[fired - 1].thread != action.thread) top.of_thread = fired;
  before_ = state_;
  const Fired step =
      explore(action, top.sleep, {explored_.data() + top.begin, top.of_thread - top.begin});
  explored_[fired] = {action, step.executed};
  top.stop = top.stop || step.stops;
  if (frames_.size() > options_.limits.max_depth) {
    look_for_cycle();
    return limit("max-depth");
  }
  advance(top);
  push(action.thread, step.sleep);
}

void Stateless::take_the_rest(Frame& top) {
  ++reducer_.statistics().full_by_stop;
  top.is_reduced = false;
  before_ = state_;
  expand();
  const std::vector<ir::Action> taken(actions_.begin() + static_cast<std::ptrdiff_t>(top.begin),
                                      actions_.end());
  reducer_.rest(all_, taken, top.sleep, actions_);
  top.end = actions_.size();
  explored_.resize(actions_.size());
}

void Stateless::advance(Frame& top) {
  switch (options_.undo.value_or(Undo::Checkpoint)) {
    case Undo::Checkpoint:
      top.undo = checkpoints_.size();
      budget_.make_room(checkpoints_, bytes());
      checkpoints_.insert(checkpoints_.end(), state_.cbegin(), end_of(state_));
      break;
    case Undo::Replay:  // what the discipline keeps with a state is not executed, so it is copied
      top.undo = checkpoints_.size();
      budget_.make_room(checkpoints_, bytes());
      checkpoints_.insert(checkpoints_.end(), state_.cbegin() + step_end(), end_of(state_));
      break;
    case Undo::Reverse:
      top.undo = log_.size();
      budget_.make_room(log_, bytes());
      for (std::size_t i = 0; i < bytes(); ++i)
        if (state_[i] != work_[i]) log_.push_back({static_cast<std::uint32_t>(i), state_[i]});
      break;
  }
  std::copy(work_.begin(), work_.end(), state_.begin());
}

void Stateless::go_back(const Frame& top) {
  switch (options_.undo.value_or(Undo::Checkpoint)) {
    case Undo::Checkpoint:
      std::copy_n(checkpoints_.begin() + static_cast<std::ptrdiff_t>(top.undo), bytes(),
                  state_.begin());
      checkpoints_.resize(top.undo);
      break;
    case Undo::Replay:
      std::copy(initial_.begin(), initial_.end(), state_.begin());
      for (const Frame& frame : frames_) {
        if (&frame == &top) break;
        record_.clear();
        step_.execute(state_.data(), actions_[frame.next - 1], record_);
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

std::uint64_t Stateless::own_memory() const {
  return frames_.capacity() * sizeof(Frame) + actions_.capacity() * sizeof(ir::Action) +
         explored_.capacity() * sizeof(Sleeper) + checkpoints_.capacity() +
         log_.capacity() * sizeof(Change);
}

}  // namespace cml::checker
