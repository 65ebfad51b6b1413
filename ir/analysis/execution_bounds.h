// How often a thread can execute an instruction, at most: once outside of loops; in a loop that
// counts, as often as there are numbers to count.
//
//   for i in 0..<3 { s.up(); }      the up: 3 times, since i is greater each time
//
// A loop counts if every cycle through the instruction adds to a slot (or subtracts from it), and
// no instruction of the loop assigns it otherwise.
//
// Left out: inner loops whose counter is reset by an outer one, and loops that terminate for other
// reasons. Cost: slots × instructions; nothing is known of loops in code where that is too much.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/analysis/value_ranges.h"
#include "ir/system.h"

namespace cml::ir {

/// None: no bound is known.
[[nodiscard]] std::optional<std::uint64_t> execution_bound(const System& system, const Code& code,
                                                           const ValueRanges& ranges, Pc pc);

}  // namespace cml::ir
