// Interval arithmetic.
#include "ir/analysis/intervals.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <limits>

namespace cml::ir {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();

Interval cut(std::int64_t lo, std::int64_t hi, bool can_fail) {
  can_fail = can_fail || lo < kLeast || hi > kGreatest;
  lo = std::clamp(lo, kLeast, kGreatest);
  hi = std::clamp(hi, kLeast, kGreatest);
  return {lo, hi, can_fail};
}

Interval hull(std::initializer_list<std::int64_t> values, bool can_fail) {
  return cut(std::min(values), std::max(values), can_fail);
}

/// The least number of the form 2^k - 1 that is as large as all of `a` and `b`, none negative.
std::int64_t ones(const Interval& a, const Interval& b) {
  std::int64_t result = 0;
  while (result < std::max(a.hi, b.hi))
    result = 2 * result + 1;
  return result;
}

// A number that is not negative bounds what `&` leaves of another.
Interval bits_and(const Interval& a, const Interval& b, bool can_fail) {
  if (a.lo >= 0 && b.lo >= 0) return {0, std::min(a.hi, b.hi), can_fail};
  if (a.lo >= 0) return {0, a.hi, can_fail};
  if (b.lo >= 0) return {0, b.hi, can_fail};
  return {kLeast, kGreatest, can_fail};
}

/// Also of `^`.
Interval bits_or(const Interval& a, const Interval& b, bool can_fail) {
  if (a.lo >= 0 && b.lo >= 0) return {0, ones(a, b), can_fail};
  return {kLeast, kGreatest, can_fail};
}

/// Of what is taken modulo last + 1.
Interval wrapped(std::int64_t lo, std::int64_t hi, std::int32_t last, bool can_fail) {
  if (lo >= 0 && hi <= last) return {lo, hi, can_fail};
  return {0, last, can_fail};
}

}  // namespace

std::uint32_t chosen_among(const System& system, const Expr& local_at, std::size_t slots) {
  const Expr& index = system.exprs[local_at.a];
  const auto left = static_cast<std::uint32_t>(slots) - static_cast<std::uint32_t>(local_at.value);
  if (index.op != ExprOp::Bound) return left;
  return std::min(static_cast<std::uint32_t>(index.value), left);
}

Interval interval(const Expr& expr, const Interval& a, const Interval& b, const Interval& c) {
  const bool can_fail = a.can_fail || b.can_fail;
  switch (expr.op) {
    case ExprOp::Constant:
      return {expr.value, expr.value, false};
    case ExprOp::Negate:
      return cut(-a.hi, -a.lo, a.can_fail);
    case ExprOp::Not:
      return {0, 1, a.can_fail};
    case ExprOp::Bound:
      return {std::max<std::int64_t>(a.lo, 0), std::min<std::int64_t>(a.hi, expr.value - 1),
              a.can_fail || !a.within(0, std::int64_t{expr.value} - 1)};
    case ExprOp::Add:
      return cut(a.lo + b.lo, a.hi + b.hi, can_fail);
    case ExprOp::Subtract:
      return cut(a.lo - b.hi, a.hi - b.lo, can_fail);
    case ExprOp::Multiply:
      return hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}, can_fail);
    case ExprOp::Divide: {
      const bool by_zero = b.lo <= 0 && 0 <= b.hi;
      if (b.lo <= 0 || b.hi <= 0) {  // by 1 or -1 at best
        const std::int64_t most = std::max(std::abs(a.lo), std::abs(a.hi));
        return cut(-most, most, can_fail || by_zero);
      }
      return hull({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi}, can_fail);
    }
    case ExprOp::Remainder: {
      const bool by_zero = b.lo <= 0 && 0 <= b.hi;
      const std::int64_t most = std::max(std::abs(b.lo), std::abs(b.hi));
      const std::int64_t below = most > 0 ? most - 1 : 0;
      return {a.lo < 0 ? std::max(a.lo, -below) : 0, a.hi > 0 ? std::min(a.hi, below) : 0,
              can_fail || by_zero};
    }
    case ExprOp::BitAnd:
      return bits_and(a, b, can_fail);
    case ExprOp::BitOr:
    case ExprOp::BitXor:
      return bits_or(a, b, can_fail);
    case ExprOp::ShiftLeft: {
      const std::int64_t least = std::clamp<std::int64_t>(b.lo, 0, 31);
      const std::int64_t most = std::clamp<std::int64_t>(b.hi, 0, 31);
      const std::int64_t small = std::int64_t{1} << least;
      const std::int64_t large = std::int64_t{1} << most;
      return hull({a.lo * small, a.lo * large, a.hi * small, a.hi * large},
                  can_fail || !b.within(0, 31));
    }
    case ExprOp::ShiftRight: {
      const std::int64_t least = std::clamp<std::int64_t>(b.lo, 0, 31);
      const std::int64_t most = std::clamp<std::int64_t>(b.hi, 0, 31);
      return hull({a.lo >> least, a.lo >> most, a.hi >> least, a.hi >> most},
                  can_fail || !b.within(0, 31));
    }
    case ExprOp::AddModulo:
      return wrapped(a.lo + b.lo, a.hi + b.hi, expr.value, can_fail);
    case ExprOp::MultiplyModulo: {
      const Interval all = hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}, can_fail);
      return wrapped(all.lo, all.hi, expr.value, can_fail);
    }
    case ExprOp::Singleton:
      return {1, std::int64_t{1} << (expr.value - 1),
              a.can_fail || !a.within(0, std::int64_t{expr.value} - 1)};
    case ExprOp::CountBits:
      return {0,
              a.lo < 0
                  ? std::int64_t{32}
                  : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(a.hi))),
              a.can_fail};
    case ExprOp::And:
      return {std::min<std::int64_t>(b.lo, 0), std::max<std::int64_t>(b.hi, 0), can_fail};
    case ExprOp::Or:
      return {std::min<std::int64_t>(b.lo, 1), std::max<std::int64_t>(b.hi, 1), can_fail};
    case ExprOp::If:
      return {std::min(b.lo, c.lo), std::max(b.hi, c.hi), can_fail || c.can_fail};
    default:  // comparisons
      return {0, 1, can_fail};
  }
}

}  // namespace cml::ir
