// Static analyses on small models: locks held, what may follow, what is visible.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/analysis/analyses.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using ir::ObjectId;
using ir::ThreadId;
using ir::Use;
using ir::Visible;

ObjectId object(const ir::System& system, std::string_view name) {
  for (const ObjectId id : system.objects.ids())
    if (system.objects[id].name == name) return id;
  FAIL("no object ", std::string(name));
  return {};
}

/// The instructions of a thread that are of this kind, in order.
std::vector<ir::Pc> pcs(const ir::System& system, ThreadId thread, ir::Opcode op) {
  std::vector<ir::Pc> result;
  const auto& code = system.threads[thread].code.instructions;
  for (ir::Pc pc = 0; pc < code.size(); ++pc)
    if (code[pc].opcode() == op) result.push_back(pc);
  return result;
}

struct Analysed {
  explicit Analysed(std::string_view model)
      : system(test::system_of(model)),
        analyses(system),
        held(analyses.held()),
        accesses(analyses.accesses()) {}

  /// The locks certainly held at the n-th write of the first thread.
  [[nodiscard]] std::vector<std::string> held_at_write(std::size_t n) const {
    std::vector<std::string> names;
    for (const ObjectId lock :
         held.certainly(ThreadId(0), pcs(system, ThreadId(0), ir::Opcode::Write).at(n)))
      names.push_back(system.objects[lock].name);
    return names;
  }
  [[nodiscard]] ir::Location location(ir::Opcode op, std::size_t n = 0) const {
    return system.threads[ThreadId(0)].code.pc_location[pcs(system, ThreadId(0), op).at(n)];
  }
  [[nodiscard]] Visible visible(ir::Opcode op, std::size_t n = 0) const {
    return accesses.visible(ThreadId(0), location(op, n));
  }
  [[nodiscard]] bool pending(ir::Location at, std::string_view name, Use use) const {
    return accesses.pending(ThreadId(0), at, {object(system, name), use});
  }
  [[nodiscard]] bool future(ir::Location at, std::string_view name, Use use) const {
    return accesses.future(ThreadId(0), at, {object(system, name), use});
  }

  ir::System system;
  ir::Analyses analyses;
  const ir::HeldLocks& held;
  const ir::Accesses& accesses;
};

using Names = std::vector<std::string>;

TEST_CASE("locks held: with, both ways out, nesting") {
  const Analysed a(
      "lock m; lock n; shared x: int;"
      "thread T { with m { x = 1; with n { x = 2; } with m { x = 3; } x = 4; } x = 5; }");
  CHECK(a.held_at_write(0) == Names{"m"});
  CHECK(a.held_at_write(1) == Names{"m", "n"});
  CHECK(a.held_at_write(2) == Names{"m"});
  CHECK(a.held.depth(ThreadId(0), pcs(a.system, ThreadId(0), ir::Opcode::Write)[2],
                     object(a.system, "m")) == ir::LockDepth{2, 2});
  CHECK(a.held_at_write(3) == Names{"m"});
  CHECK(a.held_at_write(4).empty());
}

TEST_CASE("locks held: branches join, loops end") {
  const Analysed a(
      "lock m; shared x: int; atomic b: bool;"
      "thread T { if b { m.acquire(); x = 1; } x = 2; while b { m.acquire(); } x = 3; }");
  CHECK(a.held_at_write(0) == Names{"m"});
  CHECK(a.held_at_write(1).empty());
  CHECK(a.held_at_write(2).empty());
  const ir::Pc last = pcs(a.system, ThreadId(0), ir::Opcode::Write)[2];
  CHECK(a.held.depth(ThreadId(0), last, object(a.system, "m")) ==
        ir::LockDepth{0, ir::LockDepth::kMany});
}

TEST_CASE("locks held: tryAcquire that is branched on, wait, dynamic indices, select") {
  const Analysed a(
      "lock m; lock f[3]; shared x: int; semaphore s; "
      "thread T { if m.tryAcquire() { x = 1; m.release(); } x = 2;"
      "  with m { m.wait(); x = 3; }"
      "  let i = choose(0..2); with f[i] { x = 4; }"
      "  select { case m.acquire(): x = 5; m.release(); case s.down(): x = 6; } }");
  CHECK(a.held_at_write(0) == Names{"m"});
  CHECK(a.held_at_write(1).empty());
  CHECK(a.held_at_write(2) == Names{"m"});
  CHECK(a.held_at_write(3).empty());
  const ir::Pc inside = pcs(a.system, ThreadId(0), ir::Opcode::Write)[3];
  CHECK(a.held.perhaps(ThreadId(0), inside, object(a.system, "f[1]")));
  CHECK(a.held_at_write(4) == Names{"m"});
  CHECK(a.held_at_write(5).empty());
  const ir::Pc rewait = pcs(a.system, ThreadId(0), ir::Opcode::Rewait)[0];
  CHECK_FALSE(a.held.perhaps(ThreadId(0), rewait, object(a.system, "m")));
}

TEST_CASE("locks held: what an index chose is given back while the index is the same") {
  const auto perhaps = [](std::string_view body) {
    const Analysed a("lock f[3]; shared x: int; atomic b: bool; thread T { var i = choose(0..2);" +
                     std::string(body) + " x = 1; }");
    const ir::Pc last = pcs(a.system, ThreadId(0), ir::Opcode::Write).back();
    return a.held.perhaps(ThreadId(0), last, object(a.system, "f[1]"));
  };
  CHECK_FALSE(perhaps("with f[i] { x = 2; i = choose(0..2); }"));
  CHECK_FALSE(perhaps("var k: int(0..2) = 1; f[k].acquire(); x = 2; f[k].release();"));
  CHECK(perhaps("var k: int(0..2) = 1; f[k].acquire(); k = 2; f[k].release();"));
  CHECK(perhaps("var k: int(0..2) = 1; f[k].acquire(); k = choose(0..2); f[k].release();"));
  CHECK(perhaps("var k: int(0..2) = 1; f[k].acquire();"));
  CHECK(perhaps("var k: int(0..2) = 1; if b { f[k].acquire(); } f[k].release();"));
  CHECK(perhaps("var k: int(0..2) = 1; f[k].acquire(); f[1].acquire(); f[k].release();"));
  CHECK(perhaps("loop { if b { break; } with f[i] { if b { break; } } f[i % 3].acquire(); }"));
  CHECK_FALSE(perhaps("loop { with f[i] { if b { break; } } i = (i + 1) % 3; }"));
  // Who notifies owns the lock, and may be about to give it back by its index.
  const Analysed a(
      "lock f[3]; shared x: int; thread T { var k: int(0..2) = 1; f[k].acquire();"
      " f[1].notify(); x = 1; f[k].release(); x = 2; }");
  CHECK(a.held_at_write(0) == Names{"f[1]"});
  CHECK(a.held_at_write(1).empty());
}

TEST_CASE("locks held: an index that is constant in the instance") {
  const Analysed a(
      "lock f[3]; shared x: int;"
      "thread T[p in 0..<2] { let i = (p + 4) % 3; let k = i + 1; with f[i] { with f[k] { x = 1; }"
      " x = 2; } var v = i; with f[v] { x = 3; } }");
  CHECK(a.held_at_write(0) == Names{"f[1]", "f[2]"});
  CHECK(a.held_at_write(1) == Names{"f[1]"});
  CHECK(a.held_at_write(2).empty());
}

TEST_CASE("locks held: what slots chose is known by the slots") {
  const Analysed a(
      "lock f[3]; lock g; shared x: int; thread T { var k = choose(0..2); var n = choose(0..2);"
      " x = 0; f[k].acquire(); x = 1; f[n].acquire(); x = 2; g.acquire(); f[0].acquire(); x = 3;"
      " f[n].release(); x = 4; f[k].release(); x = 5; f[k].acquire(); k = 1; x = 6; }");
  const auto at = [&](std::size_t n) {
    return pcs(a.system, ThreadId(0), ir::Opcode::Write).at(n);
  };
  const auto chosen = [&](std::size_t n) { return a.held.chosen(ThreadId(0), at(n)).size(); };
  const auto is_determined = [&](std::size_t n) {
    return a.held.is_determined(ThreadId(0), at(n));
  };
  for (std::size_t n = 0; n < 6; ++n)
    CHECK(is_determined(n));
  CHECK_FALSE(is_determined(6));  // k is another one now
  CHECK(chosen(0) == 0);
  CHECK(chosen(1) == 1);
  CHECK(chosen(2) == 2);
  CHECK(chosen(3) == 2);
  CHECK(chosen(4) == 1);
  CHECK(chosen(5) == 0);
  CHECK(a.held.is_exact(ThreadId(0), at(5)));
  CHECK_FALSE(a.held.is_exact(ThreadId(0), at(4)));
  CHECK(a.held_at_write(3) == Names{"f[0]", "g"});
  CHECK(a.held_at_write(5) == Names{"f[0]", "g"});
  // Of the lock that an index means: perhaps the other one, and f[0], are the same.
  const std::vector<ir::Pc> releases = pcs(a.system, ThreadId(0), ir::Opcode::Release);
  const auto depth = [&](ir::Pc pc) {
    const auto& node = a.system.threads[ThreadId(0)].code.instructions[pc].node;
    return a.held.depth(ThreadId(0), pc, std::get<ir::Release>(node).lock);
  };
  CHECK(depth(releases[0]) == ir::LockDepth{1, 3});
  CHECK(depth(releases[1]) == ir::LockDepth{1, 2});
}

TEST_CASE("protection that is certain") {
  const Analysed a(
      "lock m; lock n; shared x: int; shared y: int; shared z: int;"
      "thread T { with m { with n { x = 1; y = 1; } z = 1; } }"
      "thread U { with n { x = 2; } with m { y = y + 1; } z = 2; }");
  const auto protection = a.analyses.protection();
  CHECK(protection[object(a.system, "x")] == std::vector<ObjectId>{object(a.system, "n")});
  CHECK(protection[object(a.system, "y")] == std::vector<ObjectId>{object(a.system, "m")});
  CHECK(protection[object(a.system, "z")].empty());
}

TEST_CASE("what is visible in no, some or all states") {
  const Analysed a(
      "lock m; lock tried; shared x: int; shared seen: int; shared table: int init by T; atomic f: "
      "bool;"
      "invariant i: seen >= 0;"
      "thread T { table = 1; x = 1; seen = 1; f = true; m.acquire(); m.acquire(); m.release();"
      "  m.notify(); m.notifyAll(); tried.acquire(); tried.release(); atomic { x = 2; }"
      "  atomic { f = false; } await f; }"
      "thread U { if tried.tryAcquire() { tried.release(); } }");
  CHECK(a.visible(ir::Opcode::Write, 0) == Visible::Maybe);
  CHECK(a.visible(ir::Opcode::Write, 1) == Visible::Never);
  CHECK(a.visible(ir::Opcode::Write, 2) == Visible::Always);
  CHECK(a.visible(ir::Opcode::Write, 3) == Visible::Always);
  CHECK(a.visible(ir::Opcode::Acquire, 0) == Visible::Always);
  CHECK(a.visible(ir::Opcode::Acquire, 1) == Visible::Never);
  CHECK(a.visible(ir::Opcode::Release, 0) == Visible::Never);
  CHECK(a.visible(ir::Opcode::Notify, 0) == Visible::Maybe);
  CHECK(a.visible(ir::Opcode::Notify, 1) == Visible::Never);
  CHECK(a.visible(ir::Opcode::Release, 1) == Visible::Always);
  CHECK(a.visible(ir::Opcode::Atomic, 0) == Visible::Never);
  CHECK(a.visible(ir::Opcode::Atomic, 1) == Visible::Always);
  CHECK(a.visible(ir::Opcode::Atomic, 2) == Visible::Always);
}

TEST_CASE("pending ends at what is certainly visible, future does not") {
  const Analysed a(
      "lock m; shared x: int; shared y: int; semaphore s; channel c: int capacity 1;"
      "thread T { m.acquire(); x = 1; m.acquire(); y = 1; m.release(); s.up(); loop { c.send(y); } "
      "}");
  const ir::Location first = a.location(ir::Opcode::Acquire, 0);
  CHECK(a.pending(first, "m", Use::Take));
  CHECK(a.pending(first, "x", Use::Write));
  CHECK(a.pending(first, "y", Use::Write));
  CHECK(a.pending(first, "m", Use::Give));
  CHECK_FALSE(a.pending(first, "s", Use::Up));
  CHECK(a.future(first, "s", Use::Up));
  CHECK(a.future(first, "c", Use::Send));
  CHECK(a.future(first, "y", Use::Read));
  const ir::Location send = a.location(ir::Opcode::Send, 0);
  CHECK_FALSE(a.future(send, "s", Use::Up));
  CHECK(a.future(send, "y", Use::Read));
  CHECK(a.pending(send, "y", Use::Read));
  CHECK(a.accesses.future(ThreadId(0), send).size() == 2);
}

}  // namespace
