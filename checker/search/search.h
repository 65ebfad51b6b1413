// The searches: depth-first and breadth-first with a store, depth-first without one. What they
// share stands here; each order has a file of its own.
//
//        before ──actions──▶ all ──choose──▶ taken       the reducer leaves some out
//          │                                   │
//          └────────────── fire ◀──────────────┘
//                            │  execute, show to the monitors
//                            ▼
//                          after ──▶ store: new? then it is expanded in its turn
//
// A search owns what it needs to go on (store, stack or queue) and can say at any time how it came
// to where it is (PathSource), which the monitors ask for when they find something.
//
// Where a reduction leaves a single transition to take from a state, the state has one successor:
// it is passed through and not stored, and what is taken from it joins the transition before
// (`pass_through`). Everything is shown to the monitors all the same. So that no cycle goes without
// a stored state, a chain of such transitions has a greatest length.
//
// Where transitions are micro-transitions, a thread that turns for ever without a visible operation
// is a cycle of the graph. A full search sees it when a cycle closes: then the thread is run alone,
// to see whether it comes back. A reduced search need not close the cycle, so it looks after every
// step of a thread that may turn.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checker/context.h"
#include "checker/memory_budget.h"
#include "checker/monitor/monitors.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/reduction/reducer.h"
#include "checker/store/state_set.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"
#include "support/buffer.h"

namespace cml::checker {

class Search : public PathSource {
 public:
  Search(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors, const Options& options,
         const Context& context);

  virtual void run() = 0;

  /// run() ended because an allocation failed.
  void run_out_of_memory() { end_at("max-memory"); }
  /// run() ended at another limit, in the middle of what it did.
  void end_at(const char* name) {
    limit(name);
    ended_early_ = true;
  }
  [[nodiscard]] bool complete() const { return limits_.empty() && !ended_early_; }
  [[nodiscard]] Statistics statistics() const;

 protected:
  /// before_ is the state to look at, work_ the one that was reached; both are followed by what the
  /// discipline stores, which counts, and by bytes up to the next ir::stride(), which do not.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t stride() const { return before_.size(); }
  /// Executes the beginnings of the threads; the initial state is in work_.
  void start();
  /// All actions of before_, in all_.
  void expand();
  /// A new state, to which this thread's transition led (invalid: the initial one), is shown to the
  /// monitors, too.
  void expand_new(ir::ThreadId moved);
  /// Goes on from work_ while there is one transition to take, to a state that is worth storing.
  /// What was taken is appended to `chain`, which path() must know. `moved`: the thread whose
  /// transition led to work_. Returns the one that did in the end.
  ir::ThreadId pass_through(ir::ThreadId moved, std::vector<ir::Action>& chain);
  [[nodiscard]] bool passes_through() const {
    return options_.reduction.sets != Sets::None && !options_.reduction.sleep;
  }
  /// Whether the state in work_ was visited before.
  [[nodiscard]] virtual bool known() const = 0;
  /// Fires some of these actions of before_, at least one, without reducing anything: the i-th
  /// leads to `successors` + i × stride(). Says how many.
  std::size_t fire(std::span<const ir::Action> actions, std::uint8_t* successors) {
    return step_.successors(before_.data(), stride(), actions, successors, record_);
  }
  /// Shows to the monitors what was fired; `is_last`: of its call of fire().
  void show(std::uint8_t* successor, bool is_last) {
    ++transitions_;
    if (is_last) {
      monitors_.transition(before_.data(), record_, successor, successor + step_bytes_, *this);
    } else {
      monitors_.silent(successor, successor + step_bytes_, *this);
    }
  }
  /// Transitions that told nothing must be shown, too.
  [[nodiscard]] bool shows_all() const { return monitors_.looks_at_unobserved(); }
  /// Transitions that were executed and need not be shown.
  void count(std::size_t transitions) { transitions_ += transitions; }
  struct Fired {
    SleepId sleep = SleepSets::empty();  // of the state that was reached
    SummaryId executed;                  // where anybody sleeps
    bool stops = false;                  // the thread stopped
  };
  /// Fires an action of before_, which sleeps `sleep` and from which `explored` was explored before;
  /// what was explored of the action's own thread need not be in it, as it sleeps nowhere.
  Fired explore(ir::Action action, SleepId sleep, std::span<const Sleeper> explored);

  /// What explore() fired led to a state that was visited before.
  void matched(const std::uint8_t* state, ir::ThreadId thread) {
    if (may_close_divergence()) check_divergence(state, thread);
  }
  [[nodiscard]] bool may_close_divergence() const { return sees_cycles_ && any_may_diverge_; }

  [[nodiscard]] bool stopped();
  static constexpr std::size_t kMaxChain = 256;  // of pass_through()
  void limit(const char* name);
  /// As many states as are allowed have been found, and there is one more: the search ends.
  void full();
  void went(std::uint64_t depth) {
    depth_ = depth;
    if (depth > max_depth_) max_depth_ = depth;
  }

  [[nodiscard]] virtual std::uint64_t states() const = 0;
  [[nodiscard]] virtual std::uint64_t waiting() const = 0;
  [[nodiscard]] virtual std::uint64_t own_memory() const = 0;

  ir::Step& step_;
  Monitors& monitors_;
  const Options& options_;
  const Context& context_;
  MemoryBudget budget_;
  Reducer reducer_;
  std::size_t step_bytes_;
  std::size_t bytes_;
  bool any_may_diverge_ = false;
  bool sees_cycles_;  // every cycle is closed at a state that was visited
  std::vector<std::uint8_t> before_;
  std::vector<std::uint8_t> work_;
  Buffer<ir::Action> all_;
  std::vector<ir::Action> single_;
  ir::Record record_;
  bool is_cyclic_ = false;  // told only by a search without a store
  std::uint64_t executions_ = 0;
  std::uint64_t blocked_executions_ = 0;

 private:
  /// From before_ to work_.
  void fire(ir::Action action);
  /// The thread has just come to this state.
  void check_divergence(const std::uint8_t* state, ir::ThreadId thread) {
    const ir::Location at = location(step_.layout(), state, thread);
    if (may_diverge_.at(thread, at) != 0) run_alone(state, thread);
  }
  void run_alone(const std::uint8_t* state, ir::ThreadId thread);
  void tell_progress();
  [[nodiscard]] bool has_too_much_memory(double seconds);
  [[nodiscard]] std::uint64_t memory() const { return own_memory() + reducer_.memory(); }

  ir::ByLocation<std::uint8_t> may_diverge_;  // where that must be found while searching
  std::vector<std::uint8_t> alone_;
  std::vector<std::string> limits_;
  bool ended_early_ = false;
  std::uint64_t transitions_ = 0;
  std::uint64_t depth_ = 0;
  std::uint64_t max_depth_ = 0;
  std::uint64_t ticks_ = 0;  // transitions, or batches of them
  std::uint64_t next_look_ = 1;
  std::uint64_t ticks_between_looks_ = 1;
  double looked_ = 0;  // seconds from the start
  double measured_ = -1;
  std::uint64_t most_states_;  // that have numbers
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point told_;
};

[[nodiscard]] std::unique_ptr<Search> make_search(ir::Step& step, const ir::Analyses& analyses,
                                                  Monitors& monitors, const Options& options,
                                                  const Context& context);

}  // namespace cml::checker
