// Which name is suggested for which mistake (support/suggest.h).
#include "support/suggest.h"

#include <array>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

namespace {

TEST_CASE("the edit distance counts insertions, deletions, substitutions and swaps") {
  struct Row {
    std::string_view left;
    std::string_view right;
    std::size_t distance;
  };
  constexpr Row kRows[] = {
      {"", "", 0},          {"", "lock", 4},          {"lock", "lock", 0}, {"lock", "look", 1},
      {"lock", "locks", 1}, {"lock", "lokc", 1},      {"lock", "ock", 1},  {"kitten", "sitting", 3},
      {"ca", "abc", 3},     {"release", "relaese", 1}};
  for (const Row& row : kRows) {
    CAPTURE(row.left);
    CAPTURE(row.right);
    CHECK(cml::edit_distance(row.left, row.right) == row.distance);
    CHECK(cml::edit_distance(row.right, row.left) == row.distance);
  }
}

TEST_CASE("the closest name is suggested, if any is close") {
  constexpr std::array<std::string_view, 5> kNames = {"acquire", "release", "signal", "wait", "n"};
  CHECK(cml::suggest("aquire", kNames) == "acquire");
  CHECK(cml::suggest("relaese", kNames) == "release");
  CHECK(cml::suggest("singal", kNames) == "signal");
  CHECK(cml::suggest("Wait", kNames) == "wait");
  CHECK(cml::suggest("WAIT", kNames) == "wait");
  CHECK(cml::suggest("N", kNames) == "n");
  CHECK_FALSE(cml::suggest("m", kNames).has_value());
  CHECK_FALSE(cml::suggest("notify", kNames).has_value());
  CHECK_FALSE(cml::suggest("", kNames).has_value());
  CHECK_FALSE(cml::suggest("wait", std::array<std::string_view, 1>{"wait"}).has_value());
}

TEST_CASE("of equally close names the first considered wins") {
  cml::Suggestion suggestion("fork3");
  suggestion.consider("fork1");
  suggestion.consider("fork2");
  CHECK(suggestion.best() == "fork1");
}

TEST_CASE("huge names cost nothing") {
  const std::string huge(1'000'000, 'a');
  cml::Suggestion suggestion(huge);
  suggestion.consider(huge + "b");
  CHECK_FALSE(suggestion.best().has_value());
}

}  // namespace
