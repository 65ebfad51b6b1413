// Visibility: one walk over the instructions of all threads, invariants and finals.
#include "ir/visibility.h"

#include <variant>

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
      if (select == nullptr || !select->otherwise) continue;
      for (const Select::Case& item : select->cases)
        if (item.kind == Select::Kind::Acquire) mark(is_tried, item.place);
    }
  }
  for (const Invariant& invariant : system.invariants)
    for (const Instruction& instruction : invariant.code.instructions)
      if (const auto* read = std::get_if<Read>(&instruction.node)) {
        mark(is_watched, read->place);
        mark(in_invariant, read->place);
      }
  if (!has_daemons) return;
  for (const Invariant& final : system.finals)
    for (const Instruction& instruction : final.code.instructions)
      if (const auto* read = std::get_if<Read>(&instruction.node)) mark(is_watched, read->place);
}

}  // namespace cml::ir
