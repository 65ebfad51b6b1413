// Words of one name become one change.
#include "checker/finding/local_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "ir/exec/state_layout.h"
#include "ir/value_text.h"

namespace cml::checker {
namespace {

constexpr std::string_view kPatternFollows = " = ";

std::string_view label_of(std::string_view name) {
  return name.substr(0, name.find(kPatternFollows));
}

std::string_view pattern_of(std::string_view name) {
  const std::size_t at = name.find(kPatternFollows);
  return at == std::string_view::npos ? "#" : name.substr(at + kPatternFollows.size());
}

}  // namespace

std::string local_label(const ir::System& system, ir::TextId name, std::uint32_t index) {
  // "grid[*6][*2]": the index counts words, the outermost element first.
  std::string result;
  std::string_view rest = label_of(system.texts[name]);
  for (std::size_t at = rest.find("[*"); at != std::string_view::npos; at = rest.find("[*")) {
    std::uint32_t stride = 0;
    std::size_t end = at + 2;
    for (; end < rest.size() && rest[end] >= '0' && rest[end] <= '9'; ++end)
      stride = stride * 10 + static_cast<std::uint32_t>(rest[end] - '0');
    stride = std::max(stride, 1U);
    result += fmt::format("{}[{}", rest.substr(0, at), index / stride);
    index %= stride;
    rest.remove_prefix(end);
  }
  return result += rest;
}

void add_local_changes(const ir::System& system, const ir::Code& code,
                       std::span<const ir::LocalChange> locals,
                       std::vector<std::pair<std::string, std::string>>& changes) {
  while (!locals.empty()) {
    const ir::LocalChange first = locals.front();
    const std::string_view pattern = pattern_of(system.texts[first.name]);
    const std::size_t wanted = std::max<std::size_t>(ir::words_of_pattern(pattern), 1);
    std::vector<std::string> words;
    while (!locals.empty() && words.size() < wanted && locals.front().name == first.name &&
           locals.front().index == first.index) {
      words.push_back(
          word_text(system, code.slots[locals.front().slot].type, locals.front().value));
      locals = locals.subspan(1);
    }
    if (words.size() < wanted) continue;
    std::string label = local_label(system, first.name, first.index);
    std::string value = ir::fill_pattern(pattern, words);
    const auto same = std::find_if(changes.begin(), changes.end(),
                                   [&label](const auto& item) { return item.first == label; });
    if (same != changes.end()) {
      same->second = std::move(value);
    } else {
      changes.emplace_back(std::move(label), std::move(value));
    }
  }
}

}  // namespace cml::checker
