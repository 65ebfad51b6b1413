// Which operations are visible (language.md §7): the ones between which the other threads must be
// able to go. What depends on the model alone is computed here once; what depends on the state (a
// reentrant acquire, a virgin object, how many threads wait) is asked of the interpreter.
#pragma once

#include "ir/system.h"

namespace cml::ir {

struct Visibility {
  explicit Visibility(const System& system);

  /// Locks at which somebody looks without owning them (tryAcquire, a select with a default, a
  /// property that is watched): what frees them is visible.
  IdVector<ObjectId, bool> is_tried;
  /// Objects whose changes are visible: what invariants look at, and what `finally` looks at if
  /// there are daemons.
  IdVector<ObjectId, bool> is_watched;
  /// Objects at which an invariant looks.
  IdVector<ObjectId, bool> in_invariant;
  bool has_daemons = false;
};

/// Calls `use(object)` for every object that a place can mean.
template <class Use>
void for_each_object(const Place& place, Use use) {
  const std::uint32_t count = place.index ? place.count : 1;
  for (std::uint32_t i = 0; i < count; ++i)
    use(ObjectId(place.base.index + i * place.stride));
}

}  // namespace cml::ir
