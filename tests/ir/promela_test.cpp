// What the export refuses although the front end lets no model come so far: nothing is said
// wrongly, whoever made the system.
#include "ir/promela/promela.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "ir/text/text.h"

namespace {

using cml::SourceSet;
using cml::ir::parse_system;
using cml::ir::to_promela;

constexpr std::string_view kObjects = R"(system ""
group "m"
  o0 lock "m"
group "s"
  o1 semaphore "s" = 0
group "c"
  o2 channel "c": bool capacity 1
group "a"
  o3 atomic "a": bool = 0
)";

/// The message of the refusal; empty: it is exported.
std::string refusal(std::string_view code) {
  const auto system = parse_system(std::string(kObjects) + std::string(code));
  if (!system) return "not read: " + system.error().message;
  const auto promela = to_promela(*system, SourceSet(), "cml export", "model.pml");
  return promela ? "" : promela.error().message;
}

std::string refusal_in_block(std::string_view block, int end) {
  return refusal("thread t0 \"T\"\n  s0: bool\n  0 L4: atomic " + std::to_string(end) + "\n" +
                 std::string(block) + "  " + std::to_string(end) + ": atomic_end\n  " +
                 std::to_string(end + 1) + ": end\n");
}

TEST_CASE("Promela: a block that may block behind its first operation is refused") {
  const std::vector<std::string> blocking = {"acquire o0", "down o1", "send o2 = 1",
                                             "receive s0 = o2", "guard s0"};
  const std::vector<std::string> before = {"write o3 = 1", "down o1", "choose s0 = 0 .. 1", "up o1",
                                           "try_acquire o0"};
  const auto in_order = [](const std::string& first, const std::string& second) {
    return refusal_in_block(fmt::format("  1: {}\n  2: {}\n", first, second), 3);
  };
  for (const std::string& second : blocking) {
    CAPTURE(second);
    CHECK(in_order("read s0 = o3", second).empty());
    CHECK(in_order("size s0 = o2", second).empty());
    for (const std::string& first : before) {
      CAPTURE(first);
      CHECK(in_order(first, second) ==
            "what may block behind the first operation of an `atomic` block has no counterpart in "
            "Promela");
    }
  }
  for (const std::string& first : before)
    CHECK(in_order(first, "down o1 try").empty());
}

TEST_CASE("Promela: a block that waits is refused") {
  CHECK(refusal_in_block("  1: acquire o0\n  2: wait o0\n  3: rewait o0\n", 4)
            .find("has no counterpart in Promela") != std::string::npos);
  CHECK(
      refusal_in_block("  1: wait o0\n  2: rewait o0\n", 3).find("has no counterpart in Promela") !=
      std::string::npos);
}

TEST_CASE("Promela: properties that are asked by a thread, or that act, are refused") {
  const auto of_invariant = [](const std::string& instruction) {
    return refusal("thread t0 \"T\"\n  0: end\ninvariant \"i\"\n  s0: bool\n  0: " + instruction +
                   "\n  1: end\n");
  };
  CHECK(of_invariant("read s0 = o3").empty());
  CHECK(of_invariant("size s0 = o2").empty());
  CHECK(of_invariant("owner s0 = o0").empty());
  CHECK(of_invariant("held o0 into s0") ==
        "no thread asks here, so nobody can hold the lock for `held`");
  CHECK(of_invariant("up o1") == "`up` in an invariant or `finally`, which may only read");
  CHECK(of_invariant("rewait o0").find("has no counterpart in Promela") != std::string::npos);
}

}  // namespace
