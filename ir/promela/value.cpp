// Expressions as text, their ranges, and what can go wrong in them.
#include "ir/promela/value.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>

#include "ir/analysis/intervals.h"

namespace cml::ir::promela {
namespace {

constexpr std::int64_t kMin = INT32_MIN;
constexpr std::int64_t kMax = INT32_MAX;

std::string number(std::int64_t value) {
  // SPIN reads no literal below -2147483647.
  return value == kMin ? "(-2147483647 - 1)" : std::to_string(value);
}

Value fitted(std::string text, std::int64_t lo, std::int64_t hi) {
  if (lo < kMin || hi > kMax) {
    lo = kMin;
    hi = kMax;
  }
  return arithmetic(std::move(text), lo, hi);
}

Value infix(const Value& a, const char* op, const Value& b, std::int64_t lo, std::int64_t hi) {
  return fitted(fmt::format("{} {} {}", a.operand(), op, b.operand()), lo, hi);
}

/// A comparison; a constant where the ranges decide it.
Value compared(const Value& a, std::string_view op, const Value& b) {
  const Value text = condition(
      fmt::format("{} {} {}", a.operand(Level::Arithmetic), op, b.operand(Level::Arithmetic)));
  const auto decided = [&text](bool always, bool never) {
    return always ? constant(1) : never ? constant(0) : text;
  };
  if (op == "<") return decided(a.hi < b.lo, a.lo >= b.hi);
  if (op == ">") return decided(a.lo > b.hi, a.hi <= b.lo);
  if (op == "<=") return decided(a.hi <= b.lo, a.lo > b.hi);
  const bool are_equal = a.constant() && b.constant() && a.lo == b.lo;
  const bool are_apart = a.hi < b.lo || a.lo > b.hi;
  return op == "==" ? decided(are_equal, are_apart) : decided(are_apart, are_equal);
}

/// The constant result of two constants; none where the operation would fail.
std::optional<Value> folded(const Value& a, const Value& b, auto fold) {
  if (!a.constant() || !b.constant()) return std::nullopt;
  return constant(std::clamp<std::int64_t>(fold(a.lo, b.lo), kMin, kMax));
}

Value product(const Value& a, const Value& b) {
  if (const auto known = folded(a, b, [](auto x, auto y) { return x * y; })) return *known;
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return infix(a, "*", b, lo, hi);
}

Value product_overflows(const Value& a, const Value& b) {
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  if (lo >= kMin && hi <= kMax) return constant(0);
  const auto quotient = [](std::int64_t limit, const Value& divisor) {
    return arithmetic(fmt::format("{} / {}", number(limit), divisor.operand()), kMin, kMax);
  };
  const auto case_of = [&](const char* sign_a, const char* sign_b, const Value& small,
                           std::string_view op, const Value& limit) {
    return both(both(compared(a, sign_a, constant(0)), compared(b, sign_b, constant(0))),
                compared(small, op, limit));
  };
  return any(any(case_of(">", ">", a, ">", quotient(kMax, b)),
                 case_of(">", "<", b, "<", quotient(kMin, a))),
             any(case_of("<", ">", a, "<", quotient(kMin, b)),
                 case_of("<", "<", b, "<", quotient(kMax, a))));
}

/// Of a sum or a product that C can compute; what would not fit is refused before (promela.cpp).
Value modulo(const Value& a, std::int64_t last) {
  if (a.lo >= 0 && a.hi <= last) return a;
  const Value modulus = constant(last + 1);
  if (a.constant()) return constant(((a.lo % (last + 1)) + last + 1) % (last + 1));
  if (a.lo >= 0) return infix(a, "%", modulus, 0, last);
  const Value above = infix(infix(a, "%", modulus, -last, last), "+", modulus, 1, 2 * last + 1);
  return infix(above, "%", modulus, 0, last);
}

Value quotient(const Value& a, const Value& b) {
  if (const auto known = folded(a, b, [](auto x, auto y) { return y == 0 ? 0 : x / y; }))
    return *known;
  const std::int64_t most = std::max(std::abs(a.lo), std::abs(a.hi));
  const bool is_positive = a.lo >= 0 && b.lo >= 0;
  return infix(a, "/", b, is_positive ? 0 : -most, most);
}

Value remainder(const Value& a, const Value& b) {
  if (const auto known = folded(a, b, [](auto x, auto y) { return y == 0 ? 0 : x % y; }))
    return *known;
  const std::int64_t most = std::max(std::abs(b.lo), std::abs(b.hi)) - 1;
  const std::int64_t lo = std::max(a.lo < 0 ? -most : 0, std::min<std::int64_t>(a.lo, 0));
  const std::int64_t hi = std::min(a.hi > 0 ? most : 0, std::max<std::int64_t>(a.hi, 0));
  Value result = infix(a, "%", b, lo, hi);
  if (a.lo == kMin && b.lo <= -1 && b.hi >= -1)  // C's remainder traps there, and is 0
    return choice(compared(b, "==", constant(-1)), constant(0), result);
  return result;
}

/// Operators on bits are those of C, with its ints and gcc's shifts.
Value bits(const Expr& expr, const Value& a, const Value& b) {
  const Interval values = interval(expr, {a.lo, a.hi, false}, {b.lo, b.hi, false}, Interval());
  const char* op = expr.op == ExprOp::BitAnd      ? "&"
                   : expr.op == ExprOp::BitOr     ? "|"
                   : expr.op == ExprOp::BitXor    ? "^"
                   : expr.op == ExprOp::ShiftLeft ? "<<"
                                                  : ">>";
  // C's `&`, `|` and `^` bind less than comparisons.
  Value result = infix(a, op, b, values.lo, values.hi);
  return {result.operand(), result.lo, result.hi, Level::Atom};
}

Value singleton(const Value& element, std::int32_t size) {
  if (const auto known = element.constant())
    return constant(std::int64_t{1} << std::clamp<std::int64_t>(*known, 0, size - 1));
  const Value set = infix(constant(1), "<<", element, 1, std::int64_t{1} << (size - 1));
  return {set.operand(), set.lo, set.hi, Level::Atom};
}

/// Promela has no word for it: bit by bit.
Value count_bits(const Value& set) {
  if (set.constant()) return constant(std::popcount(static_cast<std::uint32_t>(set.lo)));
  std::string text;
  const auto bits = static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(set.hi, 1))));
  for (int i = 0; i < bits; ++i)
    text += fmt::format("{}(({} >> {}) & 1)", i == 0 ? "" : " + ", set.operand(), i);
  return arithmetic(std::move(text), 0, bits);
}

/// The slot at an index that is known at run time only.
Value element(const System& system, const Expr& expr, const Value& index, const Frame& frame) {
  const auto count = static_cast<std::uint32_t>(system.exprs[expr.a].value);
  const auto first = static_cast<std::uint32_t>(expr.value);
  if (const auto known = index.constant())
    return frame.slots[first + static_cast<std::uint32_t>(*known)].value;
  bool are_variables = true;
  std::int64_t lo = kMax;
  std::int64_t hi = kMin;
  for (std::uint32_t i = first; i < first + count; ++i) {
    are_variables = are_variables && frame.slots[i].is_variable;
    lo = std::min(lo, frame.slots[i].value.lo);
    hi = std::max(hi, frame.slots[i].value.hi);
  }
  if (are_variables) {
    const Frame::Slot& slot = frame.slots[first];
    const Value position = sum(index, constant(slot.position));
    return {fmt::format("{}[{}]", slot.array, position.text), lo, hi, Level::Atom};
  }
  Value result = frame.slots[first + count - 1].value;
  for (std::uint32_t i = count - 1; i-- > 0;)
    result = choice(compared(index, "==", constant(i)), frame.slots[first + i].value, result);
  return result;
}

}  // namespace

Value constant(std::int64_t value) {
  return {number(value), value, value, value < 0 ? Level::Arithmetic : Level::Atom};
}

Value arithmetic(std::string text, std::int64_t lo, std::int64_t hi) {
  return {std::move(text), lo, hi, Level::Arithmetic};
}

Value condition(std::string text) { return {std::move(text), 0, 1, Level::Comparison}; }

Value negated(const Value& a) {
  if (const auto known = a.constant()) return constant(*known == 0 ? 1 : 0);
  if (a.text.starts_with('!') && a.level == Level::Atom)
    return {a.text.substr(1), 0, 1, Level::Atom};
  return {"!" + a.operand(), 0, 1, Level::Atom};
}

Value both(const Value& a, const Value& b) {
  if (const auto known = a.constant()) return *known != 0 ? b : constant(0);
  if (b.constant()) return *b.constant() != 0 ? a : constant(0);
  return {fmt::format("{} && {}", a.operand(Level::And), b.operand(Level::And)), 0, 1, Level::And};
}

Value any(const Value& a, const Value& b) {
  if (const auto known = a.constant()) return *known != 0 ? constant(1) : b;
  if (b.constant()) return *b.constant() != 0 ? constant(1) : a;
  const auto side = [](const Value& v) {
    return v.operand(v.level == Level::And ? Level::Comparison : Level::Or);
  };
  return {fmt::format("{} || {}", side(a), side(b)), 0, 1, Level::Or};
}

Value choice(const Value& c, const Value& a, const Value& b) {
  if (const auto known = c.constant()) return *known != 0 ? a : b;
  if (a.text == b.text) return a;
  const auto is = [](const Value& v, std::int32_t what) { return v.constant() == what; };
  const bool are_conditions = a.lo >= 0 && a.hi <= 1 && b.lo >= 0 && b.hi <= 1;
  if (are_conditions) {
    if (is(a, 1)) return any(c, b);
    if (is(b, 0)) return both(c, a);
    if (is(a, 0)) return both(negated(c), b);
    if (is(b, 1)) return any(negated(c), a);
  }
  Value result = arithmetic(fmt::format("({} -> {} : {})", c.operand(), a.operand(), b.operand()),
                            std::min(a.lo, b.lo), std::max(a.hi, b.hi));
  result.level = Level::Atom;
  return result;
}

Value equal(const Value& a, const Value& b) { return compared(a, "==", b); }

Value sum(const Value& a, const Value& b) {
  if (a.constant() == 0) return b;
  if (b.constant() == 0) return a;
  if (const auto known = folded(a, b, [](auto x, auto y) { return x + y; })) return *known;
  if (b.constant() && b.lo < 0 && b.lo > kMin)
    return infix(a, "-", constant(-b.lo), a.lo + b.lo, a.hi + b.hi);
  return infix(a, "+", b, a.lo + b.lo, a.hi + b.hi);
}

Value difference(const Value& a, const Value& b) {
  if (b.constant() == 0) return a;
  if (const auto known = folded(a, b, [](auto x, auto y) { return x - y; })) return *known;
  return infix(a, "-", b, a.lo - b.hi, a.hi - b.lo);
}

Value sum_modulo(const Value& a, const Value& b, std::int64_t last) {
  const bool fits = a.lo + b.lo >= kMin && a.hi + b.hi <= kMax;
  return modulo(fits ? sum(a, b) : sum(modulo(a, last), modulo(b, last)), last);
}

Value sum_overflows(const Value& a, const Value& b) {
  Value result = constant(0);
  if (a.hi + b.hi > kMax)
    result = both(compared(b, ">", constant(0)), compared(a, ">", difference(constant(kMax), b)));
  if (a.lo + b.lo < kMin) {
    const Value least = arithmetic(fmt::format("-2147483647 - 1 - {}", b.operand()), kMin, kMax);
    result = any(result, both(compared(b, "<", constant(0)), compared(a, "<", least)));
  }
  return result;
}

namespace {

Value difference_overflows(const Value& a, const Value& b) {
  Value result = constant(0);
  if (a.hi - b.lo > kMax) {
    const Value most = arithmetic(fmt::format("2147483647 + {}", b.operand()), kMin, kMax);
    result = both(compared(b, "<", constant(0)), compared(a, ">", most));
  }
  if (a.lo - b.hi < kMin) {
    const Value least = arithmetic(fmt::format("-2147483647 - 1 + {}", b.operand()), kMin, kMax);
    result = any(result, both(compared(b, ">", constant(0)), compared(a, "<", least)));
  }
  return result;
}

}  // namespace

Value outside(const Value& value, std::int64_t lo, std::int64_t hi) {
  if (value.constant()) return constant(value.lo < lo || value.lo > hi ? 1 : 0);
  Value result = constant(0);
  if (value.lo < lo) result = compared(value, "<", constant(lo));
  if (value.hi > hi) result = any(result, compared(value, ">", constant(hi)));
  return result;
}

Value value(const System& system, ExprId id, const Frame& frame) {
  const Expr& expr = system.exprs[id];
  const auto of = [&](ExprId part) { return value(system, part, frame); };
  switch (expr.op) {
    case ExprOp::Constant:
      return constant(expr.value);
    case ExprOp::Local:
      return frame.slots[static_cast<std::size_t>(expr.value)].value;
    case ExprOp::LocalAt:
      return element(system, expr, of(expr.a), frame);
    case ExprOp::Negate: {
      const Value a = of(expr.a);
      if (const auto known = a.constant()) return constant(-std::max(a.lo, kMin + 1));
      return fitted("-" + a.operand(), -a.hi, -a.lo);
    }
    case ExprOp::Not:
      return negated(of(expr.a));
    case ExprOp::And:
      return both(of(expr.a), of(expr.b));
    case ExprOp::Or:
      return any(of(expr.a), of(expr.b));
    case ExprOp::If:
      return choice(of(expr.a), of(expr.b), of(expr.c));
    case ExprOp::Bound: {
      Value a = of(expr.a);
      const std::int64_t last = expr.value - 1;
      a.lo = std::clamp<std::int64_t>(a.lo, 0, last);
      a.hi = std::clamp<std::int64_t>(a.hi, 0, last);
      return a.lo == a.hi ? constant(a.lo) : a;
    }
    case ExprOp::Add:
      return sum(of(expr.a), of(expr.b));
    case ExprOp::Subtract:
      return difference(of(expr.a), of(expr.b));
    case ExprOp::Multiply:
      return product(of(expr.a), of(expr.b));
    case ExprOp::Divide:
      return quotient(of(expr.a), of(expr.b));
    case ExprOp::Remainder:
      return remainder(of(expr.a), of(expr.b));
    case ExprOp::BitAnd:
    case ExprOp::BitOr:
    case ExprOp::BitXor:
    case ExprOp::ShiftLeft:
    case ExprOp::ShiftRight:
      return bits(expr, of(expr.a), of(expr.b));
    case ExprOp::AddModulo:
      return sum_modulo(of(expr.a), of(expr.b), expr.value);
    case ExprOp::MultiplyModulo:
      return modulo(product(modulo(of(expr.a), expr.value), modulo(of(expr.b), expr.value)),
                    expr.value);
    case ExprOp::Singleton:
      return singleton(of(expr.a), expr.value);
    case ExprOp::CountBits:
      return count_bits(of(expr.a));
    case ExprOp::Equal:
      return equal(of(expr.a), of(expr.b));
    case ExprOp::NotEqual:
      return compared(of(expr.a), "!=", of(expr.b));
    case ExprOp::Less:
      return compared(of(expr.a), "<", of(expr.b));
    case ExprOp::LessEqual:
      return compared(of(expr.a), "<=", of(expr.b));
  }
  return constant(0);
}

void faults(const System& system, ExprId id, const Frame& frame, std::vector<Fault>& out) {
  const Expr& expr = system.exprs[id];
  const auto of = [&](ExprId part) { return value(system, part, frame); };
  const auto add = [&](Value when, FaultKind kind) {
    if (when.constant() != 0) out.push_back({std::move(when), kind, expr.range});
  };
  // The faults of a part that is evaluated only under a condition.
  const auto under = [&](const Value& reached, ExprId part) {
    std::vector<Fault> found;
    faults(system, part, frame, found);
    for (Fault& fault : found) {
      fault.condition = both(reached, fault.condition);
      if (fault.condition.constant() != 0) out.push_back(std::move(fault));
    }
  };
  const auto of_both = [&] {
    faults(system, expr.a, frame, out);
    faults(system, expr.b, frame, out);
  };
  switch (expr.op) {
    case ExprOp::Constant:
    case ExprOp::Local:
      return;
    case ExprOp::LocalAt:
    case ExprOp::Not:
      return faults(system, expr.a, frame, out);
    case ExprOp::And:
      faults(system, expr.a, frame, out);
      return under(of(expr.a), expr.b);
    case ExprOp::Or:
      faults(system, expr.a, frame, out);
      return under(negated(of(expr.a)), expr.b);
    case ExprOp::If:
      faults(system, expr.a, frame, out);
      under(of(expr.a), expr.b);
      return under(negated(of(expr.a)), expr.c);
    case ExprOp::Negate:
      faults(system, expr.a, frame, out);
      if (of(expr.a).lo == kMin) add(equal(of(expr.a), constant(kMin)), FaultKind::Overflow);
      return;
    case ExprOp::CountBits:
      return faults(system, expr.a, frame, out);
    case ExprOp::Singleton:
      faults(system, expr.a, frame, out);
      return add(outside(of(expr.a), 0, expr.value - 1), FaultKind::Range);
    case ExprOp::Bound:
      faults(system, expr.a, frame, out);
      return add(outside(of(expr.a), 0, expr.value - 1), FaultKind::Index);
    case ExprOp::Add:
      of_both();
      return add(sum_overflows(of(expr.a), of(expr.b)), FaultKind::Overflow);
    case ExprOp::Subtract:
      of_both();
      return add(difference_overflows(of(expr.a), of(expr.b)), FaultKind::Overflow);
    case ExprOp::Multiply:
      of_both();
      return add(product_overflows(of(expr.a), of(expr.b)), FaultKind::Overflow);
    case ExprOp::Divide:
    case ExprOp::Remainder: {
      of_both();
      const Value a = of(expr.a);
      const Value b = of(expr.b);
      if (b.lo <= 0 && b.hi >= 0) add(equal(b, constant(0)), FaultKind::DivisionByZero);
      if (expr.op == ExprOp::Divide && a.lo == kMin && b.lo <= -1 && b.hi >= -1)
        add(both(equal(a, constant(kMin)), equal(b, constant(-1))), FaultKind::Overflow);
      return;
    }
    case ExprOp::ShiftLeft:
    case ExprOp::ShiftRight: {
      of_both();
      const Value b = of(expr.b);
      const Value wide = outside(b, 0, 31);
      add(wide, FaultKind::Overflow);
      const Value shifted = value(system, id, frame);
      const Value a = of(expr.a);
      const Interval fits = interval(expr, {a.lo, a.hi, false}, {b.lo, b.hi, false}, Interval());
      if (expr.op == ExprOp::ShiftRight || !fits.can_fail || wide.constant() == 1) return;
      // What does not come back has not fitted.
      const Value back =
          arithmetic(fmt::format("({}) >> {}", shifted.text, b.operand()), kMin, kMax);
      add(both(negated(wide), compared(back, "!=", a)), FaultKind::Overflow);
      return;
    }
    case ExprOp::BitAnd:
    case ExprOp::BitOr:
    case ExprOp::BitXor:
    case ExprOp::AddModulo:
    case ExprOp::MultiplyModulo:
    case ExprOp::Equal:
    case ExprOp::NotEqual:
    case ExprOp::Less:
    case ExprOp::LessEqual:
      return of_both();
  }
}

bool reads(const System& system, ExprId id, Slot slot) {
  const Expr& expr = system.exprs[id];
  if (expr.op == ExprOp::Constant) return false;
  const auto at = static_cast<Slot>(expr.value);
  if (expr.op == ExprOp::Local) return at == slot;
  if (expr.op == ExprOp::LocalAt) {
    const auto count = static_cast<Slot>(system.exprs[expr.a].value);
    if (at <= slot && slot < at + count) return true;
  }
  return reads(system, expr.a, slot) || (expr.b.valid() && reads(system, expr.b, slot)) ||
         (expr.c.valid() && reads(system, expr.c, slot));
}

}  // namespace cml::ir::promela
