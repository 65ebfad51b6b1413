// Source sets in a depth-first search with a store (Cirisci, Enea, Farzan, Mutluergil, "A Pragmatic
// Approach to Stateful Partial Order Reduction"): what the two algorithms share.
//
//   frame   actions    │ a a │ b │ c c │ d │     of the state, by thread
//           done       │  •  │ • │     │   │     threads whose transitions have been explored
//           current    │ a b │ b │     │   │     of each of them: itself, and who does something
//                                                in conflict with its transition behind it
//
// From a state in which some thread's next transition is safe (safe_locations.h) that one alone is
// explored. In another state, threads are explored one after the other until there is a set T of
// explored ones such that nobody outside of it was seen to do, behind a transition of T, what
// conflicts with that: the union of `current` over T is T. Then T is persistent, and what was
// explored is a source set. Next comes a thread of some `current`; if one of them is not enabled,
// all that are enabled must be explored.
//
// The paper assumes that executions end, and never in a deadlock. Here
//
//   - a thread that is blocked where an execution ends counts as if it did there what it is about
//     to do (conflict_table.h says what it may do);
//   - what lies behind a state on a cycle is known only when the search leaves the component of the
//     graph (Tarjan's algorithm). A state from which the path can be reached again is expanded
//     fully. So on a cycle all states that explore no safe transition alone are expanded fully, and
//     there is one, as transitions that go back in the code are not safe. The blocked threads of
//     all states on a cycle count as those where executions end.
//
// Why that keeps every trace is in docs/reductions.md, "Source sets with a store".
//
// Rows of LaterActions take the place of the paper's repeated traversals: a number for each state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/options.h"
#include "checker/reduction/dynamic/conflict_table.h"
#include "checker/reduction/dynamic/later_actions.h"
#include "checker/reduction/method_calls.h"
#include "checker/reduction/reduction.h"
#include "checker/reduction/static/safe_locations.h"
#include "checker/reduction/static/static_sets.h"
#include "checker/reduction/stops.h"
#include "checker/reduction/thread_order.h"
#include "checker/store/column.h"
#include "support/buffer.h"
#include "support/log.h"

namespace cml::checker {

class StatefulSource : public Reduction {
 public:
  /// All must outlive it.
  StatefulSource(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                 const MemoryBudget& budget);

  void entered(Depth depth, const StateView& state, std::span<const ir::Action> enabled) final;
  [[nodiscard]] std::optional<ir::Action> next(Depth depth) final;
  void executed(Depth depth, ir::Action action, const Transition& transition) final;
  void stored(StateNumber state) final;
  [[nodiscard]] bool matched(Depth depth, StateNumber state) final;
  void left(Depth depth) final;

  [[nodiscard]] bool passes_through() const final { return true; }
  [[nodiscard]] std::optional<ir::Action> only(const StateView& state,
                                               std::span<const ir::Action> enabled) final;
  [[nodiscard]] bool must_stop(const Transition& transition, ir::Action action) final;

  [[nodiscard]] bool is_blocked(Depth) const final { return false; }
  [[nodiscard]] ReductionStatistics statistics() const final { return statistics_; }
  [[nodiscard]] std::uint64_t memory() const final;
  [[nodiscard]] std::uint64_t numbers() const final {
    return std::max(conflicts_.numbers(), later_.numbers());
  }

 protected:
  using Row = LaterActions::Row;

  struct Frame {
    StateNumber state = 0;
    StateNumber least = 0;       // that can be reached on the path, as in Tarjan's algorithm
    std::size_t begin = 0;       // of its actions
    std::size_t next = 0;        // the action to take
    std::size_t thread_end = 0;  // the end of those of the thread that goes
    std::size_t end = 0;
    std::size_t bytes = 0;     // where the copy of the state begins, if there is one
    std::size_t currents = 0;  // where its `current` begin
    ThreadMask enabled = 0;
    ThreadMask done = 0;
    ir::ThreadId safe;           // the one to explore alone
    ir::ThreadId goes;           // whose transitions are being explored
    SummaryId summary;           // of the last of them
    ThreadMask conflicting = 0;  // who does something in conflict with them
    Row chain;                   // what was passed through behind it
    Row later;                   // what is known to lie behind the state
    bool is_on_cycle = false;    // the path can be reached
    bool stops = false;          // a transition has stopped its thread
    bool is_full = false;        // all must be explored, for another reason

    /// Whether who is in conflict with its transitions decides anything.
    [[nodiscard]] bool looks_for_conflicts() const { return !safe.valid() && !is_full; }
  };

  /// A transition of a thread was executed, or would be if it were not blocked, behind the frames
  /// up to this depth.
  virtual void met(Depth last, ir::ThreadId thread, SummaryId summary) = 0;
  /// The same of all these transitions.
  virtual void met(Depth last, Row row) = 0;
  /// Who does something in conflict with the last transition from a state, behind which `behind` is
  /// all there is.
  [[nodiscard]] virtual ThreadMask in_conflict(const Frame& frame, Row behind) = 0;

  [[nodiscard]] static ThreadMask bit(ir::ThreadId thread) { return ThreadMask{1} << thread.index; }

  ConflictTable conflicts_;
  LaterActions later_;
  std::vector<Frame> frames_;

 private:
  static constexpr std::size_t kMostThreads = 64;  // of which sets are made

  [[nodiscard]] ir::ThreadId safe_thread(const std::uint8_t* state,
                                         std::span<const ir::Action> enabled);
  [[nodiscard]] ThreadMask& current(const Frame& frame, ir::ThreadId thread) {
    return currents_[frame.currents + thread.index];
  }
  /// All transitions of the thread that goes have been explored.
  void finish_thread(Frame& frame);
  /// Whether enough has been explored.
  [[nodiscard]] bool is_complete(const Frame& frame);
  /// Who goes next; there is somebody.
  [[nodiscard]] ir::ThreadId choose(const Frame& frame);
  void begin_thread(Frame& frame, ir::ThreadId thread);
  /// The transition that was executed led to a state behind which this is all there is.
  void arrive(Frame& frame, Row behind);
  /// It led to a state from which the path can be reached; this lies behind it, and more.
  void arrive_on_cycle(Frame& frame, Row behind, StateNumber least);
  void add_blocked(Depth depth);
  void count(const Frame& frame);

  ir::Step& step_;
  const Options& options_;
  const MemoryBudget& budget_;
  MethodCalls no_calls_;
  StaticSets sets_;
  SafeLocations is_safe_;
  Stops stops_;
  ThreadOrder order_;
  std::size_t threads_;
  std::size_t state_bytes_;
  Buffer<ir::Action> actions_;        // of the frames, one after the other
  std::vector<ThreadMask> currents_;  // likewise, by thread
  std::vector<std::uint8_t> copies_;  // of the states in which threads are blocked
  std::vector<StateNumber> open_;     // whose component is not complete
  Column<Row> rows_;                  // what lies behind a state; invalid: not known yet
  bool leaves_some_ = false;          // only() has left something out
  ReductionStatistics statistics_;
};

}  // namespace cml::checker
