// Visibility: one walk over the instructions of all threads, invariants and finals.
#include "ir/analysis/visibility.h"

#include <variant>

#include "ir/analysis/accesses.h"
#include "support/mutation.h"

namespace cml::ir {

Visibility::Visibility(const System& system)
    : is_tried(system.objects.size(), false),
      is_watched(system.objects.size(), false),
      in_invariant(system.objects.size(), false) {
  const auto mark = [](IdVector<ObjectId, bool>& set, const Place& place) {
    for_each_object(place, [&set](ObjectId id) { set[id] = true; });
  };
  for (const Thread& thread : system.threads) {
    has_daemons = has_daemons || thread.is_daemon;
    for (const Instruction& instruction : thread.code.instructions) {
      if (const auto* attempt = std::get_if<TryAcquire>(&instruction.node))
        mark(is_tried, attempt->lock);
      const auto* select = std::get_if<Select>(&instruction.node);
      if (select == nullptr || !select->otherwise ||
          CML_MUTATION("invisible-release-of-a-lock-that-a-select-looks-at"))
        continue;
      for (const Select::Case& item : select->cases)
        if (item.kind == Select::Kind::Acquire) mark(is_tried, item.place);
    }
  }
  const auto watch = [&](const Code& code, bool is_invariant) {
    for (const Instruction& instruction : code.instructions)
      for_each_access(instruction, [&](Atom atom) {
        if (!atom.object.valid()) return;
        is_watched[atom.object] = true;
        if (is_invariant) in_invariant[atom.object] = true;
        if (system.objects[atom.object].kind == ObjectKind::Lock) is_tried[atom.object] = true;
      });
  };
  for (const Invariant& invariant : system.invariants)
    watch(invariant.code, true);
  if (!has_daemons || CML_MUTATION("finals-beside-daemons-watch-nothing")) return;
  for (const Invariant& final : system.finals)
    watch(final.code, false);
}

}  // namespace cml::ir
