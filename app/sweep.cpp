#include "app/sweep.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace cml::app {
namespace {

constexpr std::size_t kMost = 10'000;  // ways to choose
constexpr std::string_view kDots = "..";

std::optional<std::int64_t> bound(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr std::int64_t kFar = std::int64_t{1} << 32;  // no constant is as large
  return value < -kFar || value > kFar ? std::nullopt : std::optional(value);
}

UsageError too_many(std::string_view word) {
  return {fmt::format("`-D {}`: more than {} values", word, kMost),
          "name a smaller range, or some values: `-D N=2,4,8`"};
}

Expected<std::vector<std::string>, UsageError> range(std::string_view word,
                                                     std::string_view values) {
  const std::size_t dots = values.find(kDots);
  std::string_view last = values.substr(dots + kDots.size());
  const bool is_open = last.starts_with('<');
  if (is_open) last.remove_prefix(1);
  const auto low = bound(values.substr(0, dots));
  auto high = bound(last);
  if (!low || !high)
    return Unexpected(UsageError{fmt::format("`-D {}`: a range lies between two numbers", word),
                                 "write `-D N=2..5` or `-D N=2..<6`"});
  if (is_open) --*high;
  if (*low > *high)
    return Unexpected(UsageError{fmt::format("`-D {}`: there is no value in this range", word),
                                 "the smaller number stands first"});
  if (static_cast<std::uint64_t>(*high - *low) >= kMost) return Unexpected(too_many(word));
  std::vector<std::string> all;
  for (std::int64_t value = *low; value <= *high; ++value)
    all.push_back(std::to_string(value));
  return all;
}

Expected<std::vector<std::string>, UsageError> values_of(std::string_view word,
                                                         std::string_view values) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= values.size();) {
    const std::size_t end = std::min(values.find(',', begin), values.size());
    const std::string_view part = values.substr(begin, end - begin);
    begin = end + 1;
    if (part.find(kDots) == std::string_view::npos) {
      if (part.empty() && values.find(',') != std::string_view::npos)
        return Unexpected(UsageError{fmt::format("`-D {}` lacks a value beside a comma", word),
                                     "write `-D N=2,4,8`"});
      all.emplace_back(part);
      continue;
    }
    auto some = range(word, part);
    if (!some) return some;
    all.insert(all.end(), some->begin(), some->end());
  }
  if (all.size() > kMost) return Unexpected(too_many(word));
  return all;
}

}  // namespace

bool is_sweep(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view values = word.substr(equals + 1);
  return values.find(',') != std::string_view::npos || values.find(kDots) != std::string_view::npos;
}

Expected<std::vector<Chosen>, UsageError> sweep(const std::vector<std::string>& words) {
  std::vector<std::string> last;  // of those with one name, the last
  const auto name_of = [](const std::string& word) { return word.substr(0, word.find('=')); };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_replaced =
        std::any_of(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end(),
                    [&](const std::string& later) { return name_of(later) == name_of(words[i]); });
    if (!is_replaced) last.push_back(words[i]);
  }
  std::vector<Chosen> ways = {{}};
  for (const std::string& word : last) {
    std::vector<std::string> choices = {word};
    if (is_sweep(word)) {
      const std::string name = name_of(word);
      auto values = values_of(word, std::string_view(word).substr(name.size() + 1));
      if (!values) return Unexpected(std::move(values).error());
      choices.clear();
      for (const std::string& value : *values)
        choices.push_back(fmt::format("{}={}", name, value));
    }
    if (ways.size() * choices.size() > kMost) return Unexpected(too_many(word));
    std::vector<Chosen> longer;
    for (const Chosen& way : ways)
      for (const std::string& choice : choices) {
        longer.push_back(way);
        longer.back().definitions.push_back(choice);
        if (is_sweep(word))
          longer.back().varied += (longer.back().varied.empty() ? "" : " ") + choice;
      }
    ways = std::move(longer);
  }
  return ways;
}

}  // namespace cml::app
