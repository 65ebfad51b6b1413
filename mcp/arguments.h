// What the tools of `cml mcp` take: a schema for each (https://json-schema.org), against which
// arguments are looked at before anything is done with them. Agents write them, so what is wrong is
// told by name, with what would be right.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cml::mcp {

using Json = nlohmann::json;

/// A member of a schema: its type and what it is for.
[[nodiscard]] Json typed(const char* type, const char* description);
/// What a tool that runs a model takes.
[[nodiscard]] Json model_properties();

/// What is wrong with the arguments of a tool, by its `inputSchema`; nothing: they are right.
[[nodiscard]] std::optional<std::string> wrong_with(const Json& schema, const Json& arguments);
/// Likewise of one that runs a model, in what the schema cannot say.
[[nodiscard]] std::optional<std::string> wrong_with_model(const Json& arguments);

/// The command line that these arguments stand for.
[[nodiscard]] std::vector<std::string> words_of(const std::string& command, const Json& arguments);

}  // namespace cml::mcp
