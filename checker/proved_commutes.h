// What has been proved of declarations that methods commute (commutes.h), for the reductions
// (checker/reduction/method_calls.h).
#pragma once

#include <array>
#include <cstdint>

#include "ir/system.h"

namespace cml::checker {

/// Two methods of a class that commute, whatever their arguments are and whatever the object has in
/// its fields, where both are enabled.
struct ProvedCommutes {
  ir::ClassId of;
  std::array<std::uint32_t, 2> methods = {};
};

}  // namespace cml::checker
