// What the parser expected where an error was found, in the words of a person: "expected a
// statement", not a list of thirty tokens.
#pragma once

#include "antlr4-runtime.h"
#include <string>

#include "frontend/diagnostic.h"
#include "frontend/syntax/token_view.h"

namespace cml::syntax {

struct Expectation {
  Code code;
  std::string message;
  std::string cure;
};

/// `at` is where the parser stands, and what is there does not fit.
[[nodiscard]] Expectation expectation(antlr4::Parser& parser, const TokenView& view,
                                      std::size_t at);

/// Whether a token of this type may follow.
[[nodiscard]] inline bool wants(const antlr4::misc::IntervalSet& set, std::size_t type) {
  return set.contains(static_cast<ssize_t>(type));
}

/// The context around, or null.
[[nodiscard]] inline const antlr4::ParserRuleContext* parent_of(
    const antlr4::ParserRuleContext* context) {
  return static_cast<const antlr4::ParserRuleContext*>(context->parent);
}
/// Is the context within rule `rule` of the same statement?
[[nodiscard]] bool inside(const antlr4::ParserRuleContext* context, std::size_t rule);
[[nodiscard]] bool among_statements(const antlr4::ParserRuleContext* context);

}  // namespace cml::syntax
