// The two sides of a data race: the access that was found, and the last one before it that it races
// with. Both lie on one path, which is replayed; happens-before is computed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/finding/replay.h"
#include "checker/monitor/finding.h"
#include "checker/result.h"

namespace cml::checker {

struct RaceSides {
  std::vector<AccessSide> sides;  // the later one first
  std::string message;
  std::optional<LastOrder> last_order;
  ir::ObjectId object;  // in the trace, where it is one of a class
  Path path;
};

/// `budget`: to shorten the trace (shorten.h). Nothing if the path does not replay, or shows no
/// race.
[[nodiscard]] std::optional<RaceSides> sides_of_race(Replayer& replayer, const Finding& finding,
                                                     std::uint64_t& budget);

}  // namespace cml::checker
