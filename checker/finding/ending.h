// How a partial deadlock ends (docs/reference.md, "Deadlock"): a search that stops at the first
// violation has reached a state in which some threads are stuck and others are enabled. If a state
// can be reached from there in which nothing is enabled, because the others end or get stuck as
// well, it is a deadlock, as the search for all violations reports it, and the trace leads to that
// state.
//
// Searches from that state without reduction: breadth-first, for a short trace, and after some
// thousand states depth-first, since threads that end mostly do so whatever the others do. It gives
// up after a number of states: then the others run for ever, or for very long. The result does not
// depend on the reduction or the engine.
#pragma once

#include <optional>

#include "checker/monitor/finding.h"
#include "checker/options.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/step.h"
#include "support/stop_token.h"

namespace cml::checker {

/// The deadlock to which the path of a partial deadlock can be continued. `step` has the
/// transitions of the search.
[[nodiscard]] std::optional<Finding> deadlock_behind(const Finding& partial, ir::Step& step,
                                                     const ir::Analyses& analyses,
                                                     const Options& options, const StopToken& stop);

}  // namespace cml::checker
