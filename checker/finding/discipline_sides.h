// The two sides of a lock-discipline violation: the access that emptied the set of candidate locks,
// and the one that last shrank it before. In the global form they may lie in different executions:
// each access is found again by replaying its own path, and the intersection is computed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/finding/replay.h"
#include "checker/monitor/finding.h"
#include "checker/result.h"

namespace cml::checker {

struct DisciplineSides {
  std::vector<AccessSide> sides;
  std::vector<std::string> almost;  // "table (held at 2 of 3 accesses)"
  ir::ObjectId object;              // in the first trace, where it is one of a class
  Path path;                        // of the first trace
};

/// `budget`: to shorten the traces (shorten.h).
///
/// From the accesses that the search kept, each with its path. Nothing if one does not replay, or
/// if they do not break the discipline together.
[[nodiscard]] std::optional<DisciplineSides> sides_of_accesses(Replayer& replayer,
                                                               const Finding& finding,
                                                               std::uint64_t& budget);
/// From the one path of an execution.
[[nodiscard]] std::optional<DisciplineSides> sides_of_path(Replayer& replayer,
                                                           const Finding& finding,
                                                           std::uint64_t& budget);

}  // namespace cml::checker
