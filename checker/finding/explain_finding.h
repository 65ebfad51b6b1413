// From a finding to a violation of the Result: its path is replayed, what the search saw must
// happen again, and the texts are made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checker/finding/replay.h"
#include "checker/monitor/finding.h"
#include "checker/options.h"
#include "checker/result.h"
#include "ir/analysis/analyses.h"
#include "support/expected.h"

namespace cml::checker {

/// Whether the threads of a finding that is known from the graph are lost in this state, too.
using IsStillLost = std::function<bool(const std::uint8_t* state, const Finding&)>;

/// The violation, or why the finding does not replay. `analyses`: of the search's system, `options`
/// the search's.
[[nodiscard]] Expected<Violation, std::string> explain(Replayer& replayer,
                                                       const ir::Analyses& analyses,
                                                       const Finding& finding,
                                                       const Options& options,
                                                       const IsStillLost& is_still_lost);

/// What can be said without executing its path: it was lost, or there is no memory for the trace.
[[nodiscard]] Violation explain_without_trace(Replayer& replayer, const Finding& finding);

}  // namespace cml::checker
