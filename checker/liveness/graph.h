// The graph of all states at granularity `access`, nothing left out, with its edges: what
// properties of executions are decided on.
//
//   state    0          1     2          as they were found, breadth-first
//   edges    0 1 2      3     4 5        of each state, consecutive: to which state, by whom
//
// An execution that cannot go on stays in its last state for ever: there the state has an edge to
// itself, by nobody. A wakeup that nobody caused is an edge, but makes no thread enabled, since
// fairness asks nobody for it. Executions in which a thread has stopped, by an `assume` that is
// false, are none: such states have no edges.
//
// Executes what is found beside an `ir::Step` that it is given, which may be native code. Memory:
// that of the states, and six bytes for an edge. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/liveness/limits.h"
#include "checker/memory_budget.h"
#include "checker/monitor/limit_monitor.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/store/heap_codec.h"
#include "checker/store/state_number.h"
#include "checker/store/state_set.h"
#include "ir/exec/step.h"
#include "support/log.h"
#include "support/stop_token.h"

namespace cml::checker {

class LivenessGraph {
 public:
  struct Edge {
    StateNumber to = 0;
    ir::ThreadId thread;       // invalid: nobody's, the execution has ended
    bool is_spurious = false;  // a wakeup that nobody caused
    std::uint32_t number = 0;  // among those of its state
  };

  /// `step`: every micro-transition is a transition. All must outlive it.
  LivenessGraph(ir::Step& step, const Options& options, const StopToken& stop);

  /// Explores. False: at a limit, which has been noted.
  [[nodiscard]] bool explore(LivenessLimits& limits);

  [[nodiscard]] StateNumber size() const { return static_cast<StateNumber>(set_.size()); }
  [[nodiscard]] std::uint64_t edges() const { return targets_.size(); }
  [[nodiscard]] std::uint64_t memory() const {
    return set_.memory() + targets_.memory() + threads_.memory() + first_.memory();
  }
  void load(StateNumber state, std::uint8_t* working);

  /// Calls `look(Edge)` for the edges of a state, until it returns true.
  template <class Look>
  void for_each_edge(StateNumber state, Look&& look) const {
    const std::uint64_t begin = first_[state];
    const std::uint64_t end = first_[std::uint64_t{state} + 1];
    for (std::uint64_t at = begin; at < end; ++at) {
      const std::uint16_t by = threads_[at];
      Edge edge;
      edge.to = targets_[at];
      if (by != kNobody) edge.thread = ir::ThreadId(by & ~kSpurious);
      edge.is_spurious = by != kNobody && (by & kSpurious) != 0;
      edge.number = static_cast<std::uint32_t>(at - begin);
      if (look(edge)) return;
    }
  }
  /// The shortest path to a state.
  [[nodiscard]] Path path_to(StateNumber state);
  /// What is executed along an edge; nothing where nobody moves.
  [[nodiscard]] std::optional<ir::Action> action(StateNumber state, const Edge& edge);

 private:
  static constexpr std::uint16_t kSpurious = 0x8000;
  static constexpr std::uint16_t kNobody = 0xffff;

  [[nodiscard]] StateNumber number(const std::uint8_t* state);
  void find_actions(const std::uint8_t* state);
  void expand(StateNumber state, LivenessLimits& limits);

  ir::Step& step_;
  const Options& options_;
  const StopToken& stop_;
  MemoryBudget budget_;
  std::optional<HeapCodec> codec_;
  StateSet set_;
  std::vector<std::uint8_t> stored_;
  Log<std::uint64_t> first_;  // edge of each state, and where the last one's end
  Log<StateNumber> targets_;
  Log<std::uint16_t> threads_;
  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> next_;
  Buffer<ir::Action> actions_;
  ir::Record record_;
};

}  // namespace cml::checker
