#include "frontend/temporal.h"

namespace cml {

std::string_view spelling(Fairness fairness) {
  switch (fairness) {
    case Fairness::None:
      return "none";
    case Fairness::Weak:
      return "weak";
    case Fairness::Strong:
      return "strong";
  }
  return {};
}

std::optional<Fairness> fairness_of(std::string_view word) {
  for (const Fairness fairness : {Fairness::None, Fairness::Weak, Fairness::Strong})
    if (spelling(fairness) == word) return fairness;
  return std::nullopt;
}

std::string_view spelling(FormulaKind kind) {
  switch (kind) {
    case FormulaKind::Condition:
      return "condition";
    case FormulaKind::Ended:
      return "ended";
    case FormulaKind::At:
      return "at";
    case FormulaKind::Not:
      return "!";
    case FormulaKind::And:
      return "&&";
    case FormulaKind::Or:
      return "||";
    case FormulaKind::Implies:
      return "implies";
    case FormulaKind::Until:
      return "until";
    case FormulaKind::Release:
      return "release";
    case FormulaKind::Always:
      return "always";
    case FormulaKind::Eventually:
      return "eventually";
  }
  return {};
}

}  // namespace cml
