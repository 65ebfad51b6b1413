// Depth-first search with a store.
//
//   frames   │ state 0 │ state 4 │ state 5 │          the present path
//   actions  │ e e̲ e   │ e̲       │ e e̲     │          of each frame; e̲ is being explored
//   summary  │ s s -   │ s       │ s s     │          what those already explored did (sleep sets)
//
// Against ignoring (docs/reductions.md): a state from which the reducer left something out is
// expanded fully, unless at least one transition taken from it leads to a state that is not on the
// stack. So on every cycle of what is explored some state is expanded fully. Sleeping transitions
// are not taken, so they do not count.
//
// A state reached again with a smaller sleep set gets a second frame, for what slept the first time
// and does not now.
#pragma once

#include <vector>

#include "checker/reduction/reducer.h"
#include "checker/search/search.h"
#include "checker/store/state_set.h"
#include "support/log.h"

namespace cml::checker {

class DepthFirst final : public Search {
 public:
  explicit DepthFirst(const SearchInput& input);

  void run() override;
  [[nodiscard]] Path path() const override;
  [[nodiscard]] Statistics statistics() const override;

  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return frames_.size(); }
  [[nodiscard]] std::uint64_t memory() const override;
  [[nodiscard]] std::uint64_t numbers() const override { return reducer_.numbers(); }

 private:
  static constexpr std::size_t kMaxChain = 256;
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
  /// Where a set has a single action, the state is passed through, as in reduced.h: goes on from the
  /// state that was reached to one that is worth storing. What was taken is appended to chain_.
  /// Returns the thread whose transition led there.
  ir::ThreadId pass_through(ir::ThreadId moved);
  [[nodiscard]] bool passes_through() const {
    return options_.reduction.sets != Sets::None && !options_.reduction.sleep;
  }

  Reducer reducer_;
  StateSet store_;
  Log<Frame> frames_;
  std::vector<ir::Action> actions_;  // of the frames, one after the other
  std::vector<ir::Action> chain_;    // of the frames, one after the other
  std::vector<ir::Action> single_;
  std::vector<Sleeper> explored_;  // likewise, up to `next` of each frame, where anybody sleeps
  Log<SleepId> stored_sleep_;      // by state, where anybody sleeps
  bool sees_cycles_;               // every cycle is closed at a state that was visited
  Log<std::uint32_t> on_stack_;    // by state: how many frames it has
};

}  // namespace cml::checker
