// Words of one name become one change.
#include "checker/finding/local_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "checker/finding/values.h"
#include "ir/describe.h"
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

const ir::LocalPlace* assigned_place(const ir::Instruction& instruction, ir::Slot slot) {
  struct Places : ir::Description {
    ir::Slot slot = 0;
    const ir::LocalPlace* found = nullptr;
    void assigns(const ir::LocalPlace& place, ir::Assigned) {
      if (place.slot <= slot && slot < place.slot + place.count) found = &place;
    }
  } places;
  places.slot = slot;
  ir::describe(instruction, places);
  return places.found;
}

std::string part_of_local(const ir::System& system, ir::TextId name, std::size_t word) {
  return ir::part_of_pattern(pattern_of(system.texts[name]), word, 1).path;
}

void add_local_changes(const TextContext& context, const ir::Code& code,
                       std::span<const ir::LocalChange> locals, std::vector<NamedValue>& changes) {
  const ir::System& system = context.system;
  while (!locals.empty()) {
    const ir::LocalChange first = locals.front();
    if (!first.name.valid()) {  // a temporary
      locals = locals.subspan(1);
      continue;
    }
    const std::string_view pattern = pattern_of(system.texts[first.name]);
    const std::size_t wanted = std::max<std::size_t>(ir::words_of_pattern(pattern), 1);
    std::vector<Value> words;
    while (!locals.empty() && words.size() < wanted && locals.front().name == first.name &&
           locals.front().index == first.index) {
      words.push_back(
          word_value(context, code.slots[locals.front().slot].type, locals.front().value));
      locals = locals.subspan(1);
    }
    if (words.size() < wanted) continue;
    std::string label = local_label(system, first.name, first.index);
    Value value = value_of_words(pattern, words);
    const auto same = std::find_if(changes.begin(), changes.end(),
                                   [&label](const NamedValue& one) { return one.name == label; });
    if (same != changes.end()) {
      same->value = std::move(value);
    } else {
      changes.push_back({std::move(label), std::move(value)});
    }
  }
}

}  // namespace cml::checker
