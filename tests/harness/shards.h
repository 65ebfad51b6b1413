// Which test cases a shard of the test program runs (tests/main.cpp). Every case is in exactly one
// shard of a run, always in the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cml::test {

struct Shard {
  unsigned number = 0;  // below count
  unsigned count = 1;

  /// "3/12": the third of twelve.
  [[nodiscard]] static std::optional<Shard> parse(std::string_view text);
};

/// For each of these test cases, given in a fixed order, the number of the shard that runs it.
/// Parts of a long test (parts.h) of one number go together; the others are dealt out in turn.
[[nodiscard]] std::vector<unsigned> deal(const std::vector<std::string>& cases, unsigned shards);

}  // namespace cml::test
