// What traces say of values: locals, objects and operations of every type, as the model writes
// them.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/checker/check_text.h"

namespace {

using namespace cml;
using Lines = std::vector<std::string>;

constexpr const char* kTypes =
    "enum Kind { Ask, Grant } struct Pos { x: int(0..9); ok: bool; }\n"
    "struct Msg { kind: Kind; at: Pos; }\n"
    "fun moved(from: Pos): Pos { return Pos(from.x + 1, from.ok); }\n";

/// "operation | name = value, name = value" for each step of A's way to its end.
Lines trace_of(const std::string& declarations, const std::string& body) {
  checker::Options options;
  options.discipline = checker::Discipline::Off;
  const checker::Result result =
      test::check_text(kTypes + declarations + "\nthread A {\n" + body + "\nfail; }\n", options);
  REQUIRE(result.violations.size() == 1);
  Lines lines;
  for (const checker::TraceStep& step : result.violations[0].trace) {
    std::string line = step.operation;
    if (step.result && step.shows_result) line += " → " + step.result->text;
    if (step.was) line += ", was " + step.was->text;
    line += " |";
    for (std::size_t i = 0; i < step.changes.size(); ++i)
      line += (i > 0 ? ", " : " ") + step.changes[i].name + " = " + step.changes[i].value.text;
    lines.push_back(line);
  }
  return lines;
}

TEST_CASE("a struct that is received, copied and changed") {
  CHECK(trace_of("channel c: Pos capacity 1; atomic a: int;",
                 "c.send(Pos(3, true)); let r = c.recv(); var s = r; a = 1; s.x = 4;") ==
        Lines{"c.send((3, true)) | c = [(3, true)]",
              "r = c.recv() | c = [], r = (3, true), s = (3, true)", "a = 1 | a = 1, s.x = 4"});
}

TEST_CASE("structs within structs, enums and bools") {
  CHECK(
      trace_of("channel c: Msg capacity 2; atomic best: Msg;",
               "c.send(Msg(Kind.Grant, Pos(1, false))); let m = c.recv(); best = m;"
               "best.at.ok = true; best.at = Pos(2, true); let at = best.at; let k = best.kind;") ==
      Lines{"c.send((Grant, (1, false))) | c = [(Grant, (1, false))]",
            "m = c.recv() | c = [], m = (Grant, (1, false))",
            "best = (Grant, (1, false)) | best = (Grant, (1, false))",
            "best.at.ok = true | best = (Grant, (1, true))",
            "best.at = (2, true) | best = (Grant, (2, true))", "at = best.at | at = (2, true)",
            "k = best.kind | k = Grant"});
}

TEST_CASE("elements of arrays by their index, whole arrays in brackets") {
  CHECK(trace_of("atomic x: int(0..9);",
                 "x = 1; var a: int(0..9)[3] = [1, 2, 3]; var ps: Pos[2]; "
                 "for i in 0..<2 { a[i + 1] = 7; ps[i].x = a[i]; ps[i] = Pos(i, true); }") ==
        Lines{"x = 1 | x = 1, a = [1, 2, 3], i = 1, a[1] = 7, ps[0].x = 1, ps[0] = (0, true), "
              "a[2] = 7, ps[1].x = 7, ps[1] = (1, true)"});
  CHECK(trace_of("atomic x: int(0..9);",
                 "x = 2; var grid: int(0..9)[2][3]; for i in 0..<2 { grid[i][2 - i] = x; }") ==
        Lines{"x = 2 | x = 2, i = 0", "grid[0][2] = x | grid[0][2] = 2, i = 1",
              "grid[1][1] = x | grid[1][1] = 2"});
  CHECK(trace_of("atomic x: int(0..9);", "let b: int(0..9)[2] = [x, 5];") ==
        Lines{"b[0] = x | b[0] = 0, b[1] = 5"});
}

TEST_CASE("a shared struct is read and written field by field") {
  CHECK(trace_of("shared home: Pos;", "home = Pos(3, true); let h = home;") ==
        Lines{"home.x = 3 | home.x = 3", "home.ok = true | home.ok = true",
              "h.x = home.x | h.x = 3", "h.ok = home.ok | h.ok = true"});
}

TEST_CASE("what an operation answers") {
  CHECK(trace_of("channel c: int(0..9) capacity 2; lock m; semaphore s = 1; atomic x: Pos;",
                 "let t = m.tryAcquire(); let d = s.tryDown(); let e = s.tryDown();"
                 "let n = c.size; var g: int; let r = c.tryRecv(g); let o = x.swap(Pos(1, true));"
                 "let y = x.cas(Pos(0, true), Pos(2, true)); let k = choose(4..4);"
                 "let h = m.held;") ==
        Lines{"m.tryAcquire() → true | m = A, t = true", "s.tryDown() → true | s = 0, d = true",
              "s.tryDown() → false | e = false", "c.size → 0 | n = 0",
              "c.tryRecv() → false | r = false",
              "x.swap((1, true)) → (0, false) | x = (1, true), o = (0, false)",
              "x.cas((0, true), (2, true)) → false, was (1, true) | y = false",
              "choose(4..4) | k = 4", "m.held → true | h = true"});
}

TEST_CASE("the value of a function, and its parameters") {
  CHECK(trace_of("atomic x: int(0..9);", "x = 3; let p = moved(Pos(1, true));") ==
        Lines{"x = 3 | x = 3, from = (1, true), "
              "p = (2, true)"});
}

checker::Violation violation_of(const std::string& declarations, const std::string& body) {
  checker::Options options;
  options.discipline = checker::Discipline::Off;
  checker::Result result =
      test::check_text(kTypes + declarations + "\nthread A {\n" + body + "\n}\n", options);
  REQUIRE(result.violations.size() == 1);
  return std::move(result.violations[0]);
}

std::string values_of(const checker::Violation& violation) {
  std::string text;
  for (const auto& [name, value] : violation.values)
    text += (text.empty() ? "" : ", ") + name + " = " + value.text;
  return text;
}

TEST_CASE("what was read, which case and which branch") {
  CHECK(trace_of("atomic x: int(0..9) = 7; channel c: int(0..9) capacity 1; channel d: int(0..9) "
                 "capacity 1; semaphore s;",
                 "if x > 0 { c.send(x); }"
                 "select { case k = c.recv(): { skip; } case s.down(): { skip; } }"
                 "select { case k = c.recv(): { skip; } default: { skip; } }"
                 "either { d.send(2); } or { fail; } d.recv(); await x == 7;") ==
        Lines{"x → 7 |", "x → 7 |", "c.send(7) | c = [7]", "select: k = c.recv() | c = [], k = 7",
              "select: default |", "either: branch 1 of 2 |", "d.send(2) | d = [2]",
              "d.recv() → 2 | d = []", "await x == 7 |"});
}

TEST_CASE("whom a notify woke, who woke by itself, and what a waiter waits for") {
  checker::Options options;
  options.spurious_wakeups = true;
  options.shortest = true;
  const checker::Result result = test::check_text(
      "lock m; atomic go: bool;"
      "daemon thread B { loop { with m { m.notifyAll(); } } }"
      "thread A { m.acquire(); m.wait(); m.release(); m.acquire(); m.notifyAll(); fail; }",
      options);
  REQUIRE(result.violations.size() == 1);
  const auto& trace = result.violations[0].trace;
  REQUIRE(trace.size() == 6);
  CHECK(trace[2].is_spurious);
  CHECK(trace[5].woken == std::vector<std::string>{});
  const checker::Violation stuck =
      violation_of("lock m; atomic go: bool;", "with m { m.wait() until go; }");
  CHECK(stuck.kind == checker::ViolationKind::Deadlock);
  CHECK(stuck.threads[0].blocked_on == "m.wait() until go");
}

TEST_CASE("the parts of an assertion have values") {
  const std::string twice = "fun twice(n: int): int { return n * 2; } atomic x: int = 3;";
  const checker::Violation sum =
      violation_of(twice, "let r = Pos(2, true); assert x == twice(r.x) + 1 && r.ok;");
  CHECK(sum.message == "the assertion does not hold");
  CHECK(values_of(sum) == "x = 3, twice(r.x) = 4, r.ok = true");
  CHECK(values_of(violation_of(twice, "var n = 5; assert x > n;")) == "n = 5, x = 3");
  CHECK(values_of(violation_of("lock m; channel c: int capacity 2;",
                               "assert !m.held && c.size == 1;")) == "m.held = false, c.size = 0");
}

TEST_CASE("what does not fit is told with its value, its variable and its range") {
  const auto message = [](const std::string& declarations, const std::string& body) {
    const checker::Violation violation = violation_of(declarations, body);
    return violation.message + " | " + values_of(violation);
  };
  const std::string x = "atomic x: int = 3; atomic best: Pos; channel c: int(0..4) capacity 1;";
  CHECK(message(x, "var n: int(0..5) = x + 4;") == "7 is not in 0..5, the range of n | x = 3");
  CHECK(message(x, "var p = Pos(1, true); p.x = x * 4;") ==
        "12 is not in 0..9, the range of p.x | x = 3");
  CHECK(message(x, "best.x = x * 4;") == "12 is not in 0..9, the range of best.x | x = 3");
  CHECK(message(x, "c.send(x + 2);") == "5 is not in 0..4, the range of the values of c | x = 3");
  CHECK(message("atomic t: int(0..4) = 3;", "t.add(2);") ==
        "5 is not in 0..4, the range of t | t = 3");
  CHECK(message(x, "let p = moved(Pos(9, true));") == "10 is not in 0..9 | from.x = 9");
  CHECK(message(x, "let a: int[2] = [1, 2]; let k = a[x];") ==
        "index 3 is not in 0..1, the indices of a | x = 3");
  CHECK(message(x + "atomic a: int[2];", "var i = 2; a[i] = 1;") ==
        "index 2 is not in 0..1, the indices of a | i = 2");
  CHECK(message(x, "let k = 7 / (x - 3);") == "7 / 0 has no value | x = 3");
  CHECK(message(x, "let k = 2147483647 + x;") == "2147483647 + 3 is no 32-bit integer | x = 3");
  CHECK(message(x, "let k = choose(x..1);") == "nothing can be chosen from 3..1 | x = 3");
}

TEST_CASE("of a value that breaks its range nothing is told") {
  const checker::Result result = test::check_text(
      std::string(kTypes) +
      "atomic x: int(0..20); thread A { x = 12; var p = Pos(1, true); p = Pos(x, true); }");
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == checker::ViolationKind::Range);
  for (const auto& [name, value] : result.violations[0].trace.back().changes)
    CHECK(name != "p");
}

}  // namespace
