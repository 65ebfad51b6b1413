// Small pictures of the heap, and which violations are alike.
#include "report/heap_text.h"

#include <doctest/doctest.h>
#include <string>

#include "report/alike.h"

namespace {

using namespace cml;
using checker::HeapObject;

checker::NamedValue field(const std::string& name, const std::string& value) {
  return {name, {value, {value}}};
}

TEST_CASE("chains of references, and the values of the objects") {
  const HeapObject head{"set.head", "", "Node", {field("key", "0"), field("next", "Node#1")}};
  const HeapObject first{
      "Node#1", "set.head.next", "Node", {field("m", "A"), field("next", "Node#2")}};
  const HeapObject second{"Node#2", "", "Node", {field("m", "free"), field("next", "Node#7")}};
  CHECK(report::heap_text({head, first, second}, {}) ==
        "  objects in the end:\n"
        "    set.head ─next→ Node#1 ─next→ Node#2 ─next→ Node#7\n"
        "    set.head: Node  key = 0\n"
        "    Node#1          m = A\n");
  CHECK(report::heap_text({}, {}).empty());
}

TEST_CASE("a circle is drawn once, a second way in a line of its own") {
  const HeapObject a{"Node#1", "ring", "Node", {field("next", "Node#2"), field("other", "Node#9")}};
  const HeapObject b{"Node#2", "", "Node", {field("next", "Node#1")}};
  CHECK(report::heap_text({a, b}, {}) ==
        "  objects in the end:\n"
        "    ring = Node#1 ─next→ Node#2 ─next→ Node#1\n"
        "    ring = Node#1 ─other→ Node#9\n");
}

checker::Violation stuck(const std::string& thread, const std::string& at) {
  checker::Violation violation;
  violation.kind = checker::ViolationKind::Deadlock;
  violation.message = "no thread can move: " + thread;
  checker::ThreadStatus status;
  status.thread = thread;
  status.blocked_on = at;
  status.is_stuck = true;
  violation.threads.push_back(status);
  return violation;
}

TEST_CASE("violations that differ in indices alone are alike") {
  const std::vector<checker::Violation> all{
      stuck("P[0]", "fork[1].acquire()"), stuck("P[1]", "fork[0].acquire()"),
      stuck("P[1]", "table.acquire()"), stuck("Q", "Node#3.m.acquire()"),
      stuck("Q", "Node#12.m.acquire()")};
  CHECK(report::first_alike(all) == std::vector<std::size_t>{0, 0, 2, 3, 3});
}

}  // namespace
