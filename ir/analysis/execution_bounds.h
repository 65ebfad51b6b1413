// How often a thread can execute an instruction, at most: once outside of loops; in a loop that
// counts, as often as there are numbers to count.
//
//   for i in 0..<3 { s.up(); }      the up: 3 times, since each time i is greater
//
// A loop counts if every way around it, from the instruction back to it, adds to a slot (or takes
// from it), and nothing in the loop assigns it otherwise.
//
// Left out: loops in loops that count anew, and those that end for other reasons. Cost: slots ×
// instructions; of loops in code where that is too much nothing is known.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/analysis/value_ranges.h"
#include "ir/system.h"

namespace cml::ir {

/// None: without end, as far as is known.
[[nodiscard]] std::optional<std::uint64_t> execution_bound(const System& system, const Code& code,
                                                           const ValueRanges& ranges, Pc pc);

}  // namespace cml::ir
