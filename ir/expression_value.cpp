// Expression evaluation by recursion; the depth of expressions is bounded by the front end's limit
// on nesting.
#include "ir/expression_value.h"

#include <bit>
#include <limits>

#include "support/mutation.h"

namespace cml::ir {
namespace {

std::optional<std::int32_t> narrowed(std::int64_t value, ExprId where, EvaluationFault& fault) {
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    fault = {FaultKind::Overflow, where};
    return std::nullopt;
  }
  return static_cast<std::int32_t>(value);
}

std::optional<std::int32_t> binary(const Expr& expr, ExprId where, std::int32_t a, std::int32_t b,
                                   EvaluationFault& fault) {
  const std::int64_t left = a;
  const std::int64_t right = b;
  switch (expr.op) {
    case ExprOp::Add:
      return narrowed(left + right, where, fault);
    case ExprOp::Subtract:
      return narrowed(left - right, where, fault);
    case ExprOp::Multiply:
      return narrowed(left * right, where, fault);
    case ExprOp::Divide:
    case ExprOp::Remainder:
      if (b == 0) {
        fault = {FaultKind::DivisionByZero, where};
        return std::nullopt;
      }
      return narrowed(expr.op == ExprOp::Divide ? left / right : left % right, where, fault);
    case ExprOp::BitAnd:
      return a & b;
    case ExprOp::BitOr:
      return a | b;
    case ExprOp::BitXor:
      return a ^ b;
    case ExprOp::ShiftLeft:
    case ExprOp::ShiftRight:
      if (b < 0 || b > 31) {
        fault = {FaultKind::Overflow, where};
        return std::nullopt;
      }
      if (expr.op == ExprOp::ShiftRight) return a >> b;
      return narrowed(left * (std::int64_t{1} << right), where, fault);
    case ExprOp::AddModulo:
      return modulo(left + right, expr.value);
    case ExprOp::MultiplyModulo:
      return modulo(left * right, expr.value);
    case ExprOp::Equal:
      return a == b;
    case ExprOp::NotEqual:
      return a != b;
    case ExprOp::Less:
      return a < b;
    case ExprOp::LessEqual:
      return a <= b;
    default:
      break;
  }
  fault = {FaultKind::Internal, where};
  return std::nullopt;
}

}  // namespace

std::int32_t modulo(std::int64_t value, std::int32_t last) {
  const std::int64_t modulus = std::int64_t{last} + 1;
  const std::int64_t rest = value % modulus;
  const bool is_below = CML_MUTATED("modulo-has-the-sign-of-its-operand", rest < 0, false);
  return static_cast<std::int32_t>(is_below ? rest + modulus : rest);
}

std::int32_t element_at(std::int32_t set, std::uint32_t position) {
  auto rest = static_cast<std::uint32_t>(set);
  for (; position > 0 && rest != 0; --position)
    rest &= rest - 1;
  return rest == 0 ? 0 : std::countr_zero(rest);
}

FaultKind fault_kind(const Instruction& assertion) {
  const std::string_view name = assertion.kind;
  if (name.empty() || name == "assertion") return FaultKind::Assertion;
  if (name == "range") return FaultKind::Range;
  if (name == "index") return FaultKind::Index;
  if (name == "null") return FaultKind::Null;
  if (name == "overflow") return FaultKind::Overflow;
  if (name == "division-by-zero") return FaultKind::DivisionByZero;
  if (name == "stack-overflow") return FaultKind::StackOverflow;
  if (name == "unshared") return FaultKind::Unshared;
  return FaultKind::Internal;
}

std::optional<std::int32_t> evaluate(const System& system, ExprId id, const std::int32_t* slots,
                                     EvaluationFault& fault) {
  const Expr& expr = system.exprs[id];
  switch (expr.op) {
    case ExprOp::Constant:
      return expr.value;
    case ExprOp::Local:
      return slots[expr.value];
    default:
      break;
  }
  const std::optional<std::int32_t> a = evaluate(system, expr.a, slots, fault);
  if (!a) return std::nullopt;
  switch (expr.op) {
    case ExprOp::LocalAt:
      return slots[expr.value + *a];
    case ExprOp::Negate:
      return narrowed(-std::int64_t{*a}, id, fault);
    case ExprOp::Not:
      return *a == 0;
    case ExprOp::And:
      return *a == 0 ? 0 : evaluate(system, expr.b, slots, fault);
    case ExprOp::Or:
      return *a != 0 ? 1 : evaluate(system, expr.b, slots, fault);
    case ExprOp::If:
      return evaluate(system, *a != 0 ? expr.b : expr.c, slots, fault);
    case ExprOp::Singleton:
      if (*a >= 0 && *a < expr.value) return std::int32_t{1} << *a;
      fault = {FaultKind::Range, id};
      return std::nullopt;
    case ExprOp::CountBits:
      return std::popcount(static_cast<std::uint32_t>(*a));
    case ExprOp::Bound:
      if (*a >= 0 && *a < expr.value) return a;
      fault = {FaultKind::Index, id};
      return std::nullopt;
    default:
      break;
  }
  const std::optional<std::int32_t> b = evaluate(system, expr.b, slots, fault);
  if (!b) return std::nullopt;
  return binary(expr, id, *a, *b, fault);
}

}  // namespace cml::ir
