// Evaluation of constant expressions of a checked model, calls of pure functions included.
//
// `Sema` uses it for sizes, ranges and `const`; the lowering for initial values, where the
// index of a thread family or process may stand in the expression and is given in the environment.
// Arithmetic is that of the language (32 bit, truncating division), and what would be a violation
// at run time is a failure here (docs/reference.md, "Constants": what is wrong in a constant is an
// error of the model). Left out: everything that reads or changes the state. Cost: linear in the
// steps, which are limited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/model.h"
#include "support/expected.h"

namespace cml::model {

struct Value {
  enum class Kind : std::uint8_t { Int, Bool, Enum, Null, Struct, Array };
  Kind kind = Kind::Int;
  std::int32_t scalar = 0;   // the number, 0 or 1, the position of the enumerator
  std::vector<Value> parts;  // fields or elements, in order

  friend bool operator==(const Value&, const Value&) = default;
};

/// What `IndexRef`s stand for, where known.
struct IndexEnvironment {
  std::optional<std::int32_t> thread;
  std::optional<std::int32_t> process;
};

struct EvaluationFailure {
  enum class Kind : std::uint8_t {
    NotConstant,  // reads the state, has an effect, or names an unknown index
    Overflow,
    DivisionByZero,
    OutOfRange,   // a value outside the range of its type
    OutOfBounds,  // an index outside its array
    Failed,       // an assertion, `assume` or `fail` in a called function
    TooLong,      // more steps or deeper calls than a constant may take
    Poisoned,     // contains an error that has been reported
  };
  Kind kind;
  SourceRange where;    // the innermost expression that failed
  std::string message;  // "2147483647 + 1 does not fit into 32 bits"
};

inline constexpr std::uint32_t kMaxConstantSteps = 1'000'000;

[[nodiscard]] Expected<Value, EvaluationFailure> evaluate(const Model& model, ExprId expr,
                                                          const IndexEnvironment& indices = {});

/// The same without the reason of a failure.
[[nodiscard]] std::optional<Value> evaluate_constant(const Model& model, ExprId expr,
                                                     const IndexEnvironment& indices = {});

/// The value a variable of this type has without an initialiser (docs/reference.md, "Types and
/// values").
[[nodiscard]] Value default_value(const Model& model, TypeId type);

/// `left op right` on integers: nothing if it overflows or divides by zero.
[[nodiscard]] std::optional<std::int32_t> apply(BinaryOp op, std::int32_t left, std::int32_t right);

/// `left op right` modulo last + 1; the operator is `+`, `-` or `*`.
[[nodiscard]] std::int32_t apply_modulo(BinaryOp op, std::int32_t left, std::int32_t right,
                                        std::int32_t last);

/// Number of scalars a value of this type consists of, at most `kManyScalars`.
inline constexpr std::uint64_t kManyScalars = std::uint64_t{1} << 40;
[[nodiscard]] std::uint64_t scalar_count(const Model& model, TypeId type);

}  // namespace cml::model
