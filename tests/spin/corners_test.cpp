// What random models seldom have, one model a corner: each must agree with SPIN.
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/sanitized.h"
#include "tests/spin/second_opinion.h"

#ifndef CML_SANITIZED

namespace cml::spin {
namespace {

struct Corner {
  const char* what;
  const char* text;
  bool states = true;
};

TEST_CASE("SPIN agrees on the corners of the export") {
  const std::vector<Corner> corners = {
      {"a target that the operands and the index still need",
       R"(atomic a[2]: int(0..3) = 1;
channel mail[2]: int(0..1) capacity 2;
thread A {
  var t: int(0..1) = 1;
  mail[1].send(0);
  mail[0].send(1);
  t = mail[t].recv();
  t = mail[t].recv();
  var u: int(0..3) = 1;
  u = a[u].swap(u + 1);
  u = a[u].add(u);
  u = a[1].swap(a[0]);
  assert u == 3;
}
thread B { a[1] = 2; }
)"},
      {"atomic structs, and a cas whose target is an operand",
       R"(struct P { x: int(0..2); y: bool; }
atomic p: P;
channel c: P capacity 2;
thread A {
  var b = true;
  b = p.cas(P(0, false), P(1, b));
  c.send(P(2, b));
  let q = c.recv();
  p = q;
  assert p.x == 2;
}
thread B { p = P(1, true); let q = p; assert q.x != 2 || q.y; }
)"},
      {"arithmetic at the edges",
       R"(atomic a: int = 2147483647;
thread A {
  var w = a;
  either { w = w + 1; } or { w = -w - 2; } or { w = w * a; } or { w = (0 - w - 1) / (0 - 1); }
  or { w = (0 - w - 1) % (0 - 1); assert w == 0; } or { w = w - (0 - w); } or { w = -(0 - w - 1); }
  or { w = (0 - 7) / 2 + (0 - 7) % 2; assert w == -4; }
}
)"},
      {"a local loop that may not end, and one that does not",
       R"(atomic a: int(0..1) = 0;
thread A {
  var t: int(0..2) = a;
  while t == 1 { t = 1 - t + a; }
  a = 1;
  loop { t = (t + 1) % 3; }
}
thread B { let u = a; a = 1 - u; }
)",
       false},
      {"choices inside of blocks",
       R"(semaphore s = 1;
channel c: int(0..2) capacity 1;
atomic a: int(0..2) = 0;
thread A {
  atomic { select { case s.down(): a = 1; case x = c.recv(): a = x; } }
}
thread B {
  atomic { either { a = 2; } or { a = choose(0..a); } if a == 0 { c.trySend(2); } else { s.up(); } }
}
thread C {
  var hi = a + 1;
  let k = choose(hi - 1..hi);
  atomic { await a != 0; assert a < k; a = 0; }
}
)"},
      {"waiters of several locks, some by index",
       R"(lock m[2];
shared done[2]: bool;
thread W[i in 0..<3] { with m[i % 2] { m[i % 2].wait(); done[i % 2] = true; } }
thread N {
  for k in 0..<2 { with m[k] { m[k].notify(); } }
  let last = choose(0..1);
  with m[last] { m[last].notifyAll(); }
}
)"},
      {"names that mean something to SPIN or to C",
       R"(atomic len: int(0..2) = 0;
atomic now: int(0..2) = 0;
lock free;
semaphore run = 1;
thread Init { var byte = 1; var at = 2; with free { len = byte; now = at; } run.down(); }
thread init_ { var x_ = true; var short = len; if short > 0 { run.down(); } assert x_; }
)"},
      {"a beginning that stops, one that ends, daemons, a false assumption",
       R"(atomic a: int(0..3) = 0;
thread A { var t = 0; assert t == 1, "at once"; a = 1; }
thread B { var t = 1; t = t + 1; }
daemon thread D { loop { await a == 1; a = 2; } }
thread C { a = 1; assume a == 2; a = 3; }
)"},
      {"an invariant over several objects, broken inside of a block and after it",
       R"(shared x[2]: int(-1..2) = 0;
lock m;
invariant sums: total() < 3;
fun total(): int { var r = 0; for i in 0..<2 { r = r + x[i]; } return r; }
thread A { atomic { x[0] = 2; x[1] = 2; x[0] = 0; } }
thread B { var k = 1; with m { x[k] = -1; k = k - 1; x[k] = 2; } }
)"},
      {"guards, an invariant and `finally` that read sizes",
       R"(channel c: int(0..3) capacity 2;
channel d[2]: bool capacity 1;
atomic flag: bool;
invariant few: c.size + total() < 4;
fun total(): int { var n = 0; for k in 0..<2 { n = n + d[k].size; } return n; }
thread A { await c.size > 0 || flag; c.send(1); atomic { await c.size == 2; d[0].trySend(true); } }
thread B { flag = true; c.send(2); if d[1].trySend(false) { let x = c.recv(); } }
thread C { select { case x = c.recv(): flag = x == 1; case d[0].send(true): skip; } }
finally { assert c.size == 1; assert total() > 1, "few"; assert c.size * total() != 2; }
)"},
      {"a size that nobody fills: the guard stays closed",
       R"(channel c: int(0..3) capacity 2;
atomic flag: bool;
thread A { await c.size > 0 || flag; fail "never here"; }
thread B { skip; }
)"},
      {"a block that looks at a size, at a lock, and blocks on one way",
       R"(channel c: bool capacity 1;
semaphore s;
lock m[2];
atomic k: int(0..1);
thread A { m[k].acquire(); atomic { let n = c.size; k = 1; if n == 0 { c.trySend(true); } } }
thread B { var i: int(0..1) = 1; m[i].acquire(); atomic { await m[i].held && k == 1; k = 0; } }
thread C { atomic { await m[0].held; } fail "it holds nothing"; }
thread D { var f = c.size == 1; atomic { if f { await k == 0 && c.size == 1; } else { s.down(); } } s.up(); }
)"},
      {"an element of a local array chosen in a guard, and a loop up to what is read",
       R"(channel c: int(0..2) capacity 2;
atomic a: int(0..2);
fun mixed(first: int(0..2)): bool {
  var seen: int(0..2)[3];
  seen[a] = first + 1;
  seen[c.size] = seen[a] - 1;
  var n = 0;
  while n < c.size { n += 1; }
  return seen[1] == n;
}
thread A { a = 1; c.send(0); await mixed(1); a = 2; c.send(2); await mixed(0); }
thread B { let x = c.recv(); a = x; await mixed(x); }
)"},
      {"names that the export gives itself, and macros of SPIN's C code",
       R"(channel kept0: int(0..2) capacity 2;
channel meet_1_10: int(0..2) capacity 2;
atomic assertion_at_9_3: int(0..3) = 2;
atomic owner: int(0..2); atomic size: int(0..2); atomic item: int(0..2); atomic depth: int(0..2);
atomic channel_: int(0..2); atomic WS: int(0..2); atomic unix: bool; atomic Pwatch: bool; atomic PA: bool;
lock l;
thread A {
  var t: int(0..2) = 1; var forget_A: bool; var B: bool; var check_i: int(0..2); var watch: int(0..2); var channel_1: int(0..2);
  assert assertion_at_9_3 == 2;
  kept0.send(t);
  t = kept0.recv();
  with l { t = owner.swap(t); size = t; item = 1; depth = 1; B = true; channel_ = 2; WS = 1; unix = PA; Pwatch = true; }
  await meet_1_10.size > 0 || t == 0;
  t = meet_1_10.recv();
}
thread B { var A: bool; meet_1_10.send(2); A = true; var x = kept0.size; }
invariant i: size < 2;
finally { assert size != 1; }
)"},
      {"conditions that are long as trees, and short as formulas",
       R"(atomic a: int(0..3);
atomic b: int(0..3);
atomic c: int(0..3);
channel q: int(0..1) capacity 2;
fun one(): bool { return (a > 0 || b > 1) && (b > 0 || c < 2) && (2 / (a + b) > 0 || q.size == 1); }
fun two(): bool { return (q.size > 0 || a == 0) && !(c == 3 && a == 2) && (a < 3 || b < 3); }
thread A {
  await one() && two() && (a != 1 || b != 1 || c != 1) && (c > 0 || q.size == 0);
  fail "here";
}
thread B { a = 1; b = choose(0..3); q.send(1); c = 3; a = 2; }
thread C { c = choose(0..2); let x = q.recv(); b = 0; a = 0; }
invariant (a > 0 || b < 3) && (c == 0 || a + b < 5) && (q.size < 2 || c > 1) && (b != 2 || c != 1);
)"},
      {"a condition that counts",
       R"(atomic a[9]: int(0..3);
fun many(): int { var n = 0; for i in 0..<9 { if a[i] > 0 { n += 1; } } return n; }
thread A { a[3] = 1; a[5] = 2; }
thread B { await many() == 2; fail "here"; }
invariant many() < 2;
finally { for i in 0..<9 { assert a[i] < 2; } }
thread C {
  await (a[0] > 0 || a[0] + a[0] < 2) &&
        (a[1] > 0 || a[7] + a[2] < 3) &&
        (a[2] > 0 || a[5] + a[4] < 4) &&
        (a[3] > 0 || a[3] + a[6] < 2) &&
        (a[4] > 0 || a[1] + a[8] < 3) &&
        (a[5] > 0 || a[8] + a[1] < 4) &&
        (a[6] > 0 || a[6] + a[3] < 2) &&
        (a[7] > 0 || a[4] + a[5] < 3) &&
        (a[8] > 0 || a[2] + a[7] < 4) &&
        (a[0] > 0 || a[0] + a[0] < 2) &&
        (a[1] > 0 || a[7] + a[2] < 3) &&
        (a[2] > 0 || a[5] + a[4] < 4) &&
        (a[3] > 0 || a[3] + a[6] < 2) &&
        (a[4] > 0 || a[1] + a[8] < 3) &&
        (a[5] > 0 || a[8] + a[1] < 4) &&
        (a[6] > 0 || a[6] + a[3] < 2);
}
)"},
      {"who owns a lock, in invariants and `finally`",
       R"(lock m;
lock k[2];
channel c: bool capacity 1;
invariant order: k[0].free || m.free || m.owner == A;
invariant one: !(k[0].owner == W[0] && k[1].owner == W[1] && c.size == 1);
thread A { with k[0] { with m { m.wait(); } } }
thread W[i in 0..<2] { k[i].acquire(); c.trySend(true); if i == 0 { with m { m.notify(); } k[i].release(); } }
thread B { select { case m.acquire(): m.release(); case k[1].acquire(): skip; } if m.tryAcquire() { m.release(); } }
finally { assert k[0].free && m.free; assert k[1].owner == W[1] || k[1].free; }
)"},
      {"a lock in a row of others, chosen by an index",
       R"(lock m[2][2];
atomic ready: bool;
thread W { var i: int(0..1) = 1; with m[i][0] { ready = true; m[i][0].wait(); } }
thread N { await ready; with m[1][0] { m[1][0].notify(); } }
)"},
  };
  for (const Corner& corner : corners) {
    CAPTURE(corner.what);
    const Opinion opinion = second_opinion("random.cml", corner.text, 20'000);
    CAPTURE(opinion.report);
    CHECK(opinion.outcome == Outcome::Agree);
    CHECK(opinion.states_compared == corner.states);
  }
}

TEST_CASE("a comparison with SPIN sees a lost condition, violation, deadlock or state") {
  struct Spoilt {
    const char* text;
    const char* from;
    const char* to;
    const char* report;
  };
  const std::vector<Spoilt> cases = {
      {"atomic a: bool;\nthread A { await a; fail \"never\"; }\n", " && a ->", " ->",
       "  only SPIN: assertion_at_2_21\n  only cml: a deadlock\n  states: cml 1, SPIN 2\n"},
      {"atomic a: bool;\nthread A { assert a; }\n", "assert(assertion", "skip; //",
       "  only cml: assertion_at_2_12\n"},
      {"semaphore s = 1;\nthread A { s.down(); }\n", "byte running = 1", "byte running = 2",
       "  only SPIN: a deadlock\n"},
      {"semaphore s = 1;\nthread A { s.down(); s.up(); }\nthread B { s.down(); s.up(); }\n",
       "int s = 1", "int s = 2", "  states: cml 8, SPIN 9\n"},
  };
  for (const Spoilt& spoilt : cases) {
    CAPTURE(spoilt.text);
    CHECK(second_opinion("random.cml", spoilt.text, 1000).outcome == Outcome::Agree);
    bool found = false;
    const Opinion opinion =
        second_opinion("random.cml", spoilt.text, 1000, [&](std::string& promela) {
          const std::size_t at = promela.find(spoilt.from);
          found = at != std::string::npos;
          if (found) promela.replace(at, std::string_view(spoilt.from).size(), spoilt.to);
        });
    CHECK(found);
    CHECK(opinion.outcome == Outcome::Differ);
    CHECK(opinion.report == spoilt.report);
  }
}

}  // namespace
}  // namespace cml::spin

#endif
