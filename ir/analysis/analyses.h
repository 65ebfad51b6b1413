// What is known of a model before the search: made once, and passed to all who ask, the layout, the
// interpreter, native code, the monitors, the reductions, the replay of traces. Each analysis is
// made when it is first asked for.
//
//   Visibility, EqualSlots, ValueRanges ──▶ HeldLocks ──▶ Accesses, protection
//
// Thread-safe: the compiler asks in the background. Whoever asks may be stopped (StopToken).
#pragma once

#include <vector>

#include "ir/analysis/accesses.h"
#include "ir/analysis/equal_slots.h"
#include "ir/analysis/held_locks.h"
#include "ir/analysis/value_ranges.h"
#include "ir/analysis/visibility.h"
#include "support/lazy.h"
#include "support/stop_token.h"

namespace cml::ir {

class Analyses {
 public:
  using Protection = IdVector<ObjectId, std::vector<ObjectId>>;

  /// `system` must outlive it.
  explicit Analyses(const System& system, const StopToken& stop = {});

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const Visibility& visibility() const;
  [[nodiscard]] const EqualSlots& equal_slots(ThreadId thread) const;
  [[nodiscard]] const ValueRanges& ranges(ThreadId thread) const;
  [[nodiscard]] const HeldLocks& held() const;
  [[nodiscard]] const Accesses& accesses() const;
  /// certain_protection() of held_locks.h.
  [[nodiscard]] const Protection& protection() const;

 private:
  const System& system_;
  StopToken stop_;  // one that polls is for one thread: each analysis has a copy
  Lazy<Visibility> visibility_;
  std::vector<Lazy<EqualSlots>> equal_slots_;  // by thread
  std::vector<Lazy<ValueRanges>> ranges_;      // by thread
  Lazy<HeldLocks> held_;
  Lazy<Accesses> accesses_;
  Lazy<Protection> protection_;
};

}  // namespace cml::ir
