// Each test case is in exactly one shard, and each seed in exactly one part.
#include "tests/harness/parts.h"

#include <array>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/shards.h"

namespace {

using namespace cml::test;

std::array<unsigned, kParts> calls{};

CML_TEST_PARTS("harness: a test in parts runs each of them") { ++calls.at(part.number); }

TEST_CASE("harness: parts share the seeds and the models") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    unsigned having = 0;
    for (unsigned number = 0; number < kParts; ++number)
      having += Part{number}.has(seed) ? 1 : 0;
    CHECK(having == 1);
  }
  std::multiset<std::filesystem::path> all;
  for (unsigned number = 0; number < kParts; ++number)
    for (const auto& path : Part{number}.models("tests/models"))
      all.insert(path);
  const auto models = models_in("tests/models");
  CHECK(models.size() > 100);
  CHECK(all == std::multiset<std::filesystem::path>(models.begin(), models.end()));
}

TEST_CASE("harness: a part is known by its name") {
  CHECK(part_number(part_name("long (it takes minutes)", 0)) == 0U);
  CHECK(part_number(part_name("long", kParts - 1)) == kParts - 1);
  CHECK_FALSE(part_number("short (it takes seconds)"));
}

TEST_CASE("harness: shards are dealt the same way each time, parts of one number together") {
  std::vector<std::string> cases;
  for (unsigned number = 0; number < kParts; ++number)
    cases.emplace_back(part_name("models", number));
  for (unsigned i = 0; i < 50; ++i)
    cases.push_back("case " + std::to_string(i));
  for (unsigned number = 0; number < kParts; ++number)
    cases.emplace_back(part_name("seeds", number));
  for (const unsigned count : {1U, 2U, 5U, kParts}) {
    const std::vector<unsigned> shards = deal(cases, count);
    REQUIRE(shards.size() == cases.size());
    std::vector<unsigned> sizes(count);
    for (const unsigned shard : shards) {
      REQUIRE(shard < count);
      ++sizes[shard];
    }
    for (const unsigned size : sizes)
      CHECK(size * count * 10 >= cases.size() * 8);
    for (unsigned number = 0; number < kParts; ++number)
      CHECK(shards[number] == shards[kParts + 50 + number]);
  }
}

TEST_CASE("harness: which shard") {
  const auto third = Shard::parse("3/12");
  REQUIRE(third);
  CHECK(third->number == 2);
  CHECK(third->count == 12);
  for (const char* wrong : {"", "3", "0/2", "3/2", "a/2", "1/b", "1/2 ", "1/", "-1/2"}) {
    CAPTURE(wrong);
    CHECK_FALSE(Shard::parse(wrong));
  }
}

}  // namespace
