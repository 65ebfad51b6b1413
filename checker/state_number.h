// The number of a stored state: what is kept beside states is kept by it.
#pragma once

#include <cstdint>

namespace cml::checker {

using StateNumber = std::uint32_t;

}  // namespace cml::checker
