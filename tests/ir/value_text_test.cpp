// Patterns of values: what they stand for, and that one which does not fit does no harm.
#include "ir/value_text.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace {

using cml::ir::fill_pattern;
using cml::ir::part_of_pattern;
using Words = std::vector<std::string>;

constexpr const char* kMessage = "(kind: #, at: (x: #, ok: #), seen: [#, #])";

TEST_CASE("a value is written without the names of its fields") {
  CHECK(fill_pattern("#", Words{"3"}) == "3");
  CHECK(fill_pattern("[#, #]", Words{"1", "-2"}) == "[1, -2]");
  CHECK(fill_pattern(kMessage, Words{"Grant", "3", "true", "1", "2"}) ==
        "(Grant, (3, true), [1, 2])");
  CHECK(fill_pattern("(x: #)", Words{"red"}) == "(red)");
}

TEST_CASE("a part of a value is the largest one that has just these words") {
  const auto path = [](std::size_t first, std::size_t count) {
    return part_of_pattern(kMessage, first, count).path;
  };
  CHECK(path(0, 5).empty());
  CHECK(part_of_pattern(kMessage, 0, 5).pattern == kMessage);
  CHECK(path(0, 1) == ".kind");
  CHECK(path(1, 2) == ".at");
  CHECK(part_of_pattern(kMessage, 1, 2).pattern == "(x: #, ok: #)");
  CHECK(path(2, 1) == ".at.ok");
  CHECK(path(3, 2) == ".seen");
  CHECK(path(4, 1) == ".seen[1]");
  CHECK(part_of_pattern("[(x: #), (x: #)]", 1, 1).path == "[1]");
  CHECK(part_of_pattern("#", 0, 1).pattern == "#");
}

TEST_CASE("words that are no part, and patterns that do not fit, show too little") {
  CHECK(part_of_pattern(kMessage, 0, 2).pattern.empty());
  CHECK(part_of_pattern(kMessage, 7, 1).pattern.empty());
  CHECK(part_of_pattern(")](", 0, 1).pattern.empty());
  CHECK(part_of_pattern("", 0, 1).pattern.empty());
  CHECK(fill_pattern("(x: #, y: #)", Words{"1"}) == "(1, #)");
  CHECK(fill_pattern("x: ", Words{}).empty());
}

}  // namespace
