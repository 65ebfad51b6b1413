// What an agent is told of a result: short, and one of three things. The first word is VERIFIED,
// VIOLATED or INCONCLUSIVE; the last is never said as success, and VERIFIED says what it covers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cml::mcp {

using Json = nlohmann::json;

/// A document of `cml check` or `cml simulate` in a few lines.
[[nodiscard]] std::string answer_of(const Json& result);
/// What is wrong with the text of a model.
[[nodiscard]] std::string errors_of(const Json& result);
/// The same for programs: the verdict, and of each violation the kind, the place and the steps.
/// What the text leaves out of a long trace, or of many violations, is left out here, too; how many
/// there are is told.
[[nodiscard]] Json structure_of(const Json& result);

}  // namespace cml::mcp
