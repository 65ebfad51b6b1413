// What is known of a model before anything runs, computed once and shared by those who ask during a
// search: the monitors, the reductions, the search itself.
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
