#include "tests/harness/shards.h"

#include <charconv>

#include "tests/harness/parts.h"

namespace cml::test {
namespace {

std::optional<unsigned> to_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Shard> Shard::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto which = to_number(text.substr(0, slash));
  const auto count = to_number(text.substr(slash + 1));
  if (!which || !count || *which == 0 || *which > *count) return std::nullopt;
  return Shard{*which - 1, *count};
}

std::vector<unsigned> deal(const std::vector<std::string>& cases, unsigned shards) {
  std::vector<unsigned> result;
  unsigned next = 0;
  for (const std::string& name : cases)
    result.push_back(part_number(name).value_or(next++) % shards);
  return result;
}

}  // namespace cml::test
