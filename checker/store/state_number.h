// States that are stored have numbers, in the order in which they were found.
#pragma once

#include <cstdint>

namespace cml::checker {

using StateNumber = std::uint32_t;

}  // namespace cml::checker
