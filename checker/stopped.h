// Threads that have stopped: by a fault, a false `assume`, or because they go on for ever without a
// visible operation (docs/reference.md). In a state with one of them no deadlock is reported, so
// the monitor of deadlocks and the reductions both ask.
#pragma once

#include "ir/system.h"

namespace cml::checker {

/// A thread in a reserved location other than the end.
[[nodiscard]] constexpr bool is_stopped(ir::Location location) {
  return location == ir::kStopped || location == ir::kAssumed || location == ir::kDiverged;
}

}  // namespace cml::checker
