// Which threads can go, for all threads of a state in one loop without a branch that depends on it.
// Nearly every location has one entry that is always enabled, or enabled by one field of the state:
//
//   acquire   owner = 0, or the thread itself      receive   count ≠ 0
//   rewait    notified, and owner = 0
//   down      value ≠ 0                            send      count ≠ capacity
//   await     x = 3, where x is a field and 3 a constant; x ≠ 3; x; not x
//
// so a location is a row: which four bytes to load, which of their bits to compare with what. An
// index that is a local of one byte is added to the offset. The rest (lists of choices, atomic
// blocks) are `slow`: NativeStep::entries finds them by generated code. Ended threads have a row,
// too, whose test never holds.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/layout.h"
#include "ir/system.h"
#include "jit/plan.h"

namespace cml::jit {

struct EntryTest {
  std::uint32_t offset = 0;
  std::uint32_t mask = 0;
  std::uint32_t value = 0;
  std::uint32_t other = 0;    // a second value; mostly the same
  std::uint32_t index = 0;    // where the byte of the index is
  std::int32_t stride = 0;    // and how far objects are apart
  std::uint32_t differs = 0;  // holds where they differ
  std::uint32_t slow = 0;     // where the test holds, more must be asked
  // Four other bytes that must be equal, too.
  std::uint32_t also_offset = 0;
  std::uint32_t also_mask = 0;
  std::uint32_t also_value = 0;
  std::uint32_t unused = 0;
};

/// By Location.
[[nodiscard]] std::vector<EntryTest> entry_tests(const ir::System& system, const ir::Layout& layout,
                                                 const Plan& plan, const ir::HeldLocks& held,
                                                 bool spurious_wakeups, ir::ThreadId thread);

}  // namespace cml::jit
