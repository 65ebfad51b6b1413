// Reads patterns from left to right, with a stack of the values that are open.
#include "ir/value_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace cml::ir {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name of a field at the beginning, if there is one.
std::string_view field_name(std::string_view text) {
  const auto end =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
  return text.substr(end).starts_with(": ") ? text.substr(0, end) : std::string_view();
}

struct Open {
  std::string path;
  std::size_t begin = 0;  // in the pattern
  std::size_t first_word = 0;
  std::size_t elements = 0;
};

}  // namespace

std::size_t words_of_pattern(std::string_view pattern) {
  return static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '#'));
}

std::string fill_pattern(std::string_view pattern, std::span<const std::string> words) {
  std::string result;
  std::size_t word = 0;
  while (!pattern.empty()) {
    if (const std::string_view name = field_name(pattern); !name.empty()) {
      pattern.remove_prefix(name.size() + 2);
    } else if (pattern.front() == '#' && word < words.size()) {
      result += words[word++];
      pattern.remove_prefix(1);
    } else {
      result += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return result;
}

ValuePart part_of_pattern(std::string_view pattern, std::size_t first, std::size_t count) {
  std::vector<Open> open;
  std::string_view field;
  std::size_t word = 0;
  std::optional<ValuePart> found;
  const auto path = [&] {
    if (open.empty()) return std::string();
    Open& parent = open.back();
    if (!field.empty()) return fmt::format("{}.{}", parent.path, field);
    return fmt::format("{}[{}]", parent.path, parent.elements++);
  };
  const auto close = [&](const Open& part, std::size_t end) {
    if (part.first_word == first && word - part.first_word == count)
      found = ValuePart{part.path, pattern.substr(part.begin, end - part.begin)};
  };
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '(' || c == '[') {
      open.push_back({path(), at, word, 0});
      field = {};
    } else if (c == '#') {
      const Open leaf{path(), at, word++, 0};
      field = {};
      close(leaf, at + 1);
    } else if ((c == ')' || c == ']') && !open.empty()) {
      close(open.back(), at + 1);
      open.pop_back();
    } else if (const std::string_view name = field_name(pattern.substr(at)); !name.empty()) {
      field = name;
      at += name.size() + 1;
    }
  }
  return found.value_or(ValuePart{});
}

}  // namespace cml::ir
