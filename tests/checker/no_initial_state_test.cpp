// What top-level initialisers execute may fail, or not end: a violation in the initial state, which
// the brute force finds, too.
#include <doctest/doctest.h>
#include <string>

#include "checker/check.h"
#include "ir/lower/lower.h"
#include "tests/brute/brute_force.h"
#include "tests/harness/process.h"
#include "tests/ir/lowered.h"

namespace cml {
namespace {

struct Checked {
  checker::Result result;
  std::string line;  // of the violation
};

/// Searched as `cml check` does it, with room for so many objects and calls.
Checked checked(const std::string& text, std::uint32_t room = 64) {
  Checked out;
  SourceSet sources;
  const FileId file = sources.add("begins.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all())
    if (info(diagnostic.code).severity == Severity::Error) FAIL(diagnostic.message);
  ir::LowerOptions lowering;
  lowering.max_heap = room;
  lowering.stack_room = room;
  const auto system = ir::lower(model, sources, lowering);
  checker::Options options;
  options.all = true;
  out.result = system ? checker::check(*system, sources, options)
                      : checker::check_nothing(system.error(), sources);
  const brute::Findings findings = brute::explore(model, {});
  CHECK_FALSE(findings.unsupported);
  CHECK(findings.violations.size() == out.result.violations.size());
  for (const checker::Violation& violation : out.result.violations) {
    const auto& own = violation.location;
    out.line = std::string(
        sources.file(own.file).line_text(sources.file(own.file).line_column(own.begin).line));
    CHECK(findings.violations.begin()->kind == name(violation.kind));
    if (violation.kind == checker::ViolationKind::Assertion)
      CHECK(findings.violations.begin()->place == own.begin);
    CHECK_FALSE(violation.thread);
    CHECK(violation.trace.empty());
  }
  return out;
}

TEST_CASE("initial values: a constructor that fails is a violation") {
  const Checked failed = checked(R"(
class Node {
  shared value: int(0..3) = 0;
  init(start: int) {
    assert start < 3, "too large";
    value = start;
  }
}
shared one: Node = new Node(1);
shared three: Node = new Node(3);
thread Main { skip; }
)");
  REQUIRE(failed.result.verdict == checker::Verdict::Violated);
  const checker::Violation& violation = failed.result.violations.at(0);
  CHECK(violation.message == "in the initial value of three (begins.cml:10): too large");
  CHECK(violation.object == "three");
  CHECK(failed.line == "    assert start < 3, \"too large\";");
  CHECK(failed.result.stats.complete);
}

TEST_CASE("initial values: what can go wrong in them") {
  const auto kind = [](const std::string& body, const std::string& fields = "") {
    const Checked failed = checked("class Node {\n  shared value: int(0..3) = 0;\n" + fields +
                                   "  init(start: int) {\n" + body +
                                   "\n  }\n}\n"
                                   "process P[p in 0..1] { shared own: Node = new Node(p); }\n"
                                   "thread Main { skip; }\n");
    if (failed.result.verdict != checker::Verdict::Violated) return std::string();
    const checker::Violation& violation = failed.result.violations.at(0);
    return std::string(name(violation.kind)) + " " + violation.object.value_or("");
  };
  CHECK(kind("    value = start;").empty());
  CHECK(kind("    value = start * 4;") == "range P[1].own");
  CHECK(kind("    value = 1 / start;") == "division-by-zero P[0].own");
  CHECK(kind("    var i = 0; while i == start { skip; }") == "divergence P[0].own");
  CHECK(kind("    while value == 0 { value = start; }") == "divergence P[0].own");
  CHECK(kind("    list[start + 1] = 1;", "  shared list: int[2];\n") == "index P[1].own");
  CHECK(kind("    s.up(); if start > 0 { s.up(); }", "  semaphore s = 0 max 1;\n") ==
        "semaphore-max P[1].own");
  CHECK(kind("    if start > 0 { value = next.value; }", "  shared next: Node? = null;\n") ==
        "null P[1].own");
}

TEST_CASE("initial values: limits, and assumptions that do not hold") {
  const std::string list = R"(
class Node {
  shared next: Node? = null;
  init(n: int) { if n > 0 { next = new Node(n - 1); } }
}
shared list: Node = new Node(9);
thread Main { skip; }
)";
  const Checked small = checked(list, 8);
  CHECK(small.result.verdict == checker::Verdict::Inconclusive);
  CHECK_FALSE(small.result.unsupported);
  CHECK(small.result.stats.limits_hit.size() == 1);
  CHECK(checked(list, 16).result.verdict == checker::Verdict::Verified);

  const Checked none = checked(R"(
class Node { init(n: int) { assume n > 0; fail "never"; } }
shared node: Node = new Node(0);
thread Main { fail "never"; }
)");
  CHECK(none.result.verdict == checker::Verdict::Inconclusive);
  CHECK(none.result.unsupported);
}

}  // namespace
}  // namespace cml
