// The textual form of a System: what is printed is read back as the same.
#include "ir/text/text.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using cml::ir::parse_system;
using cml::ir::print;
using cml::ir::PrintOptions;

// Every instruction and every operator once.
constexpr std::string_view kEverything = R"(system "everything \"quoted\""
enum e0 = red green
point p0 from 0:10-20
point p1 "a label"
group "x"
  o0 shared "x": int(0..5) = 1 guarded_by o3 init_by t0
group "pair" [2] from 1:3-4
  o1 atomic "pair[0]": e0(0..1), bool = 0, 1
  o2 atomic "pair[1]": e0(0..1), bool = 1, 0
group "m"
  o3 lock "m"
group "s"
  o4 semaphore "s" = 2 max 3
group "c"
  o5 channel "c": int, int(-3..-1) capacity 2
thread t0 "T[0]" from 0:0-1
  s0: int(-3..5) "x"
  s1: int
  s2: bool "y"
  s3: int(-3..0)
  0: set s0 = (s1 + -1) in 0..5 "x" from 0:3-4
  1: set s1[bound(s0, 2), 2] = at(s1, bound(s0, 2))
  2: branch ((s0 < 1) && (s1 <= 2)) ? 3 : 4
  3: jump 4
  4: assert (not(s2) || (s0 == neg(s1))) "no \\ luck\n" from 0:1-2
  5: assert (s0 != 0) kind "range"
  6: assume if(s2, (s0 - 1), ((s0 * 2) % (s1 / 3)))
  7: mark p1
  8 L4: read s0 = o0 "x"
  9 L5: read s1, s2 = o1[s0, 2, 1]
  10 L6: write o1 word 1 = s2
  11 L7: update cas o1 expects 0, 1 stores 1, 0 into s2
  12 L8: update add o1 word 1 stores 1 in 0..1
  13 L9: update swap o2 stores 0, 1 into s1, s2
  14 L10: acquire o3
  15 L11: try_acquire o3 into s2
  16 L12: wait o3
  17 L13: rewait o3
  18 L14: notify o3 all
  19 L15: held o3 into s2
  20 L16: release o3
  21 L17: up o4
  22 L18: down o4
  23 L19: down o4 try into s2
  24 L20: send o5 = 1, -2
  25 L21: send o5 = 1, -2 try into s2
  26 L22: receive s1, s3 = o5 "x"
  27 L23: receive o5 try
  28 L24: size s1 = o5
  29 L25: choose s1 = 0 .. s0
  30 L26: either 31, 32
  31 L27: select case receive o5 into s1, s3 "x" from 0:1-2 -> 32 case send o5 = 1, -1 -> 32 case down o4 -> 33 case acquire o3 -> 33 default -> 34
  32 L28: atomic 35
  33: read s1 = o1
  34: guard (s1 == 0)
  35: atomic_end
  36: end
invariant "i" from 0:1-2
  s0: int(0..5)
  0: read s0 = o0
  1: assert (s0 @0:1-5 < 4)
  2: end
finally ""
  0: end
fairness strong
property "p[0]" under none from 0:1-2
  f0 condition 0 from 0:3-4
  f1 ended t0
  f2 at t0 4 7
  f3 not f0
  f4 and f3 f1
  f5 or f4 f2
  f6 always f5
  f7 eventually f6
  f8 implies f0 f7
  f9 until f8 f0
  f10 release f9 f1
condition "" from 0:3-4
  0: end
property "terminates" terminates
  f0 ended t0
)";

TEST_CASE("what is printed is read back as the same") {
  const auto system = parse_system(kEverything);
  if (!system) FAIL(system.error().line << ": " << system.error().message);
  PrintOptions exact;
  exact.ranges = true;
  exact.comments = false;
  CHECK(print(*system, exact) == kEverything);
  for (const bool ranges : {false, true}) {
    for (const bool comments : {false, true}) {
      const PrintOptions options{ranges, comments};
      const std::string once = print(*system, options);
      const auto again = parse_system(once);
      REQUIRE(again);
      CHECK(print(*again, options) == once);
    }
  }
}

TEST_CASE("malformed text is refused with the line") {
  const std::vector<std::pair<std::string, std::uint32_t>> cases = {
      {"", 1},
      {"system x", 1},
      {"system \"a\"\nthread t1 \"T\"\n  0: end\n", 2},
      {"system \"a\"\nthread t0 \"T\"\n", 2},
      {"system \"a\"\nthread t0 \"T\"\n  0: jump 7\n", 3},
      {"system \"a\"\nthread t0 \"T\"\n  0: set s0 = 1\n  1: end\n", 3},
      {"system \"a\"\nthread t0 \"T\"\n  0: acquire o0\n  1: end\n", 3},
      {"system \"a\"\nthread t0 \"T\"\n  0: frobnicate\n", 3},
      {"system \"a\"\nthread t0 \"T\"\n  0: mark p0\n  1: end\n", 3},
      {"system \"a\"\nthread t0 \"T\"\n  0: atomic 1\n  1: end\n", 4},
      {"system \"a\"\nthread t0 \"T\"\n  0: assert (1 +\n", 3},
      {"system \"a\"\ngroup \"g\"\n  o0 shared \"x\": int(1..2) = 0\n", 3},
      {"system \"a\"\ngroup \"g\"\n  o0 lock \"x\nthread", 3},
      {"system \"a\"\nenum e0 = a\ngroup \"g\"\n  o0 shared \"x\": e1 = 0\n", 4},
  };
  for (const auto& [text, line] : cases) {
    const std::string shown(text);  // clang 14 captures no structured binding
    CAPTURE(shown);
    const auto system = parse_system(text);
    REQUIRE_FALSE(system);
    // The end of what was read may be reported on the line behind it.
    CHECK(system.error().line >= line);
    CHECK(system.error().line <= line + 1);
  }
}

}  // namespace
