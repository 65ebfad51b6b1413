// What a micro-transition depends on, and what it may change, as fields of the state: found in the
// code of the operation and of the local instructions behind it, all ways through them together.
//
//   3 L4: read s1 = o1                reads  o1        (s1 is assigned before it is read)
//   4: set s1 = (s1 + 1) in 0..5      writes s1, the location
//   5 L5: …
//
// What a field holds whenever the transition is enabled is no dependency: the owner of a lock that
// is about to be taken, since it is free, and of one that is given back by who certainly owns it.
// Such fields are `fixed`.
//
// What a transition tells is the same whenever what it reads is the same: so the index of the lock
// at which it ends is read, too.
//
// Left out, as transitions of which nothing is known: choices, select, notify (it looks at all
// threads), channels, windows of initialisation.
#pragma once

#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/layout.h"
#include "jit/plan.h"

namespace cml::jit {

struct Footprint {
  bool is_known = false;
  std::vector<ir::Field> reads;
  std::vector<ir::Field> writes;  // apart from what is fixed; the location is one of them
  std::vector<ir::Field> fixed;
};

/// Of the micro-transition that starts at a location; transitions with a choice have none.
[[nodiscard]] Footprint footprint(const ir::System& system, const ir::Layout& layout,
                                  const ir::HeldLocks& held, const ThreadPlan& plan,
                                  bool spurious_wakeups, ir::ThreadId thread,
                                  ir::Location location);

}  // namespace cml::jit
