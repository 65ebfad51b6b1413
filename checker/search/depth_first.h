// Depth-first search with a store.
//
//   frames   │ state 0 │ state 4 │ state 5 │          the present path
//   actions  │ e e̲ e   │ e̲       │ e e̲     │          of each frame; e̲ is being explored
//   summary  │ s s -   │ s       │ s s     │          what those already explored did (sleep sets)
//
// Against ignoring (checker.md §6, trap 1): a state from which the reducer left something out is
// expanded fully, unless at least one transition taken from it leads to a state that is not on the
// stack. So on every cycle of what is explored some state is expanded fully. Sleeping transitions
// are not taken, so they do not count.
//
// A state reached again with a smaller sleep set gets a second frame, for what slept the first time
// and does not now.
#pragma once

#include <vector>

#include "checker/search/search.h"
#include "support/log.h"

namespace cml::checker {

class DepthFirst final : public Search {
 public:
  DepthFirst(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
             const Options& options, const Context& context);

  void run() override;
  [[nodiscard]] Path path() const override;

 private:
  struct Frame {
    StateNumber state = 0;
    SleepId sleep;
    std::size_t begin = 0;  // of its actions
    std::size_t next = 0;   // the action to fire
    std::size_t end = 0;
    std::size_t of_thread = 0;  // the first of those of the thread that goes
    std::size_t chain = 0;      // what followed the action being explored begins here in chain_
    bool is_reduced = false;    // actions were left out that do not sleep
    bool progress = false;      // a transition led to a state that is not on the stack
    bool stop = false;          // a transition stopped its thread
  };

  void load(StateNumber state);
  void push_new(StateNumber state, ir::ThreadId moved, SleepId sleep);
  /// For a state that was visited before: explores `again`, which slept until now.
  void push_again(StateNumber state, SleepId sleep, SleepId again);
  void pop();
  void step(Frame& top);
  void take_the_rest(Frame& top);
  /// As long as the actions.
  void extend_explored();
  [[nodiscard]] bool known() const override { return store_.contains(work_.data()); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return frames_.size(); }
  [[nodiscard]] std::uint64_t own_memory() const override;

  StateSet store_;
  Log<Frame> frames_;
  std::vector<ir::Action> actions_;  // of the frames, one after the other
  std::vector<ir::Action> chain_;    // of the frames, one after the other
  std::vector<Sleeper> explored_;    // likewise, up to `next` of each frame, where anybody sleeps
  Log<SleepId> stored_sleep_;        // by state, where anybody sleeps
  Log<std::uint32_t> on_stack_;      // by state: how many frames it has
};

}  // namespace cml::checker
