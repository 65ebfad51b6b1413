// Which threads can go, for all threads of a state in one run without a branch that depends on it.
// Nearly every location has one action that is always enabled, or enabled by one field of the state:
//
//   acquire   owner = 0, or the thread itself      receive   count ≠ 0
//   rewait    notified, and owner = 0              send      count ≠ capacity
//   down      value ≠ 0
//   await     x = 3, where x is a field and 3 a constant; x ≠ 3; x; not x
//
// so a location is a row: which field to load, what to compare it with. Threads that wait have a
// row for each location and wait status. An index that is a local of one byte chooses among the
// fields of some objects. The rest (lists of choices, atomic blocks) are `slow`:
// NativeStep::actions finds them by generated code. Ended threads have a row, too, whose test never
// holds.
//
// Rows lie in columns, as many as the tests of the thread need (emit_enabled.h).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"
#include "jit/plan.h"

namespace cml::jit {

struct EnabledTest {
  enum class Kind : std::uint8_t { Never, Always, Compare };
  Kind kind = Kind::Always;
  /// What is compared, and in the form in which the state has it, with what.
  ir::Field field;
  std::uint32_t value = 0;
  std::uint32_t other = 0;  // a second value; mostly the same
  bool differs = false;     // holds where they differ
  bool slow = false;        // where the test holds, more must be asked
  // Of objects that an index chooses: where its byte is, and how far and how many they are.
  std::uint32_t index = 0;
  std::int32_t stride = 0;
  std::uint32_t count = 1;
};

/// By Location; of threads that wait, by WaitStatus × number of locations + Location.
[[nodiscard]] std::vector<EnabledTest> enabled_tests(const ir::System& system,
                                                     const ir::Layout& layout, const Plan& plan,
                                                     const ir::HeldLocks& held,
                                                     bool spurious_wakeups, ir::ThreadId thread);

}  // namespace cml::jit
