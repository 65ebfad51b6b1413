#include "mcp/arguments.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>

#include "frontend/words.h"

namespace cml::mcp {
namespace {

constexpr double kUsualSeconds = 60;
constexpr double kMostSeconds = 3600;

bool is_of(const std::string& type, const Json& value) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "object" && value.is_object();
}

/// "integer, boolean or string"
std::string words_for(const std::vector<std::string>& types) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i)
    text += (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") + types[i];
  return text;
}

/// `name`: as the message calls the value.
std::optional<std::string> wrong_with_value(const Json& schema, const std::string& name,
                                            const Json& value) {
  const Json& type = schema.at("type");
  const std::vector<std::string> types =
      type.is_array() ? type.get<std::vector<std::string>>() : std::vector{type.get<std::string>()};
  if (std::ranges::none_of(types, [&](const auto& one) { return is_of(one, value); }))
    return fmt::format("`{}` is {}; it must be of type {}", name, value.type_name(),
                       words_for(types));
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"])
    return fmt::format("`{}` is {}; it is at least {}", name, value.dump(),
                       schema["minimum"].dump());
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"])
    return fmt::format("`{}` is {}; it is at most {}", name, value.dump(),
                       schema["maximum"].dump());
  if (!schema.contains("additionalProperties") || !schema["additionalProperties"].is_object())
    return std::nullopt;
  for (const auto& entry : value.items())
    if (auto wrong = wrong_with_value(schema["additionalProperties"], name + "." + entry.key(),
                                      entry.value()))
      return wrong;
  return std::nullopt;
}

/// `3`, `-1`, `true`, `red`: one value, not several as `2..5` and `2,4`.
bool is_one_value(std::string_view text) {
  if (is_identifier(text) || text == "true" || text == "false") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

}  // namespace

Json typed(const char* type, const char* description) {
  return {{"type", type}, {"description", description}};
}

Json model_properties() {
  Json constants = typed("object", "values for constants of the model: {\"N\": 3}");
  constants["additionalProperties"] = {{"type", {"integer", "boolean", "string"}}};
  Json time = typed("number", "seconds, 60 by default; what takes longer is inconclusive");
  time["minimum"] = 0.001;
  time["maximum"] = kMostSeconds;
  return {{"text", typed("string", "the model, as text; this or `path`")},
          {"path", typed("string", "a file with the model, ending in .cml; this or `text`")},
          {"constants", std::move(constants)},
          {"max_time", std::move(time)}};
}

std::optional<std::string> wrong_with(const Json& schema, const Json& arguments) {
  if (!arguments.is_object())
    return fmt::format("`arguments` is {}; it must be of type object", arguments.type_name());
  const Json& known = schema.at("properties");
  for (const auto& entry : arguments.items()) {
    if (!known.contains(entry.key())) return fmt::format("there is no argument `{}`", entry.key());
    if (auto wrong = wrong_with_value(known[entry.key()], entry.key(), entry.value())) return wrong;
  }
  for (const Json& name : schema.at("required"))
    if (!arguments.contains(name.get<std::string>()))
      return fmt::format("`{}` is missing", name.get<std::string>());
  return std::nullopt;
}

std::optional<std::string> wrong_with_model(const Json& arguments) {
  const bool has_path = arguments.contains("path");
  if (has_path == arguments.contains("text")) return "either `text` or `path` is needed";
  const auto path = arguments.value("path", std::string());
  if (has_path && !path.ends_with(".cml")) return "a model is a file whose name ends in .cml";
  if (path.find('\0') != path.npos) return "`path` has a character in it that no path can have";
  const Json constants = arguments.value("constants", Json::object());
  for (const auto& constant : constants.items()) {
    if (!is_identifier(constant.key()))
      return fmt::format("`constants.{}`: no constant can have this name", constant.key());
    if (constant.value().is_string() && !is_one_value(constant.value().get<std::string>()))
      return fmt::format("`constants.{}` is {}; it must be one value, as 3, true or \"red\"",
                         constant.key(), constant.value().dump());
  }
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& command, const Json& arguments) {
  const double seconds = arguments.value("max_time", kUsualSeconds);
  std::vector<std::string> words = {
      command, "--format", "json", "--progress", "never", "--max-time", fmt::format("{}", seconds)};
  const Json constants = arguments.value("constants", Json::object());
  for (const auto& constant : constants.items()) {
    const Json& value = constant.value();
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    words.insert(words.end(), {"-D", constant.key() + "=" + text});
  }
  if (arguments.value("all", false)) words.emplace_back("--all");
  for (const char* option : {"runs", "steps", "seed"})
    if (arguments.contains(option))
      words.insert(words.end(), {fmt::format("--{}", option), arguments[option].dump()});
  const std::string path = arguments.value("path", std::string("-"));
  words.push_back(path.starts_with('-') && path != "-" ? "./" + path : path);
  return words;
}

}  // namespace cml::mcp
