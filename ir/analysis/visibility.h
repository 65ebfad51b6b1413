// Which operations are visible (docs/reference.md, "Transitions"): the ones between which other
// threads must be able to run. What depends on the model alone is computed here once; what depends
// on the state (a reentrant acquire, a virgin object, how many threads wait) is asked of the
// interpreter.
#pragma once

#include <vector>

#include "ir/analysis/meeting_places.h"
#include "ir/system.h"

namespace cml::ir {

struct Visibility {
  explicit Visibility(const System& system);

  /// Locks whose state threads or properties look at without owning them (tryAcquire, a select with
  /// a default, an invariant, with daemons a `finally`): what frees them is visible.
  IdVector<ObjectId, bool> is_tried;
  /// Objects whose changes are visible: what invariants read, and what `finally` reads if there are
  /// daemons.
  IdVector<ObjectId, bool> is_watched;
  /// Objects that an invariant reads.
  IdVector<ObjectId, bool> in_invariant;
  bool has_daemons = false;
  MeetingPlaces meeting_places;

  /// Whether a transition from there may end where the thread waits to be met (meeting_places.h).
  [[nodiscard]] bool arrives(ThreadId thread, Pc operation) const {
    return meeting_places.any() && arrives_[thread][operation];
  }

 private:
  IdVector<ThreadId, std::vector<bool>> arrives_;  // by Pc
};

}  // namespace cml::ir
