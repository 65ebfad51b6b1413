// The brute force on models with a heap, whose verdicts were found by thinking.
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "frontend/load_model.h"
#include "tests/brute/brute_force.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

namespace cml::brute {
namespace {

using Names = std::set<std::string>;

Findings explored(std::string_view text, const Limits& limits = {}) {
  SourceSet sources;
  const FileId file = sources.add("heap.cml", std::string(text));
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all())
    if (info(diagnostic.code).severity == Severity::Error) FAIL(diagnostic.message);
  Findings findings = explore(model, limits);
  CHECK_FALSE(findings.unsupported);
  CHECK(findings.complete);
  return findings;
}

/// "null A", "assertion", …: kinds, and what they are about.
Names violations(const Findings& findings) {
  Names out;
  for (const Violation& violation : findings.violations)
    out.insert(violation.kind + (violation.object.empty() ? "" : " " + violation.object));
  if (!findings.deadlocks.empty()) out.insert("deadlock");
  for (const std::string& object : findings.broken)
    out.insert("lock-discipline " + object);
  return out;
}

Names verdict(std::string_view text) { return violations(explored(text)); }

constexpr std::string_view kNode = R"(
class Node {
  shared value: int(0..3) = 0;
  shared next: Node? = null;
}
)";

std::string with_node(const std::string& rest) { return std::string(kNode) + rest; }

TEST_CASE("brute-force heap: who allocates first makes no difference") {
  // Both threads allocate before their first step, and swap at most two steps: the states are those
  // of two threads with a write each.
  const Findings findings = explored(with_node(R"(
atomic a: Node? = null;
atomic b: Node? = null;
thread A { a = new Node(); }
thread B { b = new Node(); }
)"));
  CHECK(findings.states == 4);
  CHECK(violations(findings).empty());
  // Behind a step of each: had objects numbers by the order of allocation, there would be more.
  const Findings later = explored(with_node(R"(
atomic x: int(0..1) = 0;
atomic a: Node? = null;
atomic b: Node? = null;
thread A { x = 1; a = new Node(); }
thread B { x = 1; b = new Node(); }
)"));
  CHECK(later.states == 9);
}

TEST_CASE("brute-force heap: objects out of reach are no part of the state") {
  // In the loop: an object that is about to be stored, and the old one or none in x.
  CHECK(
      explored(with_node("atomic x: Node? = null; thread A { loop { x = new Node(); } }")).states ==
      2);
  // A circle of two that nobody holds any more.
  const Findings circle = explored(with_node(R"(
atomic x: int(0..1) = 0;
thread A {
  loop {
    var a: Node? = new Node();
    var b: Node? = new Node();
    a.next = b;
    b.next = a;
    a = null;
    b = null;
    x = 1 - x;
  }
}
)"));
  // Two values of x; before the first write, the second, the read and the write of x.
  CHECK(circle.states == 8);
  CHECK(violations(circle).empty());
  // The last is reached from the first only.
  CHECK(explored(with_node(R"(
atomic x: Node? = null;
thread A { loop { let n = new Node(); n.next = new Node(); x = n; } }
)"))
            .states == 4);
}

TEST_CASE("brute-force heap: a message can hold an object") {
  const Findings findings = explored(with_node(R"(
channel c: Node capacity 1;
thread A {
  let n = new Node();
  n.value = 2;
  c.send(n);
}
thread B {
  let n = c.recv();
  assert n.value == 2;
}
)"));
  CHECK(violations(findings).empty());
  CHECK(findings.states == 5);
}

TEST_CASE("brute-force heap: an argument of a spawned thread can hold an object") {
  CHECK(verdict(with_node(R"(
thread Main {
  let n = new Node();
  n.value = 1;
  spawn T(n);
}
thread T(n: Node) { assert n.value == 1; }
)"))
            .empty());
}

TEST_CASE("brute-force heap: a lock that is owned keeps its object") {
  // Nobody can release it any more, and what it was does not matter.
  const Findings findings = explored(with_node(R"(
atomic x: int(0..1) = 0;
thread A {
  var n: Node? = new Node();
  n.acquire();
  n = null;
  x = 1;
}
)"));
  CHECK(findings.states == 3);
  // One more for each round: such a program has no end.
  CHECK_FALSE([] {
    SourceSet sources;
    const FileId file = sources.add("heap.cml", with_node(R"(
thread A { loop { let n = new Node(); n.acquire(); } }
)"));
    Diagnostics diagnostics;
    return explore(load_model(sources, file, {}, diagnostics), {50}).complete;
  }());
  // A lock that was collected protects nothing, and no other one takes its place.
  CHECK(verdict(with_node(R"(
shared x: int(0..1) = 0;
thread A {
  for i in 0..<2 {
    let n = new Node();
    with n { x = 1; }
  }
}
thread B { skip; }
)"))
            .empty());  // one thread alone accesses it
  CHECK(verdict(with_node(R"(
shared x: int(0..1) = 0;
thread A {
  for i in 0..<2 {
    let n = new Node();
    with n { x = 1; }
  }
}
thread B { let n = new Node(); with n { x = 0; } }
)")) == Names{"lock-discipline x"});
}

TEST_CASE("brute-force heap: each object obeys the discipline on its own") {
  const std::string list = R"(
class Node {
  lock mine;
  shared next: Node? = null;
}
channel c: Node capacity 2;
thread Main {
  let a = new Node();
  let b = new Node();
  a.next = b;
  c.send(a);
  c.send(a);
}
thread Walker[i in 0..<2] {
  let a = c.recv();
  a.mine.acquire();
  let b = a.next;
  a.mine.release();
)";
  CHECK(verdict(list + "  with b.mine { b.next = null; } }").empty());
  CHECK(verdict(list + "  with a.mine { b.next = null; } }").empty());  // also one lock for it
  CHECK(verdict(list + "  if i == 0 { with a.mine { b.next = null; } } else { with b.mine { b.next "
                       "= null; } } }") == Names{"lock-discipline Node.next"});
  CHECK(verdict(list + "  b.next = null; }") == Names{"lock-discipline Node.next"});
}

TEST_CASE("brute-force heap: what a lock of the heap protects is judged in each execution") {
  // The object is another one in each execution, and always the same within one.
  CHECK(verdict(R"(
class Guard { lock m; }
atomic g: Guard? = null;
shared x: int(0..1) = 0;
thread A { g.cas(null, new Guard()); let h = g; with h.m { x = 1; } }
thread B { g.cas(null, new Guard()); let h = g; with h.m { x = 0; } }
)")
            .empty());
  CHECK(verdict(R"(
class Guard { lock m; }
shared x: int(0..1) = 0;
thread A { let h = new Guard(); with h.m { x = 1; } }
thread B { let h = new Guard(); with h.m { x = 0; } }
)") == Names{"lock-discipline x"});
}

TEST_CASE("brute-force heap: the window opens at `new` and closes at the next operation") {
  const auto text = [](const std::string& between, const std::string& published) {
    return with_node(
        "channel c: Node capacity 1; semaphore s = 1; lock m;\nthread A { let n = new "
        "Node(); n.value = 1; " +
        between + " n.value = 2; " + published +
        " }\nthread B { let n = c.recv(); assert n.value == 2; }");
  };
  CHECK(verdict(text("", "c.send(n);")).empty());
  CHECK(verdict(text("s.down();", "c.send(n);")) == Names{"lock-discipline Node.value"});
  CHECK(verdict(text("with m { skip; }", "c.send(n);")) == Names{"lock-discipline Node.value"});
  // Each object has its own window.
  CHECK(verdict(with_node(R"(
channel c: Node capacity 1;
thread A { let n = new Node(); let o = new Node(); o.value = 1; n.next = o; c.send(n); }
thread B { let n = c.recv(); let o = n.next; assert o.value == 1; }
)"))
            .empty());
  // It does not cover the accesses of others.
  CHECK(verdict(with_node(R"(
shared g: Node? = null;
thread A { let n = new Node(); g = n; n.value = 1; }
thread B { let n = g; if n != null { n.value = 2; } }
)")) == Names{"lock-discipline Node.value", "lock-discipline g"});
}

TEST_CASE("brute-force heap: constructors, methods and monitors") {
  CHECK(verdict(R"(
class Cell {
  const id: int;
  shared count: int(0..5) = 1 guarded by this;
  shared full: bool = false;
  init(id_: int, start: int(0..5)) { id = id_; count = start; }
  synchronized fun add(n: int(0..3)): int { count = count + n; return count; }
  synchronized fun fill() { full = true; notifyAll(); }
  synchronized fun drain() { wait() until full; full = false; }
  fun twice(): int { return add(1) + add(1); }
}
channel c: Cell capacity 1;
thread A {
  let cell = new Cell(7, 2);
  assert cell.id == 7;
  c.send(cell);
  assert cell.add(1) <= 5;
  cell.drain();
}
thread B {
  let cell = c.recv();
  assert cell.id == 7;
  assert cell.twice() >= 7;
  cell.fill();
}
)")
            .empty());
  CHECK(verdict(R"(
class Cell { shared count: int(0..5) = 1 guarded by this; }
channel c: Cell capacity 1;
thread A { let cell = new Cell(); c.send(cell); cell.count = 2; }
thread B { let cell = c.recv(); with cell { cell.count = 3; } }
)") == Names{"guard Cell.count", "lock-discipline Cell.count"});
  // A return gives the monitor back, a violation does not.
  CHECK(verdict(R"(
class Cell {
  shared count: int(0..1) = 0;
  synchronized fun full(): bool { if count == 1 { return true; } return false; }
  synchronized fun add() { count = count + 1; }
}
shared cell: Cell = new Cell();
thread A { cell.add(); cell.add(); }
thread B { if cell.full() { skip; } with cell { skip; } }
)") == Names{"range"});
}

TEST_CASE("brute-force heap: objects of the initial state") {
  const Findings findings = explored(R"(
class Pair {
  shared left: int(0..3);
  shared peer: Pair?;
  init(l: int(0..3), p: Pair?) { left = l; peer = p; }
}
shared top: Pair = new Pair(3, new Pair(2, null));
thread A { assert top.left == 3 && top.peer.left == 2; assert top.peer.peer == null; }
thread B { let p = top.peer; assert p.peer.left == 1; }
)");
  CHECK(violations(findings) == Names{"null"});
}

TEST_CASE("brute-force heap: null, identity, fields of all kinds") {
  CHECK(verdict(with_node("thread A { var n: Node? = null; n.value = 1; }")) == Names{"null"});
  CHECK(verdict(with_node("thread A { var n: Node? = null; n.acquire(); }")) == Names{"null"});
  CHECK(verdict(with_node(R"(
fun f(n: Node): int { return n.value; }
thread A { var n: Node? = null; let v = f(n); }
)")) == Names{"null"});
  CHECK(verdict(with_node(R"(
thread A {
  let a = new Node();
  let b = new Node();
  assert a != b;
  a.next = b;
  assert a.next == b && b.next == null;
}
)"))
            .empty());
  CHECK(verdict(R"(
struct Link { to: Box?; weight: int(0..3); }
class Box {
  const name: int = 4;
  shared links[2]: Link;
  atomic state: Link;
  atomic flags[2]: bool;
  lock m[2];
  semaphore s = 1 max 2;
  channel mail: Box capacity 1;
}
thread A {
  let a = new Box();
  let b = new Box();
  a.links[1] = Link(b, 2);
  a.links[0].weight = 1;
  assert a.links[1].to == b && a.links[1].weight == 2 && a.links[0].to == null;
  a.state = Link(weight: 3, to: a);
  assert a.state.to == a && a.state == Link(a, 3);
  a.flags[1] = true;
  assert a.flags[1] && !a.flags[0] && !b.flags[1];
  a.m[1].acquire();
  assert a.m[1].held && !a.m[0].held && !b.m[1].held;
  b.s.down();
  assert a.s.tryDown() && !b.s.tryDown();
  a.mail.send(b);
  assert a.mail.recv() == b && a.mail.size == 0;
  a.s.up();
  a.s.up();
  a.s.up();
}
)") == Names{"semaphore-max Box.s"});
}

TEST_CASE("brute-force heap: deadlock of two monitors") {
  const Findings findings = explored(with_node(R"(
channel c: Node capacity 2;
channel d: Node capacity 2;
thread Main { let a = new Node(); let b = new Node(); c.send(a); c.send(b); d.send(b); d.send(a); }
thread A { let a = c.recv(); let b = c.recv(); with a { with b { skip; } } }
thread B { let a = d.recv(); let b = d.recv(); with a { with b { skip; } } }
)"));
  CHECK(findings.deadlocks ==
        std::set<StuckVector>{StuckVector{"A:Node.acquire", "B:Node.acquire"}});
}

TEST_CASE("brute-force heap: `new unshared`") {
  CHECK(verdict(with_node(R"(
channel c: Node capacity 1;
thread A { let n = new unshared Node(); n.value = 1; c.send(n); }
thread B { let n = c.recv(); if n != null { n.value = 2; } }
)")) == Names{"unshared Node"});
  CHECK(verdict(with_node(R"(
channel c: Node capacity 1;
thread A { let n = new unshared Node(); c.send(n); }
thread B { let n = c.recv(); n.acquire(); }
)")) == Names{"unshared Node"});
  // To hold it is no access, and no discipline is asked for.
  CHECK(verdict(with_node(R"(
channel c: Node capacity 1;
thread A { let n = new unshared Node(); c.send(n); n.value = 1; n.value = 2; }
thread B { let n = c.recv(); let m = new Node(); m.value = 1; assert n != m; }
)"))
            .empty());
}

TEST_CASE("brute-force heap: recursion") {
  CHECK(verdict(R"(
fun f(n: int): int { return n == 0 ? 0 : n + f(n - 1); }
thread A { assert f(10) == 55; }
)")
            .empty());
  const std::string deep = "fun f(n: int): int { if n == 0 { return 0; } return 1 + f(n - 1); }\n";
  Limits limits;
  limits.max_stack = 5;
  CHECK(violations(explored(deep + "thread A { assert f(4) == 4; }", limits)).empty());
  CHECK(violations(explored(deep + "thread A { assert f(5) == 5; }", limits)) ==
        Names{"stack-overflow"});
  // Methods, with operations on the way; the locks stay owned.
  CHECK(verdict(R"(
class Tree {
  shared left: Tree? = null;
  shared right: Tree? = null;
  shared weight: int(0..7) = 1;
  synchronized fun sum(): int {
    var total = weight;
    if left != null { total = total + left.sum(); }
    if right != null { total = total + right.sum(); }
    return total;
  }
}
channel c: Tree capacity 1;
thread A {
  let t = new Tree();
  t.left = new Tree();
  t.right = new Tree();
  t.left.left = new Tree();
  c.send(t);
  assert t.sum() == 4;
}
thread B { let t = c.recv(); assert t.sum() == 4; }
)")
            .empty());
  limits.max_stack = 3;
  CHECK(violations(explored(R"(
atomic x: int(0..1) = 0;
fun g() { x = 1; g(); }
thread A { g(); }
thread B { await x == 1; }
)",
                            limits)) == Names{"stack-overflow"});
}

TEST_CASE("brute-force heap: atomic classes") {
  const std::string queue = R"(
atomic class Queue<const CAP> {
  var items: int(0..3)[CAP];
  var size: int(0..CAP) = 0;
  const cap: int = CAP;
  fun put(item: int(0..3)): bool {
    if size == CAP { return false; }
    items[size] = item;
    size = size + 1;
    return true;
  }
  fun count(): int { return size; }
  fun get(): int {
    assert count() > 0;
    size = size - 1;
    return items[size];
  }
}
shared q: Queue<2> = new Queue<2>();
)";
  CHECK(verdict(queue + R"(
thread A { assert q.put(1); assert q.get() > 0; }
thread B { assert q.put(2); assert q.get() > 0; }
)")
            .empty());
  // One transition each.
  CHECK(
      explored(queue + "thread A { q.put(1); q.put(2); assert !q.put(3) && q.cap == 2; }").states ==
      8);
  CHECK(verdict(queue + "thread A { q.put(1); } thread B { q.get(); }") == Names{"assertion"});
  // No access in the sense of the discipline; spinning on it is visible.
  CHECK(verdict(queue + "thread A { while q.count() == 0 { skip; } } thread B { q.put(1); }")
            .empty());
}

TEST_CASE("brute-force heap: methods of atomic classes may wait and choose") {
  const std::string buffer = R"(
atomic class Buffer {
  var full: bool = false;
  fun put() { await !full; full = true; }
  fun get(): int { await full; full = false; either { return 1; } or { return choose(2..3); } }
}
shared b: Buffer = new Buffer();
thread Producer { b.put(); b.put(); }
)";
  CHECK(verdict(buffer + "thread Consumer { let x = b.get(); assert x < 4; let y = b.get(); }")
            .empty());
  CHECK(verdict(buffer + "thread Consumer { let x = b.get(); assert x < 3; let y = b.get(); }") ==
        Names{"assertion"});
  CHECK(explored(buffer + "thread Consumer { skip; }").deadlocks ==
        std::set<StuckVector>{StuckVector{"Producer:Buffer.put"}});
}

TEST_CASE("brute-force heap: the examples with classes are right") {
  for (const std::string name : {"atomic_class", "work_queue", "structures/coarse_list",
                                 "structures/coarse_map", "structures/optimistic_list",
                                 "structures/queue", "structures/striped_map", "structures/tree"}) {
    CAPTURE(name);
    if (test::kSanitized && name.starts_with("structures/")) continue;  // minutes
    Limits limits;
    limits.max_states = 20000;
    const Findings findings =
        explored(test::read_file(CML_SOURCE_DIR "/examples/" + name + ".cml"), limits);
    MESSAGE(name << ": " << findings.states << " states");
    CHECK(violations(findings).empty());
    CHECK(findings.stuck_at_least.empty());
  }
}

TEST_CASE("brute-force heap: divergence with objects") {
  CHECK(verdict(with_node("thread A { let n = new Node(); loop { n.value = 1; } }")) ==
        Names{"divergence"});
  CHECK(verdict(with_node("shared x: Node? = null; thread A { loop { x = new Node(); } }")) ==
        Names{"divergence"});
  CHECK(verdict(with_node("thread A { loop { let n = new Node(); } }")) == Names{"divergence"});
}

TEST_CASE("brute-force heap: conditions that are pending are accesses of objects") {
  CHECK(verdict(with_node(R"(
channel c: Node capacity 1;
thread A { let n = new Node(); c.send(n); await n.value == 2; }
thread B { let n = c.recv(); with n { n.value = 1; } }
)")) == Names{"deadlock", "lock-discipline Node.value"});
}

}  // namespace
}  // namespace cml::brute
