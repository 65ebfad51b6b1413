// Which threads are enabled, for all threads of a state in one run without a branch that depends on
// the state. Nearly every location has one action, which is always enabled, or enabled by one field
// of the state:
//
//   acquire   owner = 0, or the thread itself      receive   count ≠ 0
//   rewait    notified, and owner = 0              send      count ≠ capacity
//   down      value ≠ 0
//   await     x = 3, where x is a field and 3 a constant; x ≠ 3; x; not x
//
// so a location is a row of a table: which field to load, what to compare it with. Threads that
// wait have a row for each location and wait status. An index that is a local of one byte selects
// one of the fields of some objects. The other locations (lists of choices, atomic blocks) are
// `slow`: NativeStep finds their actions by calling generated code. Ended threads have a row, too,
// whose test never holds.
//
// The table is stored by columns, as many as the tests of the thread need (emit_enabled.h).
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
  /// The field that is compared, and with which value, in its encoding in the state.
  ir::Field field;
  std::uint32_t value = 0;
  std::uint32_t other = 0;  // a second value; mostly the same
  bool differs = false;     // holds where they differ
  bool slow = false;        // where the test holds, generated code must decide
  // Of objects that an index selects: where its byte is, how far apart and how many they are.
  std::uint32_t index = 0;
  std::int32_t stride = 0;
  std::uint32_t count = 1;
};

/// By Location; of threads that wait, by WaitStatus × number of locations + Location.
[[nodiscard]] std::vector<EnabledTest> enabled_tests(const ir::Analyses& analyses,
                                                     const ir::Layout& layout, const Plan& plan,
                                                     bool spurious_wakeups, ir::ThreadId thread);

}  // namespace cml::jit
