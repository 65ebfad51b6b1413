// Invariants are run once for each combination of the values that they read.
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "checker/monitor/invariant_cache.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;

TEST_CASE("an invariant need not be run where what it reads is as before") {
  const ir::System system = test::system_of(R"(
atomic x: int(0..9) = 0;
atomic y: int(0..9) = 0;
atomic z: int(0..9) = 0;
thread T { x = 1; y = 1; z = 1; }
invariant x + y < 10;
)");
  const ir::Layout layout(system);
  REQUIRE(system.invariants.size() == 1);
  checker::InvariantCache valuations(layout, system.invariants[0].code);
  std::vector<std::uint8_t> state(layout.size());
  const auto is_new = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    const std::int32_t values[] = {x, y, z};
    for (std::uint32_t i = 0; i < 3; ++i)
      layout.object(ir::ObjectId(i)).fields[0].store(state.data(), values[i]);
    return valuations.is_new(state.data());
  };
  CHECK(is_new(0, 0, 0));
  CHECK_FALSE(is_new(0, 0, 0));
  CHECK_FALSE(is_new(0, 0, 5));  // nobody reads z
  CHECK(is_new(1, 0, 5));
  CHECK(is_new(0, 1, 5));
  CHECK_FALSE(is_new(1, 0, 0));
  CHECK_FALSE(is_new(0, 0, 9));
}

TEST_CASE("what has been forgotten is run again, and nothing is taken for what it is not") {
  const ir::System system = test::system_of(R"(
atomic x: int(0..60000) = 0;
thread T { x = 1; }
invariant x >= 0;
)");
  const ir::Layout layout(system);
  checker::InvariantCache valuations(layout, system.invariants[0].code);
  std::vector<std::uint8_t> state(layout.size());
  for (std::int32_t x = 0; x <= 60'000; ++x) {
    layout.object(ir::ObjectId(0)).fields[0].store(state.data(), x);
    REQUIRE(valuations.is_new(state.data()));
    REQUIRE_FALSE(valuations.is_new(state.data()));
  }
}

}  // namespace
