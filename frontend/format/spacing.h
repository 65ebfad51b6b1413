// How many spaces stand between two neighbours on one line: the table of the formatter's small
// rules.
#pragma once

#include <cstdint>

#include "frontend/format/items.h"

namespace cml::formatting {

/// Columns of a level of blocks, and of the lines that continue a line.
inline constexpr std::uint32_t kLevel = 2;
inline constexpr std::uint32_t kContinuation = 4;
inline constexpr std::uint32_t kMaxWidth = 100;

[[nodiscard]] std::uint32_t spaces_between(const Item& left, const Item& right);

}  // namespace cml::formatting
