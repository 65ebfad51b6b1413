// What is known of the lock discipline from the code alone, before the search (docs/reference.md,
// "The lock discipline" and "Objects that are not shared after all"): the search checks only what
// could still be violated.
//
// For each shared object:
//
//   unshared    the code of one thread instance alone accesses it: the discipline demands nothing;
//               or it belongs to objects that are claimed for one thread each, and that is proved
//               (ir/analysis/confined_classes.h)
//   read-only   no code writes it: written never becomes true
//   protected   some locks are certainly held at every access (ir::certain_protection): they are in
//               the candidates of every execution, in both forms of the discipline, so these never
//               become empty. `guarded by` is kept if the declared lock is one of them
//   unproved    everything else: checked during the search
//
// Accesses in the window of an `init by`, and guards, count here like all others: whether an access
// lies in its window depends on the path. Which access was the first is checked during the search.
//
// Without proofs (Options::static_analyses off) only the definition of "unshared" is used, which is
// part of the language: an object that one thread alone can access does not violate the discipline.
// Its accesses are checked like all others then, and an access by a second thread is a
// contradiction; verdicts, locks and states of the table are the same with and without proofs.
//
// Left out: what values of variables imply, hand-overs. Cost: that of ir::HeldLocks. Immutable once
// built.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

enum class Proof : std::uint8_t { None, Unshared, ReadOnly, Protected };

class StaticDiscipline {
 public:
  StaticDiscipline(const ir::System& system, const ir::Analyses& analyses, bool proves);

  [[nodiscard]] bool proves() const { return proves_; }
  /// Shared objects that only one thread instance can access, with proofs and without.
  [[nodiscard]] bool is_unshared(ir::ObjectId id) const { return unshared_[id]; }
  /// Whether the objects of its class are claimed for one thread each, and that is proved.
  [[nodiscard]] bool has_proved_claim(ir::ObjectId id) const {
    const ir::ClassId of = system_.objects[id].owner;
    return of.valid() && proved_claims_[of];
  }
  [[nodiscard]] Proof proof(ir::ObjectId id) const { return proofs_[id]; }
  /// The locks of a protected object, ascending.
  [[nodiscard]] const std::vector<ir::ObjectId>& locks(ir::ObjectId id) const { return locks_[id]; }
  /// Whether every access holds the lock of the object's `guarded by`, or it has none.
  [[nodiscard]] bool keeps_guard(ir::ObjectId id) const;

 private:
  const ir::System& system_;
  bool proves_;
  IdVector<ir::ClassId, bool> proved_claims_;
  IdVector<ir::ObjectId, bool> unshared_;
  IdVector<ir::ObjectId, Proof> proofs_;
  IdVector<ir::ObjectId, std::vector<ir::ObjectId>> locks_;
};

}  // namespace cml::checker
