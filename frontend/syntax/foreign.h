// What people write who come from another language, and how CML says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/diagnostic.h"
#include "frontend/syntax/token_view.h"

namespace cml::syntax {

/// A message for a habit that was recognised, and where it belongs.
struct Habit {
  Code code;
  SourceRange where;
  std::string message;
  std::string cure;
};

/// The parser stumbled over token `at` in the statement or declaration that begins with token
/// `first`.
struct Stumble {
  std::size_t first;
  std::size_t at;
  bool in_condition = false;  // of `if`, `while`, `with`
  bool in_for_header = false;
  bool among_statements = false;
  bool in_expression = false;  // inside brackets, or where an operand is expected
};

[[nodiscard]] std::optional<Habit> recognise(const TokenView& view, const Stumble& stumble);

}  // namespace cml::syntax
