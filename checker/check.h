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

namespace cml::checker {

[[nodiscard]] Result check(const ir::System& system, const SourceSet& sources,
                           const Options& options, const Context& context = {});

}  // namespace cml::checker
