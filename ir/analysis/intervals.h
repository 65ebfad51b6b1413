// Which values an expression can have, and whether it can fail, where the values of the locals are
// known to lie in intervals. Arithmetic in 64 bits; a result that exceeds 32 bits can fail, and its
// interval is clipped.
#pragma once

#include <cstdint>

#include "ir/system.h"

namespace cml::ir {

struct Interval {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  bool can_fail = false;  // overflow, division by zero, an index outside

  [[nodiscard]] bool within(std::int64_t least, std::int64_t greatest) const {
    return least <= lo && hi <= greatest;
  }
};

/// The interval of an operator, from those of its operands (ignored where it has none). Not for
/// locals.
[[nodiscard]] Interval interval(const Expr& expr, const Interval& a, const Interval& b,
                                const Interval& c);

/// How many slots a LocalAt selects from, in a frame of `slots`.
[[nodiscard]] std::uint32_t chosen_among(const System& system, const Expr& local_at,
                                         std::size_t slots);

/// The interval of an expression. `of(ExprId)` is that of its parts, `of_slot(Slot)` that of a
/// local; `slots` are in the frame.
template <class Of, class OfSlot>
[[nodiscard]] Interval interval(const System& system, ExprId id, std::size_t slots, Of of,
                                OfSlot of_slot) {
  const Expr& expr = system.exprs[id];
  const auto first = static_cast<Slot>(expr.value);
  if (expr.op == ExprOp::Local) return of_slot(first);
  const Interval a = expr.a.valid() ? of(expr.a) : Interval();
  if (expr.op != ExprOp::LocalAt)
    return interval(expr, a, expr.b.valid() ? of(expr.b) : Interval(),
                    expr.c.valid() ? of(expr.c) : Interval());
  const std::uint32_t count = chosen_among(system, expr, slots);
  Interval result{INT32_MAX, INT32_MIN, a.can_fail || !a.within(0, std::int64_t{count} - 1)};
  for (Slot i = 0; i < count; ++i) {
    const Interval one = of_slot(first + i);
    result.lo = one.lo < result.lo ? one.lo : result.lo;
    result.hi = one.hi > result.hi ? one.hi : result.hi;
  }
  return result;
}

}  // namespace cml::ir
