// Splits NAME=value.
#include "app/definitions.h"

#include <algorithm>
#include <fmt/core.h>

namespace cml::app {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Expected<Definitions, UsageError> parse_definitions(const std::vector<std::string>& words) {
  Definitions definitions;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (!is_name(name)) {
      return Unexpected(UsageError{fmt::format("`-D {}` names no constant", word),
                                   "write `-D NAME=value`, for example `-D N=7`"});
    }
    if (equals == std::string::npos || equals + 1 == word.size()) {
      return Unexpected(UsageError{fmt::format("`-D {}` gives `{}` no value", word, name),
                                   fmt::format("write `-D {}=value`", name)});
    }
    definitions[name] = word.substr(equals + 1);
  }
  return definitions;
}

}  // namespace cml::app
