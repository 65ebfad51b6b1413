// What is known of a model before the search, computed once and shared by the monitors, the
// reductions and the search itself.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/analysis/held_locks.h"
#include "ir/analysis/visibility.h"

namespace cml::ir {

/// Immutable. The system must outlive it.
struct Analyses {
  explicit Analyses(const System& system, const StopToken& stop = {})
      : held(system, stop), visibility(system), accesses(system, held, visibility, stop) {}

  HeldLocks held;
  Visibility visibility;
  Accesses accesses;
};

}  // namespace cml::ir
