// Model to System: golden text for telling models, and properties that every System has.
#include "ir/lower/lower.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/text/text.h"
#include "tests/harness/golden.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;

const ir::Thread& thread(const ir::System& system, std::string_view name) {
  for (const ir::Thread& candidate : system.threads)
    if (candidate.name == name) return candidate;
  FAIL("no thread ", std::string(name));
  return system.threads.back();
}

std::vector<std::string> operations(const ir::Code& code) {
  std::vector<std::string> names;
  for (const ir::Instruction& instruction : code.instructions)
    if (is_operation(instruction.opcode())) names.emplace_back(mnemonic(instruction.opcode()));
  return names;
}

std::vector<std::string> operations(std::string_view declarations, std::string_view body) {
  const ir::System system =
      test::system_of(std::string(declarations) + "\nthread T {\n" + std::string(body) + "\n}\n");
  return operations(system.threads.back().code);
}

using Operations = std::vector<std::string>;

TEST_CASE("the lowering of telling models") {
  for (const std::string name : {"order", "locks", "regions", "loops", "processes"}) {
    CAPTURE(name);
    const ir::System system = test::system_of(test::project_text("ir/lower/" + name + ".cml"));
    CHECK_GOLDEN("ir/golden/" + name + ".ir", ir::print(system));
  }
}

TEST_CASE("every lowered example prints and parses back") {
  int lowered = 0;
  for (const auto& action : std::filesystem::directory_iterator(CML_SOURCE_DIR "/examples")) {
    if (action.path().extension() != ".cml") continue;
    const std::string name = "../examples/" + action.path().filename().string();
    CAPTURE(name);
    const auto system = test::lowered(test::project_text(name), action.path().string());
    if (!system) continue;  // heap, spawn, recursion
    ++lowered;
    const std::string text = ir::print(*system, {true, true});
    const auto again = ir::parse_system(text);
    if (!again) FAIL(again.error().line, ": ", again.error().message);
    CHECK(ir::print(*again, {true, true}) == text);
  }
  CHECK(lowered >= 25);
}

TEST_CASE("accesses come left to right, each an operation of its own") {
  constexpr std::string_view kObjects =
      "shared x: int; shared y: int; atomic f: bool; channel c: int capacity 1; lock m;"
      "struct P { a: int; b: int; } shared p: P; shared q: P; atomic r: P;";
  CHECK(operations(kObjects, "x = x + 1;") == Operations{"read", "write"});
  CHECK(operations(kObjects, "x += y;") == Operations{"read", "read", "write"});
  CHECK(operations(kObjects, "x = c.recv() + 1;") == Operations{"receive", "write"});
  CHECK(operations(kObjects, "p = q;") == Operations{"read", "read", "write", "write"});
  CHECK(operations(kObjects, "r = r;") == Operations{"read", "write"});
  CHECK(operations(kObjects, "r.b = r.a;") == Operations{"read", "write"});
  CHECK(operations(kObjects, "let v = c.size;") == Operations{"size"});
  CHECK(operations(kObjects, "m.acquire(); m.wait(); m.release();") ==
        Operations{"acquire", "wait", "rewait", "release"});
  CHECK(operations(kObjects, "if false { x = 1; } else { y = 1; }") == Operations{"write"});
  CHECK(operations(kObjects, "return; x = 1;") == Operations{});
  CHECK(operations(kObjects, "loop { skip; } x = 1;") == Operations{});
  CHECK(operations(kObjects, "await x == y;") == Operations{"atomic", "read", "read"});
  CHECK(operations(kObjects, "for i in 0..<2 { x = i; } for i in 3..2 { y = 1; }") ==
        Operations{"write"});
}

TEST_CASE("thread instances are specialised") {
  const ir::System system = test::system_of(
      "lock fork[3]; thread P[i in 0..<3] { fork[i].acquire(); fork[(i + 1) % 3].acquire(); }");
  REQUIRE(system.threads.size() == 3);
  const ir::Code& last = thread(system, "P[2]").code;
  std::vector<std::string> taken;
  for (const ir::Instruction& instruction : last.instructions)
    if (const auto* acquire = std::get_if<ir::Acquire>(&instruction.node)) {
      CHECK_FALSE(acquire->lock.index);
      taken.push_back(system.objects[acquire->lock.base].name);
    }
  CHECK(taken == Operations{"fork[2]", "fork[0]"});
  CHECK(last.slots.empty());
}

TEST_CASE("an index that is evidently wrong stops the thread and reaches no element") {
  const ir::System system =
      test::system_of("shared a[3]: int; thread P[i in 0..<3] { a[i + 1] = 1; a[0] = 2; }");
  CHECK(operations(thread(system, "P[1]").code) == Operations{"write", "write"});
  CHECK(operations(thread(system, "P[2]").code) == Operations{});
}

TEST_CASE("statements are points once, those of pruned branches too") {
  const ir::System system = test::system_of(
      "shared x: int; fun f() { x = 1; } fun g() { x = 2; }"
      "thread P[i in 0..<3] { if i == 5 { f(); } else { skip; } cover \"here\"; }");
  CHECK(system.points.size() == 5);  // if, f(), x = 1, skip, cover
  std::set<std::uint32_t> marked;
  for (const ir::Thread& each : system.threads)
    for (const ir::Instruction& instruction : each.code.instructions)
      if (const auto* mark = std::get_if<ir::Mark>(&instruction.node))
        marked.insert(mark->point.index);
  CHECK(marked.size() == 3);
  int labels = 0;
  for (const ir::Point& point : system.points)
    labels += point.label ? 1 : 0;
  CHECK(labels == 1);
}

TEST_CASE("what is too large to be run is named") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"shared a[100]: int; fun f() { a[0] = 1; a[1] = 1; a[2] = 1; a[3] = 1; a[4] = 1; }"
       "fun g() { f(); f(); f(); f(); f(); f(); f(); f(); f(); f(); }"
       "fun h() { g(); g(); g(); g(); g(); g(); g(); g(); g(); g(); }"
       "fun k() { h(); h(); h(); h(); h(); h(); h(); h(); h(); h(); }"
       "fun l() { k(); k(); k(); k(); k(); k(); k(); k(); k(); k(); }"
       "thread T[i in 0..<50] { l(); }",
       "too large"},
      // Of one thread: a function in a function, a copy and its parameter, operands of `==`.
      {"fun f(a: int): int { var t: int[40000]; return t[a]; }"
       "fun g(a: int): int { var t: int[40000]; return f(a) + t[1]; }"
       "thread T { let k = g(3); }",
       "more than 65536 words"},
      {"struct S { x: int[200][200]; } fun f(s: S): int { var t = s; return t.x[1][2]; }"
       "thread T { var s: S; let k = f(s); }",
       "more than 65536 words"},
      {"struct A { a: int; b: int; c: int; d: int; e: int; f: int; g: int; h: int; }"
       "struct B { a: A; b: A; c: A; d: A; e: A; f: A; g: A; h: A; }"
       "struct C { a: B; b: B; c: B; d: B; e: B; f: B; g: B; h: B; }"
       "struct D { a: C; b: C; c: C; d: C; e: C; f: C; g: C; h: C; }"
       "struct E { a: D; b: D; c: D; d: D; e: D; f: D; g: D; h: D; }"
       "struct F { a: E; b: E; c: E; }"
       "shared x: F; shared y: F; thread T { assert x == y; } finally { assert x == y; }",
       "more than 65536 words"},
      {"atomic x: bool; thread T[i in 0..<40] { var a: int[65536]; loop { a[0] = 1; x = true; } }",
       "all threads take more than"},
  };
  for (const auto& [model, named] : cases) {
    const std::string shown(model);  // clang 14 captures no structured binding
    CAPTURE(shown);
    const auto system = test::lowered(model);
    REQUIRE_FALSE(system);
    CHECK(system.error().message.find(named) != std::string::npos);
    CHECK(system.error().range.end > 0);
  }
}

}  // namespace
