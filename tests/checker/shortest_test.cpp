// `--shortest --granularity access --reduction none` means the fewest transitions, wherever a
// violation is seen: in a state, in a transition, or when a cycle closes. Random models are in
// tests/differential.
#include <doctest/doctest.h>
#include <string>

#include "tests/checker/check_text.h"

namespace {

using namespace cml;
using checker::ViolationKind;

checker::Violation shortest(const std::string& text) {
  checker::Options options;
  options.shortest = true;
  options.discipline = checker::Discipline::Off;
  const checker::Result result = test::check_text(text, options);
  REQUIRE(result.violations.size() == 1);
  return result.violations[0];
}

constexpr const char* kFailsAtTheSecondTransition =
    "atomic flag: bool; thread A { flag = true; let seen = flag; assert !seen; }\n";

TEST_CASE("an invariant that fails a transition before an assertion is the shortest violation") {
  const checker::Violation violation =
      shortest(std::string(kFailsAtTheSecondTransition) +
               "atomic x: int(0..3); invariant small: x == 0; thread B { x = 1; }");
  CHECK(violation.message.starts_with("the invariant small"));
  CHECK(violation.trace.size() == 1);
}

TEST_CASE(
    "stuck threads that are there a transition before an assertion are the shortest violation") {
  const checker::Violation violation = shortest(
      "atomic flag: bool; semaphore s = 1; semaphore never;"
      "daemon thread C { loop { flag = true; flag = false; } }"
      "thread A { if choose(0..1) == 1 { let a = flag; fail; } }"
      "thread B { s.down(); never.down(); }");
  CHECK(violation.kind == ViolationKind::PartialDeadlock);
  CHECK(violation.trace.size() == 1);
}

TEST_CASE("a `finally` that fails a transition before an assertion is the shortest violation") {
  const checker::Violation violation = shortest(
      "atomic x: bool; atomic y: bool;"
      "daemon thread A { x = true; let seen = y; assert seen; }"
      "thread B { y = true; } finally { assert !y; }");
  CHECK(violation.message.starts_with("finally"));
  CHECK(violation.trace.size() == 1);
}

TEST_CASE("a thread that turns for ever does so before its circle is closed") {
  const checker::Violation violation =
      shortest(std::string(kFailsAtTheSecondTransition) +
               "shared x: int; thread B { loop { let b = x; let c = x; } } thread C { x = 1; }");
  CHECK(violation.kind == ViolationKind::Divergence);
  CHECK(violation.trace.size() == 2);  // one turn
}

TEST_CASE("a thread turns for ever once another has let it") {
  const checker::Violation violation = shortest(
      "lock m; shared x: int(0..1);"
      "thread A { x = 1; }"
      "thread B { with m { while x == 1 { skip; } } fail; }");
  CHECK(violation.kind == ViolationKind::Divergence);
  CHECK(violation.trace.size() == 3);  // one turn
}

}  // namespace
