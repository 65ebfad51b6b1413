#include "checker/search/stateless.h"

#include <algorithm>
#include <new>
#include <optional>

#include "checker/search/make_reduction.h"
#include "checker/store/state_set.h"

namespace cml::checker {

Stateless::Stateless(const SearchInput& input)
    : Search(input), reduction_(make_reduction(input, budget_)) {}

void Stateless::run() {
  explorer_.start();
  explorer_.swap();
  initial_.assign(explorer_.state(), explorer_.state() + explorer_.stride());
  if (limits_.stopped()) return;
  push({});
  while (!frames_.empty() && !limits_.stopped()) {
    if (const std::optional<ir::Action> action = reduction_->next(frames_.size() - 1)) {
      step(*action);
    } else {
      pop();
    }
  }
  if (!limits_.complete()) look_for_cycle();
}

// No state is kept, so the path to where the search ended is executed once more.
void Stateless::look_for_cycle() {
  if (is_cyclic_ || frames_.empty()) return;
  try {
    StateSet seen(explorer_.step_bytes(), budget_);
    std::vector<std::uint8_t> state = initial_;
    is_cyclic_ = !seen.find_or_put(state.data()).is_new;
    for (const ir::Action action : path()) {
      record_.clear();
      explorer_.step().execute(state.data(), action, record_);
      is_cyclic_ = is_cyclic_ || !seen.find_or_put(state.data()).is_new;
    }
  } catch (const std::bad_alloc&) {
    // Not enough memory for that.
  }
}

void Stateless::push(ir::ThreadId moved) {
  budget_.make_room(frames_, 1);
  frames_.emplace_back();
  ++nodes_;
  const Depth depth = frames_.size() - 1;
  limits_.reached_depth(depth);
  const std::span<const ir::Action> enabled = explorer_.enabled_in_new(moved);
  reduction_->entered(depth, {explorer_.state(), std::nullopt}, enabled);
  if (enabled.empty()) ++executions_;
  if (reduction_->is_blocked(depth)) ++blocked_executions_;
}

void Stateless::pop() {
  reduction_->left(frames_.size() - 1);
  frames_.pop_back();
  if (!frames_.empty()) go_back(frames_.back());
}

void Stateless::step(ir::Action action) {
  if (nodes_ >= options_.limits.max_states) return limits_.end_at_states();
  Frame& top = frames_.back();
  top.taken = action;
  explorer_.fire(action);
  reduction_->executed(frames_.size() - 1, action, explorer_.transition());
  explorer_.check_divergence(explorer_.reached(), action);
  if (frames_.size() > options_.limits.max_depth) {
    look_for_cycle();
    return limits_.leave_out("max-depth");
  }
  advance(top);
  push(action.thread);
}

void Stateless::advance(Frame& top) {
  const std::uint8_t* const state = explorer_.state();
  const std::uint8_t* const reached = explorer_.reached();
  switch (options_.undo.value_or(Undo::Checkpoint)) {
    case Undo::Checkpoint:
      keep(top, state);
      break;
    case Undo::Replay:  // what the discipline stores with a state is not replayed, so it is copied
      keep(top, state + explorer_.step_bytes());
      break;
    case Undo::Reverse:
      top.undo = log_.size();
      budget_.make_room(log_, explorer_.bytes());
      for (std::size_t i = 0; i < explorer_.bytes(); ++i)
        if (state[i] != reached[i]) log_.push_back({static_cast<std::uint32_t>(i), state[i]});
      break;
  }
  explorer_.swap();
}

void Stateless::keep(Frame& top, const std::uint8_t* from) {
  const std::uint8_t* const end = explorer_.state() + explorer_.bytes();
  top.undo = checkpoints_.size();
  budget_.make_room(checkpoints_, explorer_.bytes());
  checkpoints_.insert(checkpoints_.end(), from, end);
}

void Stateless::go_back(const Frame& top) {
  std::uint8_t* const state = explorer_.state();
  const auto take_kept = [&](std::uint8_t* to) {
    std::copy(checkpoints_.begin() + static_cast<std::ptrdiff_t>(top.undo), checkpoints_.end(), to);
    checkpoints_.resize(top.undo);
  };
  switch (options_.undo.value_or(Undo::Checkpoint)) {
    case Undo::Checkpoint:
      take_kept(state);
      break;
    case Undo::Replay:
      std::copy(initial_.begin(), initial_.end(), state);
      for (const Frame& frame : frames_) {
        if (&frame == &top) break;
        record_.clear();
        explorer_.step().execute(state, frame.taken, record_);
      }
      take_kept(state + explorer_.step_bytes());
      break;
    case Undo::Reverse:
      while (log_.size() > top.undo) {
        state[log_.back().offset] = log_.back().old;
        log_.pop_back();
      }
      break;
  }
}

Path Stateless::path() const {
  Path result;
  for (const Frame& frame : frames_)
    if (frame.taken.thread.valid()) result.push_back(frame.taken);
  return result;
}

Statistics Stateless::statistics() const {
  Statistics result = Search::statistics();
  result.reduction = reduction_->statistics();
  result.executions = executions_;
  result.blocked_executions = blocked_executions_;
  result.is_cyclic = is_cyclic_;
  return result;
}

std::uint64_t Stateless::memory() const {
  return frames_.capacity() * sizeof(Frame) + checkpoints_.capacity() +
         log_.capacity() * sizeof(Change) + reduction_->memory();
}

}  // namespace cml::checker
