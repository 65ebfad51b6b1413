// The searches, each a small file over the same parts:
//
//   Explorer       executes transitions, and shows them to the monitors
//   Reducer        which actions to explore from a state, and which sleep
//   VisitedStates  the visited states (not in a stateless search), and Columns beside them
//   SearchLimits   when to end early
//
//   expansion.h     breadth-first expansion of a state, many successors looked up together
//   full.h          breadth-first, every action of every state
//   reduced.h       breadth-first with persistent or stubborn sets: the default
//   sleeping.h      breadth-first with sleep sets, alone or on top of sets
//   depth_first.h   depth-first with a store
//   stateless.h     depth-first without one
//
// What those with a store leave behind is a StateGraph, in which hang_check.h looks for threads
// that are lost.
//
// A search knows at any time its path to the present state (PathSource), which the monitors ask for
// when they find something.
#pragma once

#include <cstdint>
#include <memory>

#include "checker/context.h"
#include "checker/memory_budget.h"
#include "checker/monitor/monitors.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/proved_commutes.h"
#include "checker/search/explorer.h"
#include "checker/search/search_limits.h"
#include "checker/search/state_graph.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// What a search works with; all must outlive it.
struct SearchInput {
  ir::Step& step;
  const ir::Analyses& analyses;
  Monitors& monitors;
  const Options& options;
  const Context& context;
  const std::vector<ProvedCommutes>* commuting = nullptr;  // null: none
};

/// Candidate locks, for reductions; null: no lock needs to protect anything.
[[nodiscard]] inline const CandidateLocks* candidates(const SearchInput& input) {
  const bool all_need_locks =
      demands_locks(input.options.discipline) ||
      (input.options.discipline == Discipline::Races && !input.monitors.races().any());
  return all_need_locks ? &input.monitors.discipline() : nullptr;
}

class Search : public PathSource, public Measured {
 public:
  explicit Search(const SearchInput& input)
      : options_(input.options),
        budget_(input.options.limits.max_memory),
        explorer_(input.step, input.analyses, input.monitors, input.options, *this),
        limits_(*this, input.step.system().histories.get(), input.monitors, input.options,
                input.context, budget_) {}

  virtual void run() = 0;

  /// Called where run() ended because an allocation failed.
  void run_out_of_memory() { limits_.end_at("max-memory"); }
  /// Called where run() ended at another limit, in the middle of a step.
  void end_at(const char* limit) { limits_.end_at(limit); }
  [[nodiscard]] virtual Statistics statistics() const;
  /// What was searched, when run() has ended; null: nothing was stored.
  [[nodiscard]] virtual StateGraph* graph() { return nullptr; }
  /// Of a state as it is stored.
  [[nodiscard]] virtual std::size_t state_bytes() const { return explorer_.bytes(); }

  [[nodiscard]] std::uint64_t transitions() const override { return explorer_.transitions(); }
  [[nodiscard]] std::uint64_t numbers() const override { return 0; }

 protected:
  const Options& options_;
  MemoryBudget budget_;
  Explorer explorer_;
  SearchLimits limits_;
};

[[nodiscard]] std::unique_ptr<Search> make_search(const SearchInput& input);

}  // namespace cml::checker
