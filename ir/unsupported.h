// Why a System cannot be made, or not be exported.
#pragma once

#include <optional>
#include <string>

#include "frontend/source.h"
#include "ir/expression_value.h"

namespace cml::ir {

enum class LimitKind : std::uint8_t;

/// What a top-level initialiser executes goes wrong: a violation in the initial state, or a limit.
struct FailedBeginning {
  FaultKind kind = FaultKind::Assertion;
  LimitKind limit = {};     // where the kind is Limit
  std::string text;         // the message of an assertion; may be empty
  std::string declaration;  // "list", "Node[0].list"
  SourceRange declared;
};

/// A construct that cannot be lowered, or that Promela cannot express, or a limit: named, with its
/// place. The verdict is `inconclusive`. Or what makes the initial state goes wrong, as `beginning`
/// says.
struct Unsupported {
  std::string message;  // "more than 1000000 objects cannot be run"
  SourceRange range;
  std::optional<FailedBeginning> beginning = {};
};

}  // namespace cml::ir
