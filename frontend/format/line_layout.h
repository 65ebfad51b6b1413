// Decides what stands on one line: items in, logical lines out.
//
// A logical line is a statement, a declaration, the header of a block up to its `{`, a `}` with
// what goes on after it, an enumerator, a `case` with its colon, or comments on a line of their
// own. A block that was written on one line is no lines of its own but part of its statement's, if
// that fits into the width; an `if` with all its `else` parts (an `either` with all its branches)
// is decided as one. Breaking lines that are too long is the next step (print.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/format/items.h"

namespace cml::formatting {

struct LogicalLine {
  std::size_t first = 0;  // items
  std::size_t last = 0;   // inclusive
  std::uint32_t indent = 0;
  bool blank_before = false;
};

[[nodiscard]] std::vector<LogicalLine> lay_out(const std::vector<Item>& items);

}  // namespace cml::formatting
