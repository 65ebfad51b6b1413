// Interval arithmetic in 64 bits; a result beyond 32 bits is one that can fail, cut to what is
// left.
#include "jit/ranges.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace cml::jit {
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

}  // namespace

const Interval& Ranges::of(ir::ExprId id) {
  const auto known = known_.find(id.index);
  if (known != known_.end()) return known->second;
  const Interval interval = compute(id);
  return known_.emplace(id.index, interval).first->second;
}

std::uint32_t Ranges::count(const ir::Expr& local_at) const {
  const ir::Expr& index = system_.exprs[local_at.a];
  const auto first = static_cast<std::uint32_t>(local_at.value);
  const auto all = static_cast<std::uint32_t>(slots_.size());
  if (index.op != ir::ExprOp::Bound) return all - first;
  return std::min(static_cast<std::uint32_t>(index.value), all - first);
}

Interval Ranges::compute(ir::ExprId id) {
  const ir::Expr& expr = system_.exprs[id];
  switch (expr.op) {
    case ir::ExprOp::Constant:
      return {expr.value, expr.value, false};
    case ir::ExprOp::Local: {
      const ir::Field& slot = slots_[static_cast<std::size_t>(expr.value)];
      return {slot.lo, slot.hi, false};
    }
    default:
      break;
  }
  const Interval a = of(expr.a);
  switch (expr.op) {
    case ir::ExprOp::LocalAt: {
      Interval result{kGreatest, kLeast, a.can_fail};
      for (std::uint32_t i = 0; i < count(expr); ++i) {
        const ir::Field& slot = slots_[static_cast<std::size_t>(expr.value) + i];
        result.lo = std::min<std::int64_t>(result.lo, slot.lo);
        result.hi = std::max<std::int64_t>(result.hi, slot.hi);
      }
      result.can_fail = result.can_fail || !a.within(0, std::int64_t{count(expr)} - 1);
      return result;
    }
    case ir::ExprOp::Negate:
      return cut(-a.hi, -a.lo, a.can_fail);
    case ir::ExprOp::Not:
      return {0, 1, a.can_fail};
    case ir::ExprOp::Bound:
      return {std::max<std::int64_t>(a.lo, 0), std::min<std::int64_t>(a.hi, expr.value - 1),
              a.can_fail || !a.within(0, std::int64_t{expr.value} - 1)};
    default:
      break;
  }
  const Interval b = of(expr.b);
  const bool can_fail = a.can_fail || b.can_fail;
  switch (expr.op) {
    case ir::ExprOp::Add:
      return cut(a.lo + b.lo, a.hi + b.hi, can_fail);
    case ir::ExprOp::Subtract:
      return cut(a.lo - b.hi, a.hi - b.lo, can_fail);
    case ir::ExprOp::Multiply:
      return hull({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}, can_fail);
    case ir::ExprOp::Divide: {
      const bool by_zero = b.lo <= 0 && 0 <= b.hi;
      if (by_zero || b.lo < 0) {  // by 1 or -1 at best
        const std::int64_t most = std::max(std::abs(a.lo), std::abs(a.hi));
        return cut(-most, most, can_fail || by_zero);
      }
      return hull({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi}, can_fail);
    }
    case ir::ExprOp::Remainder: {
      const bool by_zero = b.lo <= 0 && 0 <= b.hi;
      const std::int64_t most = std::max(std::abs(b.lo), std::abs(b.hi));
      const std::int64_t below = most > 0 ? most - 1 : 0;
      return {a.lo < 0 ? std::max(a.lo, -below) : 0, a.hi > 0 ? std::min(a.hi, below) : 0,
              can_fail || by_zero};
    }
    case ir::ExprOp::And:
      return {std::min<std::int64_t>(b.lo, 0), std::max<std::int64_t>(b.hi, 0), can_fail};
    case ir::ExprOp::Or:
      return {std::min<std::int64_t>(b.lo, 1), std::max<std::int64_t>(b.hi, 1), can_fail};
    case ir::ExprOp::If: {
      const Interval c = of(expr.c);
      return {std::min(b.lo, c.lo), std::max(b.hi, c.hi), can_fail || c.can_fail};
    }
    default:
      return {0, 1, can_fail};
  }
}

}  // namespace cml::jit
