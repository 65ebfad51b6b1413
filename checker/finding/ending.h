// How a partial deadlock ends (language.md §5): a search that stops at the first violation has come
// to a state in which some threads are stuck and others can go. If those can come to where nothing
// moves, because they end or get stuck as well, it is a deadlock, as the search for all violations
// tells it, and the way goes on to there.
//
// Goes on from that state without reduction: breadth-first, for a short way, and after some
// thousand states depth-first, since threads that end mostly do so whatever the others do. It gives
// up after as many states as are named in the file: then others go on for ever, or for very long.
// The same for every reduction and engine.
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
