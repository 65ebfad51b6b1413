// Visibility: one walk over the instructions of all threads, invariants and finals.
#include "ir/analysis/visibility.h"

#include <utility>

#include "ir/analysis/late_starts.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {

Visibility::Visibility(const System& system)
    : is_tried(system.objects.size(), false),
      is_watched(system.objects.size(), false),
      in_invariant(system.objects.size(), false),
      meeting_places(system) {
  for (const Thread& thread : system.threads) {
    if (!meeting_places.any()) break;
    std::vector<bool> arrives(thread.code.instructions.size(), false);
    for (Location at = kFirstLocation; at < thread.code.location_pc.size(); ++at)
      arrives[thread.code.location_pc[at]] =
          meeting_places.arrives(thread.code, thread.code.location_pc[at]) &&
          !CML_MUTATION("invisible-arrival-where-others-look");
    arrives_.push(std::move(arrives));
  }
  const auto mark = [](IdVector<ObjectId, bool>& set, const Place& place) {
    for_each_object(place, [&set](ObjectId id) { set[id] = true; });
  };
  for (const Thread& thread : system.threads) {
    has_daemons = has_daemons || thread.is_daemon;
    for (const Instruction& instruction : thread.code.instructions) {
      if (may_block(instruction)) continue;
      if (instruction.opcode() == Opcode::Select &&
          CML_MUTATION("invisible-release-of-a-lock-that-a-select-looks-at"))
        continue;
      for_each_place(instruction, [&](const Place& place, Effects effects) {
        if (effects.contains(Effect::Look)) mark(is_tried, place);
      });
    }
  }
  const auto watch = [&](const Code& code, bool is_invariant) {
    for (const Instruction& instruction : code.instructions)
      for_each_place(instruction, [&](const Place& place, Effects) {
        mark(is_watched, place);
        if (is_invariant) mark(in_invariant, place);
        if (system.objects[place.base].kind == ObjectKind::Lock) mark(is_tried, place);
      });
  };
  for (const Invariant& invariant : system.invariants)
    watch(invariant.code, true);
  if (!has_daemons || CML_MUTATION("finals-beside-daemons-watch-nothing")) return;
  for (const Invariant& final : system.finals)
    watch(final.code, false);
  for (const ObjectId life : late_starts(system))
    is_watched[life] = !CML_MUTATION("late-starts-are-invisible");
}

}  // namespace cml::ir
