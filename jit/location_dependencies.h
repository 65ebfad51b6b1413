// What a micro-transition depends on, and what it may change, as fields of the state: computed from
// the code of the operation and of the local instructions behind it, over all paths.
//
//   3 L4: read s1 = o1                reads  o1        (s1 is assigned before it is read)
//   4: set s1 = (s1 + 1) in 0..5      writes s1, the location
//   5 L5: …
//
// A field whose value is known whenever the transition is enabled is no dependency: the owner of a
// lock that is about to be taken, because it is free; the owner of a lock that a thread releases
// which certainly owns it; a slot that equals another one that is read (ir/analysis/equal_slots.h).
// Such fields are `known_on_entry`.
//
// Of objects among which a slot selects, the one that it selects is read, or known on entry.
//
// What is observed in a transition must be the same whenever what it reads is the same: so the
// index of the lock at which it ends is read, too, and the slots that determine which locks are
// held.
//
// Left out, as transitions of which nothing is known: choices, select, notify (it reads the state
// of all threads), channels, initialisation windows.
#pragma once

#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/exec/state_layout.h"
#include "jit/plan.h"

namespace cml::jit {

struct LocationDependencies {
  /// One of several fields: `first` is that for index 0, the others follow `stride` bytes apart.
  struct Element {
    ir::Field index;  // of one byte, from 0; it is read, and less than `count`
    ir::Field first;
    std::int64_t stride = 0;
    std::uint32_t count = 0;
  };
  bool is_known = false;
  std::vector<ir::Field> reads;
  std::vector<Element> reads_element;
  std::vector<ir::Field> writes;  // without known_on_entry; the location is one of them
  std::vector<ir::Field> known_on_entry;
  std::vector<Element> known_element;
};

/// For the micro-transitions of one thread, by location; transitions with a choice have none.
[[nodiscard]] std::vector<LocationDependencies> location_dependencies(const ir::Analyses& analyses,
                                                                      const ir::Layout& layout,
                                                                      const ThreadPlan& plan,
                                                                      bool spurious_wakeups,
                                                                      ir::ThreadId thread);

}  // namespace cml::jit
