// What the report says of the end of a trace: which values are there, why nobody goes on, which
// objects it is about and what they are called.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/checker/check_text.h"

namespace {

using namespace cml;
using checker::ThreadStatus;
using checker::Violation;
using checker::ViolationKind;

Violation first_violation(const std::string& text, bool all = false) {
  checker::Options options;
  options.order = checker::Order::BreadthFirst;
  options.all = all;
  checker::Result result = test::check_text(text, options);
  REQUIRE(!result.violations.empty());
  return std::move(result.violations[0]);
}

const ThreadStatus& status(const Violation& violation, const std::string& thread) {
  const auto found =
      std::find_if(violation.threads.begin(), violation.threads.end(),
                   [&thread](const ThreadStatus& one) { return one.thread == thread; });
  REQUIRE(found != violation.threads.end());
  return *found;
}

std::string text_of(const std::vector<checker::NamedValue>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + value.text;
  return text;
}

TEST_CASE("who could have let a blocked thread go on, and why not") {
  const Violation ended = first_violation(
      "channel c: int capacity 2; thread Producer { c.send(1); }"
      "thread Consumer { c.recv(); c.recv(); }");
  CHECK(status(ended, "Consumer").notes ==
        std::vector<std::string>{"only Producer sends to c; it has ended"});
  const Violation nobody = first_violation("semaphore s; thread A { s.down(); }");
  CHECK(status(nobody, "A").notes == std::vector<std::string>{"no other thread ever ups s"});
  const Violation size =
      first_violation("channel c: int capacity 2; thread A { await c.size > 0; }");
  CHECK(status(size, "A").notes ==
        std::vector<std::string>{"no other thread ever sends to c",
                                 "no other thread ever receives from c"});
  const Violation past = first_violation(
      "atomic go: bool; lock m; semaphore never;"
      "thread A { go = false; never.down(); } thread B { await go; }");
  CHECK(status(past, "B").notes ==
        std::vector<std::string>{"only A writes go; it does not come to that any more"});
}

TEST_CASE("a notify that came too early") {
  const Violation lost = first_violation(
      "lock m; thread A { with m { m.wait(); } } thread B { with m { m.notifyAll(); } }");
  CHECK(status(lost, "A").notes ==
        std::vector<std::string>{"the last notifyAll came before the wait",
                                 "only B notifies m; it has ended"});
}

TEST_CASE("threads wait in a circle through channels, semaphores and joins") {
  const Violation channels = first_violation(
      "channel a: int capacity 1; channel b: int capacity 1;"
      "thread A { a.recv(); b.send(1); } thread B { b.recv(); a.send(1); }");
  CHECK(channels.cycle == std::vector<std::string>{"A", "B"});
  checker::Options options;
  options.all = true;
  const checker::Result mixed = test::check_text(
      "lock m; semaphore s;"
      "thread A { m.acquire(); s.down(); m.release(); } thread B { m.acquire(); s.up(); }",
      options);
  CHECK(std::any_of(mixed.violations.begin(), mixed.violations.end(), [](const Violation& one) {
    return one.cycle == std::vector<std::string>{"A", "B"};
  }));
  const Violation joins = first_violation(
      "lock m; thread Child(n: int(0..1)) { m.acquire(); m.release(); }"
      "thread Parent { m.acquire(); let child = spawn Child(0); join child; m.release(); }");
  CHECK(joins.cycle.size() == 2);
}

TEST_CASE("the objects and the locals that are not as they were") {
  const Violation violation = first_violation(
      "atomic x: int(0..9); atomic y: int(0..9) = 4; channel c: int capacity 2; semaphore s;"
      "thread A { var n: int(0..9) = 2; x = n; if true { let inner = 3; x = inner; } var k = 5;"
      "c.send(k); y = 4; s.down(); x = n; }");
  CHECK(text_of(violation.state) == "x = 3, c = [5]");
  CHECK(text_of(status(violation, "A").locals) == "n = 2, k = 5");
}

TEST_CASE("the kind of a violation is the same with and without all") {
  const std::string text =
      "lock a; lock b; semaphore s; atomic late: bool;"
      "thread A { a.acquire(); b.acquire(); } thread B { b.acquire(); a.acquire(); }"
      "thread C { either { loop { late = !late; } } or { skip; } }";
  CHECK(first_violation(text).kind == ViolationKind::Deadlock);
  CHECK(first_violation(text, true).kind == ViolationKind::Deadlock);
}

TEST_CASE("deadlocked states are counted") {
  checker::Options options;
  options.all = true;
  const checker::Result result = test::check_text(
      "semaphore s; atomic x: int(0..2); thread A { x = choose(0..2); s.down(); }", options);
  CHECK(result.stats.deadlocked_states == 3);
  CHECK(result.violations.size() == 1);
}

constexpr const char* kList =
    "class Node { shared key: int(0..9); shared next: Node?; lock m; }"
    "class List { const head: Node; init() { head = new Node(); } }"
    "shared list: List = new List();";

TEST_CASE("an object is called by the path that leads to it all the time, others by numbers") {
  const Violation violation =
      first_violation(std::string(kList) +
                      "thread A { let n = new Node(); with list.head.m { list.head.next = n; }"
                      "  let k = new Node(); with n.m { n.next = k; fail; } }");
  std::vector<std::string> told;
  for (const checker::TraceStep& step : violation.trace) {
    told.push_back(step.operation);
    for (const auto& [name, value] : step.changes)
      told.push_back(name + " := " + value.text);
  }
  const auto tells = [&told](const std::string& text) {
    return std::find(told.begin(), told.end(), text) != told.end();
  };
  CHECK(tells("list.head.m.acquire()"));
  CHECK(tells("list.head.next := Node#1"));
  CHECK(tells("Node#1.m.acquire()"));
  CHECK(tells("Node#1.next := Node#2"));
  REQUIRE(violation.heap.size() >= 2);
  const auto first = std::find_if(violation.heap.begin(), violation.heap.end(),
                                  [](const auto& object) { return object.name == "Node#1"; });
  REQUIRE(first != violation.heap.end());
  CHECK(first->path == "list.head.next");
  CHECK(text_of(first->fields) == "key = 0, next = Node#2, m = A");
}

TEST_CASE("an object at the place of a garbage one has a number of its own") {
  const Violation violation = first_violation(
      "class Box { shared v: int(0..9); } shared box: Box? = null;"
      "thread A { box = new Box(); box = null; box = new Box(); fail; }");
  std::vector<std::string> told;
  for (const checker::TraceStep& step : violation.trace)
    for (const auto& [name, value] : step.changes)
      if (name == "box") told.push_back(value.text);
  CHECK(told == std::vector<std::string>{"Box#1", "null", "Box#2"});
}

}  // namespace

TEST_CASE("who spawns a thread is not said to do what that thread does") {
  const Violation stuck = first_violation(R"(
semaphore s = 0;
thread A { s.down(); s.down(); }
thread B { let one = spawn T(); }
thread T() { s.up(); }
)");
  const ThreadStatus& a = status(stuck, "A");
  REQUIRE(a.wakers.size() == 1);
  CHECK(a.wakers[0].thread == "B/spawn0");
}
