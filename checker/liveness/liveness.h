// Properties of executions: `terminates;` and `property name: formula;`.
//
//   LivenessGraph   all states and edges at granularity `access`, whatever the search has left out
//   Automaton       of the negation of the formula
//   Valuations      which of its atoms hold where
//   FairCycle       a fair execution that the automaton accepts: it violates the property
//
// Runs where a complete search has found nothing else. No reduction: those of the search keep which
// states can be reached, not which executions there are; and the one of the literature that does
// was wrong for years (Siegel, "What's wrong with on-the-fly partial order reduction", CAV 2019).
//
// The graph is made once for all properties, and kept with its edges: see there for the memory.
#pragma once

#include <vector>

#include "checker/liveness/limits.h"
#include "checker/monitor/finding.h"
#include "checker/options.h"
#include "checker/result.h"
#include "ir/exec/interpreter.h"
#include "support/stop_token.h"

namespace cml::checker {

struct LivenessOutcome {
  std::vector<Finding> findings;
  std::vector<CheckedProperty> checked;
  LivenessLimits limits;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
};

/// Decides the properties, until one is violated; with `all`, every one. `step` and `free_code`:
/// every micro-transition is a transition. What runs out of memory or time throws; `outcome` has
/// what was known by then.
void check_liveness(ir::Step& step, ir::Interpreter& free_code, const Options& options,
                    const StopToken& stop, LivenessOutcome& outcome);

/// Which executions count for a property.
[[nodiscard]] Fairness fairness_of(const ir::System& system, const ir::Property& property,
                                   const Options& options);

}  // namespace cml::checker
