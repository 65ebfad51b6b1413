// Persistent or stubborn sets, sleep sets, or both, for a depth-first search.
//
//   frames    │ state 0   │ state 4 │ state 5 │     the present path
//   actions   │ a a̲ a│a a │ a̲       │ a a̲│a   │     of each frame: to explore │ left out;
//   explored  │ s s       │ s       │ s s     │     a̲ is being explored; summaries of the others
//
// Against ignoring (docs/reductions.md): a state from which a set left something out is expanded
// fully, unless at least one transition taken from it leads to a state that is not on the stack. So
// on every cycle of what is explored some state is expanded fully. Sleeping transitions are not
// taken, so they do not count. Without stored states no cycle is closed, and nothing is ignored: an
// endless execution ends at the depth limit.
//
// A state reached again with a smaller sleep set gets a second frame, for what slept the first time
// and does not now.
#pragma once

#include <vector>

#include "checker/memory_budget.h"
#include "checker/reduction/reducer.h"
#include "checker/reduction/reduction.h"
#include "checker/reduction/thread_order.h"
#include "checker/store/column.h"
#include "support/buffer.h"
#include "support/log.h"

namespace cml::checker {

class StaticReduction final : public Reduction {
 public:
  /// All must outlive it; `candidates` and `commuting` may be null.
  StaticReduction(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                  const MemoryBudget& budget, const CandidateLocks* candidates,
                  const std::vector<ProvedCommutes>* commuting);

  void entered(Depth depth, const StateView& state, std::span<const ir::Action> enabled) override;
  [[nodiscard]] std::optional<ir::Action> next(Depth depth) override;
  void executed(Depth depth, ir::Action action, const Transition& transition) override;
  void stored(StateNumber state) override;
  [[nodiscard]] bool matched(Depth depth, StateNumber state) override;
  void left(Depth depth) override;
  // Where somebody sleeps, each state has a sleep set of its own, so it is stored.
  [[nodiscard]] bool passes_through() const override {
    return reducer_.chooses() && !reducer_.sleeps();
  }
  [[nodiscard]] std::optional<ir::Action> only(const StateView& state,
                                               std::span<const ir::Action> enabled) override;
  [[nodiscard]] bool must_stop(const Transition& transition, ir::Action action) override;

  [[nodiscard]] bool is_blocked(Depth depth) const override;
  [[nodiscard]] ReductionStatistics statistics() const override { return reducer_.statistics(); }
  [[nodiscard]] std::uint64_t memory() const override;
  [[nodiscard]] std::uint64_t numbers() const override { return reducer_.numbers(); }

 private:
  struct Frame {
    std::optional<StateNumber> state;
    SleepId sleep;
    std::size_t begin = 0;      // of its actions
    std::size_t next = 0;       // the action to take
    std::size_t end = 0;        // of those to take
    std::size_t left_out = 0;   // the end of those that were left out and do not sleep
    std::size_t of_thread = 0;  // the first of those of the thread that goes
    bool any_enabled = false;
    bool progress = false;  // a transition led to a state that is not on the stack
    bool stops = false;     // a transition stopped its thread
  };

  void enter_new(Frame& frame, const StateView& state, std::span<const ir::Action> enabled);
  void push(const Frame& frame);

  Reducer reducer_;
  ThreadOrder order_;
  const MemoryBudget& budget_;
  Log<Frame> frames_;
  Buffer<ir::Action> actions_;     // of the frames, one after the other
  std::vector<Sleeper> explored_;  // likewise, where anybody sleeps
  Buffer<ir::Action> scratch_;
  SleepId arriving_ = SleepSets::empty();  // of the state that executed() has led to
  SleepId again_ = SleepSets::empty();     // what matched() wants to be explored now
  bool is_only_of_more_ = false;           // only() has left something out
  /// Threads that are lost can be reported there, and not behind it.
  bool keeps_last_before_stop_;
  Column<SleepId> stored_sleep_;    // where anybody sleeps
  Column<std::uint32_t> on_stack_;  // how many frames a state has
};

}  // namespace cml::checker
