// Constant folding and intervals.
#include "ir/lower/scalar.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "ir/analysis/intervals.h"
#include "ir/expression_value.h"

namespace cml::ir::lowering {
namespace {

using Wide = std::int64_t;

struct WideInterval {
  Wide lo;
  Wide hi;
};

WideInterval hull(std::initializer_list<Wide> values) {
  return {std::min(values), std::max(values)};
}

bool fits(Wide value) { return value >= INT32_MIN && value <= INT32_MAX; }

std::int32_t clip(Wide value) {
  return static_cast<std::int32_t>(std::clamp<Wide>(value, INT32_MIN, INT32_MAX));
}

bool is_comparison(ExprOp op) { return op >= ExprOp::Equal && op <= ExprOp::LessEqual; }

bool compare(ExprOp op, std::int32_t a, std::int32_t b) {
  switch (op) {
    case ExprOp::Equal:
      return a == b;
    case ExprOp::NotEqual:
      return a != b;
    case ExprOp::Less:
      return a < b;
    default:
      return a <= b;
  }
}

WideInterval quotients(const Scalar& a, const Scalar& b) {
  // A quotient is extreme at an end of `a` and at an end of `b`, or at the values beside zero.
  WideInterval result{0, 0};
  bool any = false;
  for (const Wide divisor : {Wide{b.lo}, Wide{b.hi}, Wide{-1}, Wide{1}}) {
    if (divisor == 0 || divisor < b.lo || divisor > b.hi) continue;
    const WideInterval some = hull({a.lo / divisor, a.hi / divisor});
    result = any ? WideInterval{std::min(result.lo, some.lo), std::max(result.hi, some.hi)} : some;
    any = true;
  }
  // Zero lies between the ends, if the dividend can change its sign or be small.
  if (a.lo <= 0 && a.hi >= 0) result = {std::min<Wide>(result.lo, 0), std::max<Wide>(result.hi, 0)};
  return result;
}

WideInterval remainders(const Scalar& a, const Scalar& b) {
  if (a.constant && b.constant && b.lo != 0) return {Wide{a.lo} % b.lo, Wide{a.lo} % b.lo};
  const Wide most = std::max({std::abs(Wide{b.lo}), std::abs(Wide{b.hi}), Wide{1}}) - 1;
  return {a.lo < 0 ? std::max<Wide>(a.lo, -most) : 0, a.hi > 0 ? std::min<Wide>(a.hi, most) : 0};
}

}  // namespace

Scalar Expressions::make(ExprOp op, std::int32_t value, const Scalar* a, const Scalar* b,
                         const Scalar* c, SourceRange range) {
  Expr expr;
  expr.op = op;
  expr.value = value;
  expr.range = range;
  Scalar result;
  result.stable = true;
  const auto take = [&](const Scalar* part, ExprId& operand) {
    if (part == nullptr) return;
    operand = part->expr;
    result.fails |= part->fails;
    result.stable &= part->stable;
  };
  take(a, expr.a);
  take(b, expr.b);
  take(c, expr.c);
  result.expr = system_.exprs.push(expr);
  return result;
}

Scalar Expressions::constant(std::int32_t value) {
  const auto [entry, is_new] = constants_.try_emplace(value, ExprId());
  if (is_new) entry->second = make(ExprOp::Constant, value, nullptr, nullptr, nullptr, {}).expr;
  return {entry->second, value, value, false, true, true};
}

Scalar Expressions::local(Slot slot, std::int32_t lo, std::int32_t hi, bool stable) {
  if (slot >= locals_.size()) locals_.resize(slot + 1);
  if (!locals_[slot].valid())
    locals_[slot] =
        make(ExprOp::Local, static_cast<std::int32_t>(slot), nullptr, nullptr, nullptr, {}).expr;
  return {locals_[slot], lo, hi, false, stable, false};
}

Scalar Expressions::local_at(Slot slot, const Scalar& index, std::uint32_t count, std::int32_t lo,
                             std::int32_t hi, SourceRange range) {
  const bool is_bound = !index.constant && system_.exprs[index.expr].op == ExprOp::Bound &&
                        system_.exprs[index.expr].value == static_cast<std::int32_t>(count);
  const Scalar checked = is_bound ? index
                                  : make(ExprOp::Bound, static_cast<std::int32_t>(count), &index,
                                         nullptr, nullptr, range);
  Scalar result =
      make(ExprOp::LocalAt, static_cast<std::int32_t>(slot), &checked, nullptr, nullptr, range);
  result.lo = lo;
  result.hi = hi;
  result.fails = index.fails || !index.within(0, static_cast<std::int32_t>(count) - 1);
  result.stable = false;
  return result;
}

Scalar Expressions::negate(const Scalar& a, SourceRange range) {
  if (a.constant && a.lo != INT32_MIN) return constant(-a.lo);
  Scalar result = make(ExprOp::Negate, 0, &a, nullptr, nullptr, range);
  result.fails |= a.lo == INT32_MIN;
  result.lo = clip(-Wide{a.hi});
  result.hi = clip(-Wide{a.lo});
  return result;
}

Scalar Expressions::logical_not(const Scalar& a, SourceRange range) {
  if (a.constant) return constant(a.lo == 0 ? 1 : 0);
  Scalar result = make(ExprOp::Not, 0, &a, nullptr, nullptr, range);
  result.lo = 0;
  result.hi = 1;
  return result;
}

Scalar Expressions::binary(ExprOp op, const Scalar& a, const Scalar& b, SourceRange range) {
  if (op == ExprOp::And || op == ExprOp::Or) {
    if (a.constant) return a.is(op == ExprOp::And ? 1 : 0) ? b : a;
  } else if (!is_comparison(op)) {
    return arithmetic(op, a, b, range);
  } else if (a.constant && b.constant) {
    return constant(compare(op, a.lo, b.lo) ? 1 : 0);
  }
  Scalar result = make(op, 0, &a, &b, nullptr, range);
  result.lo = 0;
  result.hi = 1;
  return result;
}

Scalar Expressions::arithmetic(ExprOp op, const Scalar& a, const Scalar& b, SourceRange range) {
  WideInterval values{0, 0};
  bool fails = false;
  const bool divides = op == ExprOp::Divide || op == ExprOp::Remainder;
  if (divides) fails = (b.lo <= 0 && b.hi >= 0) || (a.lo == INT32_MIN && b.lo <= -1 && b.hi >= -1);
  switch (op) {
    case ExprOp::Add:
      values = {Wide{a.lo} + b.lo, Wide{a.hi} + b.hi};
      break;
    case ExprOp::Subtract:
      values = {Wide{a.lo} - b.hi, Wide{a.hi} - b.lo};
      break;
    case ExprOp::Multiply:
      values = hull({Wide{a.lo} * b.lo, Wide{a.lo} * b.hi, Wide{a.hi} * b.lo, Wide{a.hi} * b.hi});
      break;
    case ExprOp::Divide:
      values = quotients(a, b);
      break;
    case ExprOp::Remainder:
      values = remainders(a, b);
      break;
    default:
      return bits(op, a, b, range);
  }
  fails |= !fits(values.lo) || !fits(values.hi);
  if (a.constant && b.constant && !fails) return constant(static_cast<std::int32_t>(values.lo));
  Scalar result = make(op, 0, &a, &b, nullptr, range);
  result.fails |= fails;
  result.lo = clip(values.lo);
  result.hi = clip(values.hi);
  return result;
}

Scalar Expressions::modulo(ExprOp op, const Scalar& a, const Scalar& b, std::int32_t last,
                           SourceRange range) {
  if (op == ExprOp::Subtract)
    return modulo(ExprOp::Add, a, negate(b.lo == INT32_MIN ? wrap(b, last, range) : b, range), last,
                  range);
  const bool is_sum = op == ExprOp::Add;
  const WideInterval exact =
      is_sum ? WideInterval{Wide{a.lo} + b.lo, Wide{a.hi} + b.hi}
             : hull({Wide{a.lo} * b.lo, Wide{a.lo} * b.hi, Wide{a.hi} * b.lo, Wide{a.hi} * b.hi});
  if (a.constant && b.constant) return constant(ir::modulo(exact.lo, last));
  if (exact.lo >= 0 && exact.hi <= last) return binary(op, a, b, range);
  Scalar result =
      make(is_sum ? ExprOp::AddModulo : ExprOp::MultiplyModulo, last, &a, &b, nullptr, range);
  result.lo = 0;
  result.hi = last;
  return result;
}

Scalar Expressions::singleton(const Scalar& a, std::int32_t size, SourceRange range) {
  const bool is_element = a.within(0, size - 1);
  if (a.constant && is_element) return constant(std::int32_t{1} << a.lo);
  Scalar result = make(ExprOp::Singleton, size, &a, nullptr, nullptr, range);
  result.fails |= !is_element;
  result.lo = 1;
  result.hi = std::int32_t{1} << (size - 1);
  return result;
}

Scalar Expressions::count(const Scalar& set, SourceRange range) {
  if (set.constant) return constant(std::popcount(static_cast<std::uint32_t>(set.lo)));
  Scalar result = make(ExprOp::CountBits, 0, &set, nullptr, nullptr, range);
  result.lo = set.lo > 0 ? 1 : 0;
  result.hi = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(set.hi)));
  return result;
}

Scalar Expressions::wrap(const Scalar& a, std::int32_t last, SourceRange range) {
  if (a.within(0, last)) return a;
  return modulo(ExprOp::Add, a, constant(0), last, range);
}

/// Folded by the evaluator, bounded by the intervals of the analyses.
Scalar Expressions::bits(ExprOp op, const Scalar& a, const Scalar& b, SourceRange range) {
  Scalar result = make(op, 0, &a, &b, nullptr, range);
  const Interval values =
      interval(system_.exprs[result.expr], {a.lo, a.hi, a.fails}, {b.lo, b.hi, b.fails}, {});
  result.fails = values.can_fail;
  result.lo = static_cast<std::int32_t>(values.lo);
  result.hi = static_cast<std::int32_t>(values.hi);
  if (!a.constant || !b.constant) return result;
  EvaluationFault fault;
  const auto known = evaluate(system_, result.expr, nullptr, fault);
  return known ? constant(*known) : result;
}

Scalar Expressions::conditional(const Scalar& condition, const Scalar& if_true,
                                const Scalar& if_false, SourceRange range) {
  if (condition.constant) return condition.lo != 0 ? if_true : if_false;
  Scalar result = make(ExprOp::If, 0, &condition, &if_true, &if_false, range);
  result.lo = std::min(if_true.lo, if_false.lo);
  result.hi = std::max(if_true.hi, if_false.hi);
  return result;
}

Scalar Expressions::bound(const Scalar& a, std::uint32_t size, SourceRange range) {
  const auto last = static_cast<std::int32_t>(std::max(size, 1U)) - 1;
  if (a.constant && a.within(0, last)) return a;
  Scalar result = make(ExprOp::Bound, static_cast<std::int32_t>(size), &a, nullptr, nullptr, range);
  result.fails |= !a.within(0, last);
  result.lo = std::clamp(a.lo, 0, last);
  result.hi = std::clamp(a.hi, 0, last);
  return result;
}

}  // namespace cml::ir::lowering
