// What temporal formulas are made of, and which executions they speak of: the same in the checked
// model and in the transition system (docs/reference.md, "Temporal properties").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cml {

/// Which executions are fair enough to count. A thread that is enabled from some point on without
/// pause takes a step (Weak); one that is enabled again and again does (Strong).
enum class Fairness : std::uint8_t { None, Weak, Strong };
[[nodiscard]] std::string_view spelling(Fairness fairness);
[[nodiscard]] std::optional<Fairness> fairness_of(std::string_view word);

enum class FormulaKind : std::uint8_t {
  Condition,   // holds in the present state
  Ended,       // threads have ended
  At,          // a thread is at a label
  Not,         // right
  And,         // left, right
  Or,          // left, right
  Implies,     // left, right
  Until,       // left, until right, which comes
  Release,     // right, until and with left, if that comes
  Always,      // right
  Eventually,  // right
};
/// As it is written; of what is no operator, what `cml ir` calls it.
[[nodiscard]] std::string_view spelling(FormulaKind kind);

}  // namespace cml
