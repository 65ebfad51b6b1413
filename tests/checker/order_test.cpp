// What the report of a race, and of a violation of the lock discipline that is none, says of the
// order of the two threads.
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "checker/result.h"
#include "tests/checker/check_text.h"

namespace cml {
namespace {

using checker::RaceBehind;
using checker::Violation;
using checker::ViolationKind;
using Names = std::vector<std::string>;

Violation first(const std::string& text, ViolationKind kind) {
  checker::Options options;
  if (kind == ViolationKind::DataRace) options.discipline = checker::Discipline::Races;
  const checker::Result result = test::check_text(text, options);
  for (const Violation& violation : result.violations)
    if (violation.kind == kind) return violation;
  FAIL("no such violation");
  return {};
}

Names ordered_by(const std::string& text) {
  const Violation violation = first(text, ViolationKind::LockDiscipline);
  CHECK(violation.race == RaceBehind::None);
  return violation.ordered_by;
}

}  // namespace

TEST_CASE("a race is told with the last point at which something ordered the two threads") {
  const Violation violation = first(R"(
semaphore s = 0;
shared x: int(0..2) = 0;
thread A { x = 1; s.up(); x = 2; }
thread B { s.down(); let seen = x; }
)",
                                    ViolationKind::DataRace);
  REQUIRE(violation.last_order);
  CHECK(violation.last_order->before.thread == "A");
  CHECK(violation.last_order->before.operation == "s.up()");
  CHECK(violation.last_order->after.thread == "B");
  CHECK(violation.last_order->after.operation == "s.down()");
}

TEST_CASE("what orders the threads the other way round, or through a third one, is told as well") {
  const Violation back = first(R"(
channel c: int capacity 1;
shared x: int(0..2) = 0;
thread A { let go = c.recv(); x = 1; }
thread B { c.send(1); x = 2; }
)",
                               ViolationKind::DataRace);
  REQUIRE(back.last_order);
  CHECK(back.last_order->before.operation == "c.send(1)");
  CHECK(back.last_order->after.thread == "A");
  const Violation third = first(R"(
semaphore s = 0;
semaphore t = 0;
shared x: int(0..2) = 0;
thread A { s.up(); x = 1; }
thread B { s.down(); t.up(); }
thread C { t.down(); x = 2; }
)",
                                ViolationKind::DataRace);
  REQUIRE(third.last_order);
  CHECK(third.last_order->before.operation == "s.up()");
  CHECK(third.last_order->after.operation == "t.down()");
}

TEST_CASE("where nothing orders the threads before a race, nothing is said of that") {
  const Violation violation = first(R"(
lock m;
shared x: int(0..2) = 0;
thread A { x = 1; }
thread B { with m { x = 2; } }
)",
                                    ViolationKind::DataRace);
  CHECK_FALSE(violation.last_order);
}

TEST_CASE("a violation of the lock discipline that is no race names what orders the accesses") {
  CHECK(ordered_by(R"(
semaphore turn = 1;
lock unrelated;
shared x: int = 0;
thread A[i in 0..<2] { with unrelated { } turn.down(); x = x + 1; turn.up(); }
)") == Names{"turn"});
  // By the channel, and behind the join by that.
  CHECK(ordered_by(R"(
channel c: int capacity 1;
shared x: int(0..9) = 0;
thread A() { x = 1; c.send(1); }
thread B() { let go = c.recv(); x = x + 1; }
thread Main { let a = spawn A(); let b = spawn B(); join a; join b; x = 5; }
)") == Names{"c", "join"});
}

TEST_CASE("of two things that order the same, one is named") {
  CHECK(ordered_by(R"(
semaphore a = 0;
semaphore b = 0;
shared x: int(0..9) = 0;
thread A { x = 1; a.up(); b.up(); }
thread B { a.down(); b.down(); x = 2; }
)")
            .size() == 1);
}

TEST_CASE("what was told in another way already is named where it is needed") {
  CHECK(ordered_by(R"(
semaphore s = 0;
shared x: int(0..9) = 0;
thread T() { x = 1; s.up(); }
thread Main { x = 2; let h = spawn T(); s.down(); join h; x = 3; }
)") == Names{"spawn", "join"});
  CHECK(ordered_by(R"(
semaphore s = 0;
semaphore ack = 0;
semaphore t = 0;
shared x: int(0..9) = 0;
thread A { x = 1; s.up(); ack.down(); t.up(); }
thread B { s.down(); ack.up(); t.down(); x = 2; }
)") == Names{"t"});
}

TEST_CASE("where no execution makes two accesses, nothing orders them") {
  CHECK(ordered_by(R"(
semaphore go[2] = 0;
lock m;
lock n;
shared x: int(0..9) = 0;
thread Main { let c = choose(0..1); go[c].up(); }
daemon thread A { go[0].down(); with m { x = 1; } }
daemon thread B { go[1].down(); with n { x = 2; } }
)")
            .empty());
}

TEST_CASE("blocks that use several objects are named once") {
  CHECK(ordered_by(R"(
shared p: int(0..9) = 0;
shared q: int(0..9) = 0;
shared x: int(0..9) = 0;
thread A { x = 1; atomic { p = 1; } }
thread B { atomic { await p == 1; } x = 2; atomic { q = 1; } }
thread C { atomic { await q == 1; } x = 3; }
)") == Names{"atomic"});
}

TEST_CASE("a violation of the lock discipline that is a race names nothing") {
  const Violation violation = first(R"(
semaphore turn = 1;
shared x: int = 0;
thread A { turn.down(); x = x + 1; turn.up(); }
thread B { x = 7; }
)",
                                    ViolationKind::LockDiscipline);
  CHECK(violation.race == RaceBehind::Race);
  CHECK(violation.ordered_by.empty());
}

}  // namespace cml
