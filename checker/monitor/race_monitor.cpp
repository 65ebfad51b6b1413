#include "checker/monitor/race_monitor.h"

#include <algorithm>

namespace cml::checker {

IdVector<ir::ObjectId, bool> RaceMonitor::checked(const ir::System& system, Discipline form,
                                                  const StaticDiscipline& statics,
                                                  const FollowedObjects& followed) {
  IdVector<ir::ObjectId, bool> result(system.objects.size(), false);
  if (form != Discipline::Races) return result;
  for (const ir::ObjectId id : system.objects.ids()) {
    const ir::Object& object = system.objects[id];
    result[id] = object.kind == ir::ObjectKind::Shared && !object.is_constant &&
                 !statics.is_unshared(id) && statics.proof(id) == Proof::None && followed[id];
  }
  return result;
}

RaceMonitor::RaceMonitor(const ir::System& system, const ir::Layout& layout, Discipline form,
                         const StaticDiscipline& statics, const FollowedObjects& followed)
    : system_(system),
      order_(system, layout, checked(system, form, statics, followed), followed.room()),
      has_race_(system.objects.size(), false) {}

void RaceMonitor::transition(const Transition& transition, const Where& where) {
  if (!any()) return;
  const auto report = [&](const RacingAccess& access) {
    const ir::ObjectId object = representative(system_, access.object);
    if (has_race_[object]) return;
    has_race_[object] = true;
    Finding found;
    found.kind = ViolationKind::DataRace;
    found.event.thread = access.thread;
    found.event.pc = access.pc;
    found.event.range = system_.threads[access.thread].code.instructions[access.pc].range;
    found.event.object = object;
    found.is_on_path = true;
    where.findings.add(std::move(found), where.path);
  };
  order_.transition(transition.before, transition.record, transition.after, transition.extra,
                    report);
}

void RaceMonitor::join(const RaceMonitor& other) {
  for (const ir::ObjectId id : system_.objects.ids())
    has_race_[id] = has_race_[id] || other.has_race_[id];
}

bool RaceMonitor::is_broken() const {
  return std::find(has_race_.begin(), has_race_.end(), true) != has_race_.end();
}

bool RaceMonitor::has_race(ir::ObjectId id) const { return has_race_[representative(system_, id)]; }

}  // namespace cml::checker
