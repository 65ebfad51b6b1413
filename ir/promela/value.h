// Values in Promela: text, and the range that they certainly lie in.
//
// SPIN computes with C's ints without checks, so the violations of CML are tested explicitly:
// `faults` are the conditions under which an expression has no value, in the order of its
// evaluation; each may assume that those before it are false. By the ranges, most of these tests
// are known to pass, and left out of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/expression_value.h"
#include "ir/system.h"

namespace cml::ir::promela {

/// How tightly the operators of a text bind; a text that binds less needs parentheses.
enum class Level : std::uint8_t { Atom, Arithmetic, Comparison, And, Or };

struct Value {
  std::string text;
  std::int64_t lo = INT32_MIN;
  std::int64_t hi = INT32_MAX;
  Level level = Level::Atom;

  [[nodiscard]] std::optional<std::int32_t> constant() const {
    if (lo != hi) return std::nullopt;
    return static_cast<std::int32_t>(lo);
  }
  /// Inside of an operator that takes texts up to this level as they are.
  [[nodiscard]] std::string operand(Level most = Level::Atom) const {
    return level > most ? "(" + text + ")" : text;
  }
};

[[nodiscard]] Value constant(std::int64_t value);
[[nodiscard]] Value arithmetic(std::string text, std::int64_t lo, std::int64_t hi);
[[nodiscard]] Value condition(std::string text);  // a comparison

[[nodiscard]] Value negated(const Value& a);
[[nodiscard]] Value both(const Value& a, const Value& b);                    // a && b
[[nodiscard]] Value any(const Value& a, const Value& b);                     // a || b
[[nodiscard]] Value choice(const Value& c, const Value& a, const Value& b);  // c ? a : b
[[nodiscard]] Value equal(const Value& a, const Value& b);                   // a == b
[[nodiscard]] Value sum(const Value& a, const Value& b);                     // as if it fitted
[[nodiscard]] Value difference(const Value& a, const Value& b);
/// a + b modulo last + 1, from 0 on.
[[nodiscard]] Value sum_modulo(const Value& a, const Value& b, std::int64_t last);
/// Whether the sum does not fit: false where it cannot happen.
[[nodiscard]] Value sum_overflows(const Value& a, const Value& b);
/// Whether the value lies outside of [lo, hi].
[[nodiscard]] Value outside(const Value& value, std::int64_t lo, std::int64_t hi);

/// What the slots of a frame are: variables, or, while code is evaluated symbolically, expressions.
struct Frame {
  struct Slot {
    Value value;
    std::string array;           // of variables that an index chooses from; empty: none
    std::uint32_t position = 0;  // in that array
    bool is_variable = true;     // its own variable still has its value
  };
  std::vector<Slot> slots;
};

struct Fault {
  Value condition;
  FaultKind kind = FaultKind::Overflow;
  SourceRange range;
};

[[nodiscard]] Value value(const System& system, ExprId expr, const Frame& frame);
void faults(const System& system, ExprId expr, const Frame& frame, std::vector<Fault>& out);
/// Whether evaluating the expression reads the slot.
[[nodiscard]] bool reads(const System& system, ExprId expr, Slot slot);

}  // namespace cml::ir::promela
