// Where a logical line that is too long may be broken, and where it must be.
//
// The gap before each item has a level: the depth of its brackets, then the looseness of the
// operator or comma before it. The piece behind a gap reaches to the next gap of the same or an
// outer level; a gap is broken when its piece does not fit on the rest of the line. So a line
// breaks outside before inside, as late as possible (D. Oppen, "Prettyprinting", TOPLAS 1980, with
// inconsistent breaking). Behind `=` and an opening bracket a break is only taken if it helps.
//
// Comments in the middle of a line force a break where one was, and no gap beside a forced one is
// ever broken for the width alone: otherwise the comment would stand on a line of its own when the
// result is read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/format/items.h"
#include "frontend/format/line_layout.h"

namespace cml::formatting {

enum class Break : std::uint8_t { Never, IfItHelps, IfTooLong, Always };

/// The gap before an item of a logical line.
struct Gap {
  Break rule = Break::Never;
  std::uint32_t spaces = 0;       // if it is not broken
  std::uint32_t piece_width = 0;  // of what must fit behind it, for IfItHelps and IfTooLong
};

/// One gap for each item of the line; that of the first is of no interest.
[[nodiscard]] std::vector<Gap> find_gaps(const std::vector<Item>& items, const LogicalLine& line);

}  // namespace cml::formatting
