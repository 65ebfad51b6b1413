// The entrance to the checker: explores a system and says what it found.
//
//   System ──Step──▶ search (store × order) ──▶ monitors ──▶ findings ──replay──▶ Result
//
// search/search.h explores the graph, monitor/monitors.h observes the transitions, finding/replay.h
// replays every finding in the reference interpreter before it is reported.
#pragma once

#include "checker/context.h"
#include "checker/options.h"
#include "checker/result.h"
#include "frontend/source.h"
#include "ir/system.h"
#include "ir/unsupported.h"

namespace cml::checker {

[[nodiscard]] Result check(const ir::System& system, const SourceSet& sources,
                           const Options& options, const Context& context = {});

/// What is so of a model for which there is no system: it cannot be run; or what makes its initial
/// state goes wrong, which is a violation, or reaches a limit.
[[nodiscard]] Result check_nothing(const ir::Unsupported& why, const SourceSet& sources);

}  // namespace cml::checker
