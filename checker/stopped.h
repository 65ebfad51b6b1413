// Threads that have stopped: by a violation, a false `assume`, or because they diverge
// (docs/reference.md, "Violations"). In a state with one of them no deadlock is reported, so both
// the monitor of deadlocks and the reductions need to know.
#pragma once

#include "ir/system.h"

namespace cml::checker {

/// A thread in a reserved location other than the end.
[[nodiscard]] constexpr bool is_stopped(ir::Location location) {
  return location == ir::kStopped || location == ir::kAssumed || location == ir::kDiverged;
}

}  // namespace cml::checker
