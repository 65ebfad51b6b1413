// Which values an expression can have, and whether it can fail: intervals, computed from the ranges
// of the slots' fields. What they prove (most additions do not overflow, most indices lie within
// their array) is not checked in generated code.
//
// The words of states always lie in the range of their field, because every store is checked; so
// the interval of a local is that of its slot, at every place of the code.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/analysis/intervals.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::jit {

using ir::Interval;

inline constexpr Interval kBoolean{0, 1, false};
[[nodiscard]] inline Interval interval_of(const ir::Field& field) {
  return {field.lo, field.hi, false};
}

/// The ranges of the expressions in one thread's code.
class Ranges {
 public:
  Ranges(const ir::System& system, const ir::Layout& layout, ir::ThreadId thread)
      : system_(system), slots_(layout.thread(thread).slots) {}

  [[nodiscard]] const Interval& of(ir::ExprId id);
  /// How many slots a LocalAt selects from.
  [[nodiscard]] std::uint32_t count(const ir::Expr& local_at) const;

 private:
  const ir::System& system_;
  const std::vector<ir::Field>& slots_;
  std::unordered_map<std::uint32_t, Interval> known_;
};

}  // namespace cml::jit
