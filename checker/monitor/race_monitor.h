// Data races, instead of the lock discipline (`--discipline races`): no two accesses to a shared
// object, one of which writes, may be unordered by happens-before (happens_before.h).
//
// Objects whose protection is proved before the search (static_discipline.h) are in no race: all of
// their accesses hold a common lock, or none of them writes, or all are of one thread. Others may
// turn out to be protected so (followed_objects.h). Of those that are left, what happens-before is
// made of is stored behind each state, so states that differ in that alone are two. What a guard
// reads is an access when the guard lets its thread go on.
//
// Why it is enough to switch threads at synchronisation (granularity `sync`) is told in
// docs/reductions.md, "Data races".
#pragma once

#include <cstdint>
#include <vector>

#include "checker/kept_sets.h"
#include "checker/monitor/followed_objects.h"
#include "checker/monitor/happens_before.h"
#include "checker/monitor/monitor.h"
#include "checker/monitor/static_discipline.h"
#include "checker/options.h"
#include "ir/exec/step.h"

namespace cml::checker {

class RaceMonitor {
 public:
  /// All must outlive it.
  RaceMonitor(const ir::System& system, const ir::Layout& layout, Discipline form,
              const StaticDiscipline& statics, const FollowedObjects& followed);

  /// Whether two accesses could race, as far as is known before the search.
  [[nodiscard]] bool any() const { return order_.bytes() > 0; }
  [[nodiscard]] std::size_t state_bytes() const { return order_.bytes(); }
  [[nodiscard]] KeptSets kept() const { return order_.kept(); }
  void initial(std::uint8_t* extra) const { order_.initial(extra); }

  void transition(const Transition& transition, const Where& where);

  void join(const RaceMonitor& other);

  [[nodiscard]] bool is_broken() const;
  /// Of the object, or of its field in any object of its class.
  [[nodiscard]] bool has_race(ir::ObjectId id) const;

  /// By what all accesses to objects are ordered (checker/finding/races_behind.h).
  [[nodiscard]] HappensBefore& order() { return order_; }

  /// The objects that are checked.
  [[nodiscard]] static IdVector<ir::ObjectId, bool> checked(const ir::System& system,
                                                            Discipline form,
                                                            const StaticDiscipline& statics,
                                                            const FollowedObjects& followed);

 private:
  const ir::System& system_;
  HappensBefore order_;
  IdVector<ir::ObjectId, bool> has_race_;
};
static_assert(Monitor<RaceMonitor>);

}  // namespace cml::checker
