// Expected (support/expected.h): both sides, moves, and what happens when the wrong side is asked
// for.
#include "support/expected.h"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace {

using cml::Expected;
using cml::Unexpected;

Expected<int, std::string> half(int number) {
  if (number % 2 != 0) return Unexpected("odd");
  return number / 2;
}

Expected<void, std::string> need_positive(int number) {
  if (number <= 0) return Unexpected("not positive");
  return {};
}

TEST_CASE("an Expected holds a value or an error") {
  const auto good = half(8);
  REQUIRE(good.has_value());
  CHECK(*good == 4);
  CHECK(good.value_or(7) == 4);

  const auto bad = half(3);
  CHECK_FALSE(bad);
  CHECK(bad.error() == "odd");
  CHECK(bad.value_or(7) == 7);

  CHECK(need_positive(1));
  CHECK(need_positive(0).error() == "not positive");
}

TEST_CASE("the same type on both sides stays unambiguous") {
  const Expected<std::string, std::string> good = std::string("value");
  const Expected<std::string, std::string> bad = Unexpected(std::string("error"));
  CHECK(*good == "value");
  CHECK(bad.error() == "error");
}

TEST_CASE("values that only move can be taken out") {
  Expected<std::unique_ptr<int>, int> owner = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(owner);
  CHECK(*taken == 5);
}

TEST_CASE("steps chain until the first error") {
  CHECK(*half(8).and_then(half) == 2);
  CHECK(half(6).and_then(half).error() == "odd");
  CHECK(*half(8).transform([](int number) { return std::to_string(number); }) == "4");
}

TEST_CASE("the side that is not there is never undefined behaviour") {
  CHECK_THROWS_AS((void)*half(3), std::bad_variant_access);
  CHECK_THROWS_AS((void)half(2).error(), std::bad_variant_access);
}

}  // namespace
