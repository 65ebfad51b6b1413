// Expressions: 32-bit arithmetic with those checks that Ranges does not prove superfluous.
#include "jit/emitter.h"
#include "support/mutation.h"

namespace cml::jit {

using ir::Expr;
using ir::ExprId;
using ir::ExprOp;

namespace {

bool is_test(ExprOp op) {
  switch (op) {
    case ExprOp::Not:
    case ExprOp::Equal:
    case ExprOp::NotEqual:
    case ExprOp::Less:
    case ExprOp::LessEqual:
      return true;
    default:
      return false;
  }
}

}  // namespace

llvm::Value* Emitter::value(ExprId id) {
  const Expr& expr = system_.exprs[id];
  switch (expr.op) {
    case ExprOp::Constant:
      return number(expr.value);
    case ExprOp::Local:
      return load(slot_cell(static_cast<ir::Slot>(expr.value)));
    case ExprOp::LocalAt:
      return local_at(expr);
    case ExprOp::Divide:
    case ExprOp::Remainder:
      return division(id, expr);
    case ExprOp::BitAnd:
    case ExprOp::BitOr:
    case ExprOp::BitXor:
    case ExprOp::ShiftLeft:
    case ExprOp::ShiftRight:
      return bits(id, expr);
    case ExprOp::AddModulo:
    case ExprOp::MultiplyModulo:
      return modulo(expr);
    case ExprOp::Singleton: {
      llvm::Value* element = value(expr.a);
      if (!ranges_.of(expr.a).within(0, std::int64_t{expr.value} - 1) &&
          !CML_MUTATION("native-sets-hold-what-they-cannot"))
        check(builder_.CreateICmpULT(element, number(expr.value)));
      return builder_.CreateShl(number(1), element);
    }
    case ExprOp::CountBits:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value(expr.a));
    case ExprOp::And:
      return lazy(condition(expr.a), expr.b, nullptr, std::nullopt, number(0));
    case ExprOp::Or:
      return lazy(condition(expr.a), std::nullopt, number(1), expr.b, nullptr);
    case ExprOp::If:
      return lazy(condition(expr.a), expr.b, nullptr, expr.c, nullptr);
    case ExprOp::Bound: {
      llvm::Value* index = value(expr.a);
      if (!ranges_.of(expr.a).within(0, std::int64_t{expr.value} - 1))
        check(builder_.CreateICmpULT(index, number(expr.value)));
      return index;
    }
    default:
      break;
  }
  if (is_test(expr.op)) return builder_.CreateZExt(condition(id), builder_.getInt32Ty());
  return arithmetic(id, expr);
}

llvm::Value* Emitter::condition(ExprId id) {
  const Expr& expr = system_.exprs[id];
  switch (expr.op) {
    case ExprOp::Constant:
      return builder_.getInt1(expr.value != 0);
    case ExprOp::Not:
      return builder_.CreateNot(condition(expr.a));
    case ExprOp::Equal:
    case ExprOp::NotEqual:
    case ExprOp::Less:
    case ExprOp::LessEqual: {
      llvm::Value* a = value(expr.a);
      llvm::Value* b = value(expr.b);
      switch (expr.op) {
        case ExprOp::Equal:
          return builder_.CreateICmpEQ(a, b);
        case ExprOp::NotEqual:
          return builder_.CreateICmpNE(a, b);
        case ExprOp::Less:
          return builder_.CreateICmpSLT(a, b);
        default:
          return builder_.CreateICmpSLE(a, b);
      }
    }
    default:
      return builder_.CreateICmpNE(value(id), number(0));
  }
}

llvm::Value* Emitter::checked(llvm::Intrinsic::ID operation, llvm::Value* a, llvm::Value* b) {
  llvm::Value* both = builder_.CreateBinaryIntrinsic(operation, a, b);
  check(builder_.CreateNot(builder_.CreateExtractValue(both, 1)));
  return builder_.CreateExtractValue(both, 0);
}

llvm::Value* Emitter::arithmetic(ExprId id, const Expr& expr) {
  const bool is_negation = expr.op == ExprOp::Negate;
  llvm::Value* a = is_negation ? number(0) : value(expr.a);
  llvm::Value* b = value(is_negation ? expr.a : expr.b);
  const bool is_safe = !ranges_.of(id).can_fail;
  switch (expr.op) {
    case ExprOp::Add:
      return is_safe ? builder_.CreateNSWAdd(a, b)
                     : checked(llvm::Intrinsic::sadd_with_overflow, a, b);
    case ExprOp::Multiply:
      return is_safe ? builder_.CreateNSWMul(a, b)
                     : checked(llvm::Intrinsic::smul_with_overflow, a, b);
    default:
      return is_safe ? builder_.CreateNSWSub(a, b)
                     : checked(llvm::Intrinsic::ssub_with_overflow, a, b);
  }
}

llvm::Value* Emitter::bits(ExprId id, const Expr& expr) {
  llvm::Value* a = value(expr.a);
  llvm::Value* b = value(expr.b);
  switch (expr.op) {
    case ExprOp::BitAnd:
      return builder_.CreateAnd(a, b);
    case ExprOp::BitOr:
      return builder_.CreateOr(a, b);
    case ExprOp::BitXor:
      return builder_.CreateXor(a, b);
    default:
      break;
  }
  if (!ranges_.of(expr.b).within(0, 31)) check(builder_.CreateICmpULE(b, number(31)));
  if (expr.op == ExprOp::ShiftRight) return builder_.CreateAShr(a, b);
  llvm::Value* result = builder_.CreateShl(a, b);
  // What does not come back has not fitted.
  if (ranges_.of(id).can_fail) check(builder_.CreateICmpEQ(builder_.CreateAShr(result, b), a));
  return result;
}

llvm::Value* Emitter::modulo(const Expr& expr) {
  llvm::Value* a = builder_.CreateSExt(value(expr.a), builder_.getInt64Ty());
  llvm::Value* b = builder_.CreateSExt(value(expr.b), builder_.getInt64Ty());
  const Interval& left = ranges_.of(expr.a);
  const Interval& right = ranges_.of(expr.b);
  if (expr.op == ExprOp::AddModulo)
    return modulo(builder_.CreateNSWAdd(a, b), left.lo + right.lo < 0, expr.value);
  const bool is_positive = left.lo >= 0 && right.lo >= 0;
  return modulo(builder_.CreateNSWMul(a, b), !is_positive, expr.value);
}

/// Of a number of 64 bits.
llvm::Value* Emitter::modulo(llvm::Value* wide, bool can_be_negative, std::int32_t last) {
  llvm::Value* modulus = builder_.getInt64(static_cast<std::uint64_t>(last) + 1);
  llvm::Value* rest =
      can_be_negative ? builder_.CreateSRem(wide, modulus) : builder_.CreateURem(wide, modulus);
  if (CML_MUTATED("native-modulo-of-negative-numbers", can_be_negative, false)) {
    llvm::Value* is_below = builder_.CreateICmpSLT(rest, builder_.getInt64(0));
    rest = builder_.CreateSelect(is_below, builder_.CreateNSWAdd(rest, modulus), rest);
  }
  return builder_.CreateTrunc(rest, builder_.getInt32Ty());
}

llvm::Value* Emitter::division(ExprId id, const Expr& expr) {
  llvm::Value* a = value(expr.a);
  llvm::Value* b = value(expr.b);
  const Interval& dividend = ranges_.of(expr.a);
  const Interval& divisor = ranges_.of(expr.b);
  if (divisor.lo <= 0 && 0 <= divisor.hi) check(builder_.CreateICmpNE(b, number(0)));
  const bool is_division = expr.op == ExprOp::Divide;
  if (dividend.lo > INT32_MIN || divisor.lo > -1 || divisor.hi < -1)
    return is_division ? builder_.CreateSDiv(a, b) : builder_.CreateSRem(a, b);
  // INT_MIN / -1 overflows, INT_MIN % -1 is 0; the processor traps at both.
  llvm::Value* wide_a = builder_.CreateSExt(a, builder_.getInt64Ty());
  llvm::Value* wide_b = builder_.CreateSExt(b, builder_.getInt64Ty());
  llvm::Value* result =
      is_division ? builder_.CreateSDiv(wide_a, wide_b) : builder_.CreateSRem(wide_a, wide_b);
  llvm::Value* narrow = builder_.CreateTrunc(result, builder_.getInt32Ty());
  if (is_division && ranges_.of(id).can_fail)
    check(builder_.CreateICmpEQ(builder_.CreateSExt(narrow, builder_.getInt64Ty()), result));
  return narrow;
}

// `&&`, `||` and `?:` evaluate one side only. Where that cannot fail, both are evaluated and one is
// selected. Each side is given as an expression or as its value.
llvm::Value* Emitter::lazy(llvm::Value* condition, const std::optional<ExprId>& if_true,
                           llvm::Value* true_value, const std::optional<ExprId>& if_false,
                           llvm::Value* false_value) {
  const auto is_safe = [this](const std::optional<ExprId>& expr) {
    return !expr || !ranges_.of(*expr).can_fail;
  };
  if (is_safe(if_true) && is_safe(if_false)) {
    if (if_true) true_value = value(*if_true);
    if (if_false) false_value = value(*if_false);
    return builder_.CreateSelect(condition, true_value, false_value);
  }
  llvm::BasicBlock* on_true = new_block("then");
  llvm::BasicBlock* on_false = new_block("else");
  llvm::BasicBlock* join = new_block("join");
  builder_.CreateCondBr(condition, on_true, on_false);
  at(on_true);
  if (if_true) true_value = value(*if_true);
  on_true = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  at(on_false);
  if (if_false) false_value = value(*if_false);
  on_false = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  at(join);
  llvm::PHINode* result = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  result->addIncoming(true_value, on_true);
  result->addIncoming(false_value, on_false);
  return result;
}

llvm::Value* Emitter::local_at(const Expr& expr) {
  const auto slot = static_cast<ir::Slot>(expr.value);
  const std::uint32_t count = ranges_.count(expr);
  llvm::Value* index = value(expr.a);
  if (!ranges_.of(expr.a).within(0, std::int64_t{count} - 1))
    check(builder_.CreateICmpULT(index, number(count)));
  if (is_regular(slot, count)) return load(slot_cell(slot, index));
  llvm::BasicBlock* join = new_block("join");
  llvm::BasicBlock* nowhere = new_block("nowhere");
  llvm::SwitchInst* choose = builder_.CreateSwitch(index, nowhere, count);
  at(nowhere);
  builder_.CreateUnreachable();
  at(join);
  llvm::PHINode* result = builder_.CreatePHI(builder_.getInt32Ty(), count);
  for (std::uint32_t i = 0; i < count; ++i) {
    llvm::BasicBlock* one = new_block("slot");
    choose->addCase(number(i), one);
    at(one);
    result->addIncoming(load(slot_cell(slot + i)), one);
    builder_.CreateBr(join);
  }
  at(join);
  return result;
}

}  // namespace cml::jit
