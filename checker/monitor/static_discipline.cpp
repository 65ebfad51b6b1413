#include "checker/monitor/static_discipline.h"

#include <algorithm>

#include "ir/analysis/code_flow.h"
#include "ir/analysis/confined_classes.h"
#include "ir/describe.h"

namespace cml::checker {
namespace {

/// Calls `use(thread, place, effects)` for every access to shared objects that control can reach.
template <class Use>
void for_each_access(const ir::System& system, Use use) {
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    const std::vector<bool> reached = ir::reachable(code);
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc) {
      if (!reached[pc]) continue;
      ir::for_each_place(code.instructions[pc], [&](const ir::Place& place, ir::Effects effects) {
        if (system.objects[place.base].kind == ir::ObjectKind::Shared) use(thread, place, effects);
      });
    }
  }
}

}  // namespace

StaticDiscipline::StaticDiscipline(const ir::System& system, const ir::Analyses& analyses,
                                   bool proves)
    : system_(system),
      proves_(proves),
      proved_claims_(ir::proved_claims(system)),
      unshared_(system.objects.size(), true),
      proofs_(system.objects.size(), Proof::None),
      locks_(system.objects.size()) {
  IdVector<ir::ObjectId, ir::ThreadId> user(system.objects.size());
  IdVector<ir::ObjectId, bool> written(system.objects.size(), false);
  for_each_access(system, [&](ir::ThreadId thread, const ir::Place& place, ir::Effects effects) {
    const bool writes = !ir::only_look(effects);
    ir::for_each_object(place, [&](ir::ObjectId id) {
      // One that can be spawned again is several threads; but there are two such, or more, with the
      // same code.
      if (user[id].valid() && user[id] != thread) unshared_[id] = false;
      user[id] = thread;
      written[id] = written[id] || writes;
    });
  });
  for (const ir::ObjectId id : system.objects.ids())
    if (system.objects[id].kind != ir::ObjectKind::Shared || analyses.visibility().in_invariant[id])
      unshared_[id] = false;
  for (const ir::ObjectId id : system.objects.ids()) {
    if (system.objects[id].kind != ir::ObjectKind::Shared || !has_proved_claim(id)) continue;
    unshared_[id] = true;
    proofs_[id] = Proof::Unshared;
  }
  if (!proves) return;
  locks_ = analyses.protection();
  for (const ir::ObjectId id : system.objects.ids()) {
    if (system.objects[id].kind != ir::ObjectKind::Shared) continue;
    if (unshared_[id]) {
      proofs_[id] = Proof::Unshared;
    } else if (!written[id]) {
      proofs_[id] = Proof::ReadOnly;
    } else if (!locks_[id].empty()) {
      proofs_[id] = Proof::Protected;
    }
  }
}

bool StaticDiscipline::keeps_guard(ir::ObjectId id) const {
  const auto& guard = system_.objects[id].guarded_by;
  return !guard || (proves_ && std::binary_search(locks_[id].begin(), locks_[id].end(), *guard));
}

}  // namespace cml::checker
