// Which slots of a thread have the same value at an instruction, in every execution: copies, as
// long as neither side is assigned again. A forward fixed point over the code of one thread.
//
//   3: set s2 = 0
//   4: set s1 = bound(s2, 26)       s1 = s2
//   5: acquire o64[s1]              s1 = s2
//   6: set s4 = bound(s2, 26)       s1 = s2 = s4
//   7: set s2 = ((s2 + 1) % 26)     s1 = s4
//
// The lowering makes such copies: an index is checked before the operation that uses it.
//
// Left out: slots that are equal for other reasons. Cost: instructions × slots, or × slots² at
// worst; nothing is known of threads where that is too much.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/system.h"

namespace cml::ir {

class EqualSlots {
 public:
  EqualSlots() = default;  // nothing is known
  EqualSlots(const System& system, const Code& code);

  /// Whether both have the same value before the instruction is executed.
  [[nodiscard]] bool are_equal(Pc pc, Slot a, Slot b) const {
    return a == b || (!groups_.empty() && groups_[pc * slots_ + a] == groups_[pc * slots_ + b]);
  }

 private:
  std::size_t slots_ = 0;
  /// By pc and slot: the first slot of those that are equal.
  std::vector<Slot> groups_;
};

}  // namespace cml::ir
