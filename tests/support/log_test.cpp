// Log against a vector, over several chunks, with cuts at and beside their boundaries.
#include "support/log.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace cml {

TEST_CASE("a log grows and is cut as a vector is, and its elements stay where they are") {
  struct Item {
    std::uint64_t number = 0;
    std::uint32_t other[3] = {};
  };
  Log<Item> log;
  std::vector<std::uint64_t> truth;
  const auto push = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      truth.push_back(truth.size() * 3 + count);
      log.push_back({truth.back(), {}});
    }
  };
  const auto same = [&] {
    bool is_same = log.size() == truth.size() && log.empty() == truth.empty();
    for (std::uint64_t i = 0; i < truth.size(); ++i)
      is_same = is_same && log[i].number == truth[i];
    return is_same && (truth.empty() || log.back().number == truth.back());
  };
  push(1);
  const Item* const first = &log[0];
  push(100'000);
  CHECK(same());
  for (const std::uint64_t size : {65'536, 32'769, 32'768, 32'767, 5, 0}) {
    CAPTURE(size);
    log.cut(size);
    truth.resize(size);
    CHECK(same());
    push(3);
    CHECK(same());
    log.pop_back();
    truth.pop_back();
    CHECK(same());
    push(70'000);
    CHECK(same());
  }
  CHECK(&log[0] == first);
  CHECK(log.memory() == log.size() * sizeof(Item));
}

}  // namespace cml
