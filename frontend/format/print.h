// Logical lines to text: breaks those that are too long, aligns comments at line ends, moves the
// lines of block comments along with their first one.
#pragma once

#include <string>
#include <vector>

#include "frontend/format/items.h"
#include "frontend/format/line_layout.h"

namespace cml::formatting {

[[nodiscard]] std::string print(const std::vector<Item>& items,
                                const std::vector<LogicalLine>& lines);

}  // namespace cml::formatting
