#include "tests/harness/json_schema.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <regex>
#include <set>

namespace cml::test {
namespace {

using nlohmann::json;

bool is_of_type(const json& document, const std::string& type) {
  if (type == "integer") return document.is_number_integer();
  if (type == "number") return document.is_number();
  if (type == "string") return document.is_string();
  if (type == "boolean") return document.is_boolean();
  if (type == "null") return document.is_null();
  if (type == "array") return document.is_array();
  return type == "object" && document.is_object();
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  /// The first thing that is wrong.
  std::string look(const json& schema, const json& document, const std::string& path) const {
    static const std::set<std::string> kKnown = {
        "$schema", "$id",         "$defs",      "$ref",
        "title",   "anyOf",       "type",       "enum",
        "const",   "description", "pattern",    "minimum",
        "items",   "required",    "properties", "additionalProperties"};
    if (schema.is_boolean()) return schema.get<bool>() ? "" : wrong(path, "nothing may be here");
    for (const auto& entry : schema.items())
      if (!kKnown.contains(entry.key())) return wrong(path, "the validator lacks " + entry.key());
    if (const auto at = schema.find("$ref"); at != schema.end()) {
      const json& target = root_.at(json::json_pointer(at->get<std::string>().substr(1)));
      if (std::string found = look(target, document, path); !found.empty()) return found;
    }
    std::string found = look_at_alternatives(schema, document, path);
    if (found.empty()) found = look_at_scalar(schema, document, path);
    if (found.empty() && document.is_object()) found = look_at_members(schema, document, path);
    if (found.empty() && document.is_array() && schema.contains("items"))
      for (std::size_t i = 0; i < document.size() && found.empty(); ++i)
        found = look(schema["items"], document[i], fmt::format("{}/{}", path, i));
    return found;
  }

 private:
  static std::string wrong(const std::string& path, const std::string& why) {
    return fmt::format("{}: {}", path.empty() ? "/" : path, why);
  }

  std::string look_at_alternatives(const json& schema, const json& document,
                                   const std::string& path) const {
    const auto all = schema.find("anyOf");
    if (all == schema.end()) return {};
    std::string deepest;  // what the alternative says that fits best
    const auto depth = [](const std::string& text) {
      return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(": ")),
                        '/');
    };
    for (const json& one : *all) {
      std::string found = look(one, document, path);
      if (found.empty()) return {};
      if (deepest.empty() || depth(found) > depth(deepest)) deepest = std::move(found);
    }
    return deepest;
  }

  static std::string look_at_scalar(const json& schema, const json& document,
                                    const std::string& path) {
    if (const auto type = schema.find("type"); type != schema.end()) {
      const bool is_one_of =
          type->is_array() && std::any_of(type->begin(), type->end(), [&](const json& one) {
            return is_of_type(document, one);
          });
      if (!is_one_of && !(type->is_string() && is_of_type(document, *type)))
        return wrong(path, fmt::format("{} is no {}", document.dump(), type->dump()));
    }
    if (const auto words = schema.find("enum"); words != schema.end())
      if (std::find(words->begin(), words->end(), document) == words->end())
        return wrong(path, fmt::format("{} is none of {}", document.dump(), words->dump()));
    if (const auto value = schema.find("const"); value != schema.end())
      if (*value != document) return wrong(path, document.dump() + " is not " + value->dump());
    if (const auto least = schema.find("minimum"); least != schema.end() && document.is_number())
      if (document.get<double>() < least->get<double>())
        return wrong(path, document.dump() + " is below " + least->dump());
    if (const auto pattern = schema.find("pattern");
        pattern != schema.end() && document.is_string())
      if (!std::regex_search(document.get<std::string>(), std::regex(pattern->get<std::string>())))
        return wrong(path, document.dump() + " does not match " + pattern->dump());
    return {};
  }

  std::string look_at_members(const json& schema, const json& document,
                              const std::string& path) const {
    for (const json& name : schema.value("required", json::array()))
      if (!document.contains(name.get<std::string>()))
        return wrong(path, "there is no " + name.dump());
    const json known = schema.value("properties", json::object());
    for (const auto& entry : document.items()) {
      const std::string inner = path + "/" + entry.key();
      std::string found;
      if (const auto member = known.find(entry.key()); member != known.end())
        found = look(*member, entry.value(), inner);
      else if (schema.contains("additionalProperties"))
        found = look(schema["additionalProperties"], entry.value(), inner);
      if (!found.empty()) return found;
    }
    return {};
  }

  const json& root_;
};

/// The value of an option, written `--option value` or `--option=value`.
std::string value_of(const std::vector<std::string>& arguments, const std::string& option) {
  std::string value;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(option + "=")) value = arguments[i].substr(option.size() + 1);
  }
  return value;
}

}  // namespace

std::string schema_violation(const json& schema, const json& document) {
  return Validator(schema).look(schema, document, "");
}

const json& result_schema() {
  static const json kSchema =
      json::parse(read_file(CML_SOURCE_DIR "/docs/schema/cml-result-1.schema.json"));
  return kSchema;
}

void check_written_json(const std::vector<std::string>& arguments, const ProcessOptions& options,
                        const ProcessResult& result) {
  constexpr int kInternalError = 4;
  if (arguments.size() < 3 || arguments[0] != CML_BINARY || result.timed_out) return;
  if (arguments[1] != "check" && arguments[1] != "compare" && arguments[1] != "simulate") return;
  if (value_of(arguments, "--format") != "json" || result.status >= kInternalError) return;
  std::string file = value_of(arguments, "--output");
  if (file.empty()) file = value_of(arguments, "-o");
  const std::string text =
      file.empty() || file == "-" ? result.out : read_file(options.folder / file);
  if (text.empty()) return;  // a wrong command line
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return;  // /dev/full and the like, which have tests of their own
  CAPTURE(fmt::format("{}", fmt::join(arguments, " ")));
  CHECK(schema_violation(result_schema(), document) == "");
}

}  // namespace cml::test
