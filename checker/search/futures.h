// Futures: what the threads may still do from a state on, found by exploring forward from it.
//
//   reaches   t changes an object, or ends, in some state that can be reached (or what else the
//             goal is); or it needs not: it is a daemon, has ended or stopped
//   moves     t executes a transition in some state that can be reached
//   spins     t does so in a component of the graph that is never left
//
// Tarjan's algorithm, in which the three sets of threads of a strongly connected component are the
// unions over its states and what lies behind. It ends as soon as every thread is known to reach
// its goal from the state that was asked for: mostly after a few transitions. Only where some
// thread does not, all that can be reached is explored, and the sets are exact.
//
// Where the search uses sets of the actions, so does this, with a proviso like that of
// breadth-first search (reduced.h): a state is expanded fully unless one of its successors has a
// greater number. Why that keeps what each thread may do is in docs/reductions.md, "Lost threads".
// A wakeup that nobody caused is no transition here.
//
// Executes in the reference interpreter, whose records are complete. Keeps its states in a store of
// its own. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/options.h"
#include "checker/reduction/reducer.h"
#include "checker/search/object_changes.h"
#include "checker/store/heap_codec.h"
#include "checker/store/state_set.h"
#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/interpreter.h"
#include "support/buffer.h"
#include "support/log.h"
#include "support/stop_token.h"

namespace cml::checker {

class Futures {
 public:
  enum class Goal : std::uint8_t {
    Change,  // an object, or to end
    End,     // where the code can end at all
  };
  /// Whether all threads are known to reach their goals from a working state.
  using IsFull = std::function<bool(const std::uint8_t* state)>;

  /// All must outlive it; `candidates` may be null.
  Futures(ir::Interpreter& step, const ir::Analyses& analyses, const Options& options, Goal goal,
          const CandidateLocks* candidates, const StopToken& stop, IsFull is_full);

  /// Explores from a state. True: all threads reach their goals from there. Else its sets are
  /// known, and those of all states that can be reached. Where there are more than `most` states
  /// in all it gives up, and is of no use any more.
  [[nodiscard]] bool explore(const std::uint8_t* state, std::uint64_t most = UINT64_MAX);

  // States have numbers of their own here.
  [[nodiscard]] StateNumber number(const std::uint8_t* state);
  void load(StateNumber state, std::uint8_t* working) const { set_.copy(state, working); }
  [[nodiscard]] std::uint64_t size() const { return set_.size(); }
  /// The sets of the state are known, and some thread does not reach its goal.
  [[nodiscard]] bool is_known(StateNumber state) const { return nodes_[state].is_known; }
  [[nodiscard]] bool reaches(StateNumber state, ir::ThreadId thread) const {
    return has(state, kReaches, thread);
  }
  [[nodiscard]] bool moves(StateNumber state, ir::ThreadId thread) const {
    return has(state, kMoves, thread);
  }
  [[nodiscard]] bool spins(StateNumber state, ir::ThreadId thread) const {
    return has(state, kSpins, thread);
  }
  /// The component of a state; and whether it is never left.
  [[nodiscard]] std::uint32_t component(StateNumber state) const { return nodes_[state].component; }
  [[nodiscard]] bool is_bottom(StateNumber state) const {
    return is_bottom_[nodes_[state].component] != 0;
  }

  struct Successor {
    ir::Action action;
    StateNumber state = kNone;
    bool reaches = false;          // the goal of its thread
    bool partner_reaches = false;  // the goal of the other one that it moves
    bool stops = false;            // some thread has stopped there
  };
  static constexpr StateNumber kNone = UINT32_MAX;  // one from which all reach their goals
  /// The transitions that are explored from a state.
  [[nodiscard]] const std::vector<Successor>& successors(StateNumber state);

 private:
  static constexpr std::size_t kReaches = 0;
  static constexpr std::size_t kMoves = 1;
  static constexpr std::size_t kSpins = 2;
  static constexpr std::size_t kSets = 3;

  struct Node {
    std::uint32_t order = 0;  // in which states are come to; 0: not yet
    std::uint32_t least = 0;  // that is reached, as in Tarjan's algorithm
    std::uint32_t component = 0;
    bool is_known = false;
    bool is_full = false;
    bool leaves = false;  // its component, by a transition
  };
  struct Frame {
    StateNumber state = 0;
    std::size_t next = 0;  // of its successors
    std::size_t end = 0;
  };

  [[nodiscard]] std::uint64_t& word(StateNumber state, std::size_t set, std::size_t word) {
    return sets_[(std::uint64_t{state} * kSets + set) * words_ + word];
  }
  [[nodiscard]] bool has(StateNumber state, std::size_t set, ir::ThreadId thread) const {
    const std::uint64_t at = (std::uint64_t{state} * kSets + set) * words_ + thread.index / 64;
    return (sets_[at] >> (thread.index % 64) & 1) != 0;
  }
  void insert(StateNumber state, std::size_t set, ir::ThreadId thread) {
    word(state, set, thread.index / 64) |= std::uint64_t{1} << (thread.index % 64);
  }
  void unite(StateNumber state, StateNumber with);
  [[nodiscard]] bool needs_nothing(const std::uint8_t* state, ir::ThreadId thread) const;
  void enter(StateNumber state);
  void leave();
  void finish_component(StateNumber first);
  void give_up();
  void fire(std::span<const ir::Action> actions);
  [[nodiscard]] bool is_total_full() const { return total_ == all_; }
  /// Whether the action is a wakeup that nobody caused.
  [[nodiscard]] bool is_spurious(ir::Action action) const;

  ir::Interpreter& step_;
  Options options_;
  Goal goal_;
  const StopToken& stop_;
  IsFull is_full_;
  MemoryBudget budget_;
  Reducer reducer_;
  ObjectChanges changes_;
  std::optional<HeapCodec> codec_;
  StateSet set_;
  std::vector<std::uint8_t> stored_;
  std::size_t words_;  // of a set of threads
  std::vector<std::uint64_t> all_;
  Log<Node> nodes_;
  Log<std::uint64_t> sets_;
  Log<std::uint8_t> is_bottom_;  // by component
  ir::ByLocation<std::uint8_t> can_end_;
  std::vector<bool> may_never_end_;  // by thread
  // The exploration.
  std::uint32_t order_ = 0;
  std::vector<std::uint64_t> total_;  // who is known to reach its goal from where it began
  std::vector<Frame> frames_;
  std::vector<Successor> pending_;       // of the frames
  std::vector<StateNumber> unfinished_;  // whose component is not complete
  // Of successors().
  std::vector<Successor> successors_;
  bool makes_progress_ = false;
  bool stops_ = false;
  StateNumber now_ = 0;
  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> next_;
  Buffer<ir::Action> actions_;
  Buffer<ir::Action> taken_;
  ir::Record record_;
};

/// By location: whether the thread's code can end from there, conditions not evaluated.
[[nodiscard]] ir::ByLocation<std::uint8_t> can_end(const ir::System& system);
/// Whether the thread can go on for ever by code from which it can end.
[[nodiscard]] bool may_never_end(const ir::System& system, ir::ThreadId thread);

}  // namespace cml::checker
