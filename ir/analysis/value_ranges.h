// The interval in which a slot of a thread lies at an instruction, in every execution: a forward
// fixed point of intervals over the code of one thread.
//
//   0: set s0 = 10              s0 in 10..10
//   1: set s1 = bound(s0, 11)   s0 in -1..10        an index outside stops the thread
//   2: read s1 = o0[s1]         s0 in 0..10
//   3: branch s1 ? 4 : 6
//   4: set s0 = (s0 - 1)        s0 in 0..10
//   5: jump 1                   s0 in -1..9
//
// What a thread reads from objects may be any value of their type. Behind a condition that compares
// a slot, both branches know the result. Bounds that keep growing are widened to those of the type,
// and narrowed again when the fixed point is reached (Cousot and Cousot, 1977).
//
// Left out: relations between slots, values of objects. Cost: instructions × slots, a few times;
// where that is too much, the slots' types are all that is known.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/intervals.h"
#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::ir {

class ValueRanges {
 public:
  ValueRanges(const System& system, const Code& code, const StopToken& stop = {});

  struct Range {
    std::int32_t lo = 0;
    std::int32_t hi = 0;

    friend bool operator==(const Range&, const Range&) = default;
  };
  /// The range before the instruction is executed.
  [[nodiscard]] Range at(Pc pc, Slot slot) const {
    return ranges_.empty() ? all_[slot] : ranges_[pc * all_.size() + slot];
  }
  /// The range of all values that the slot ever holds.
  [[nodiscard]] Range of(Slot slot) const { return all_[slot]; }

 private:
  std::vector<Range> ranges_;  // by Pc and slot
  std::vector<Range> all_;     // by slot
};

}  // namespace cml::ir
