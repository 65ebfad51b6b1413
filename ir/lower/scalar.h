// Words during lowering: an IR expression and what is known about its value.
//
// The interval of a value decides whether arithmetic can overflow, whether an index needs its
// check, and how few bits a temporary takes. Only constants are folded: a condition that is true
// because of intervals stays in the code, because the code that an instance can reach is defined by
// constants (docs/reference.md, "Objects that are not shared after all"). Cost: constant for each
// operator.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/system.h"

namespace cml::ir::lowering {

struct Scalar {
  ExprId expr;
  std::int32_t lo = INT32_MIN;  // the value lies in [lo, hi] if there is one
  std::int32_t hi = INT32_MAX;
  bool fails = false;     // evaluating it may be a violation
  bool stable = false;    // the thread cannot change it during its scope
  bool constant = false;  // lo == hi, and the expression says so

  [[nodiscard]] bool is(std::int32_t value) const { return constant && lo == value; }
  [[nodiscard]] bool within(std::int32_t from, std::int32_t to) const {
    return from <= lo && hi <= to;
  }
};

/// Makes expressions; folds what is constant and does not fail.
class Expressions {
 public:
  explicit Expressions(System& system) : system_(system) {}

  [[nodiscard]] Scalar constant(std::int32_t value);
  [[nodiscard]] Scalar local(Slot slot, std::int32_t lo, std::int32_t hi, bool stable);
  /// slot + index, where the index lies in [0, count) or is checked to.
  [[nodiscard]] Scalar local_at(Slot slot, const Scalar& index, std::uint32_t count,
                                std::int32_t lo, std::int32_t hi, SourceRange range);
  [[nodiscard]] Scalar negate(const Scalar& a, SourceRange range);
  [[nodiscard]] Scalar logical_not(const Scalar& a, SourceRange range);
  /// Add … ShiftRight, Equal … LessEqual, And, Or.
  [[nodiscard]] Scalar binary(ExprOp op, const Scalar& a, const Scalar& b, SourceRange range);
  /// The same of Add, Subtract and Multiply, modulo last + 1.
  [[nodiscard]] Scalar modulo(ExprOp op, const Scalar& a, const Scalar& b, std::int32_t last,
                              SourceRange range);
  /// The set of `a`; fails unless 0 <= a < size.
  [[nodiscard]] Scalar singleton(const Scalar& a, std::int32_t size, SourceRange range);
  /// The number of elements of a set.
  [[nodiscard]] Scalar count(const Scalar& set, SourceRange range);
  /// `a` modulo last + 1.
  [[nodiscard]] Scalar wrap(const Scalar& a, std::int32_t last, SourceRange range);
  [[nodiscard]] Scalar conditional(const Scalar& condition, const Scalar& if_true,
                                   const Scalar& if_false, SourceRange range);
  /// Fails unless 0 <= a < size.
  [[nodiscard]] Scalar bound(const Scalar& a, std::uint32_t size, SourceRange range);

 private:
  Scalar make(ExprOp op, std::int32_t value, const Scalar* a, const Scalar* b, const Scalar* c,
              SourceRange range);
  Scalar bits(ExprOp op, const Scalar& a, const Scalar& b, SourceRange range);
  Scalar arithmetic(ExprOp op, const Scalar& a, const Scalar& b, SourceRange range);

  System& system_;
  std::unordered_map<std::int32_t, ExprId> constants_;
  std::vector<ExprId> locals_;  // by slot
};

}  // namespace cml::ir::lowering
