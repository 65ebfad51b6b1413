// What is proved about the lock discipline before the search, and what the table makes of it.
#include "checker/monitor/static_discipline.h"

#include <doctest/doctest.h>
#include <map>
#include <string>

#include "checker/check.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using checker::DisciplineEntry;
using checker::Options;

struct CheckedBothWays {
  checker::Result result;
  std::map<std::string, DisciplineEntry> table;
};

CheckedBothWays check(const std::string& text, const Options& options) {
  const ir::System system = test::system_of(text);
  SourceSet sources;
  sources.add("model.cml", text);
  CheckedBothWays out{checker::check(system, sources, options), {}};
  REQUIRE_FALSE(out.result.internal_error);
  for (const DisciplineEntry& entry : out.result.discipline)
    out.table[entry.object] = entry;
  return out;
}

Options every_violation() {
  Options options;
  options.all = true;
  return options;
}

Options without_proofs(Options options) {
  options.static_analyses = false;
  return options;
}

/// "protected m (statically)"
std::string told(const CheckedBothWays& checked, const std::string& object) {
  const DisciplineEntry& entry = checked.table.at(object);
  std::string text = entry.status;
  for (const std::string& lock : entry.locks)
    text += " " + lock;
  return text + " (" + entry.established + ")";
}

const char* const kObjects = R"(
lock m; lock n;
atomic go: bool;
shared under: int(0..9) = 0;
shared constant: int(0..9) = 3;
shared bare: int(0..9) = 0;
shared alone: int(0..9) = 0;
shared declared: int(0..9) = 0 guarded by n;
shared other: int(0..9) = 0 guarded by n;
shared dead: int(0..9) = 0;
shared both: int(0..9) = 0;
thread A {
  with m { under = 1; declared = constant; other = 1; }
  with n { with m { declared = 1; both = 1; } }
  alone = 1;
  bare = 1;
  if go { with m { dead = 1; both = 2; } }
}
thread B {
  with m { under = constant; other = 2; }
  with n { declared = 2; }
  bare = 2;
  if go { with m { dead = 2; } }
  with n { with m { both = 3; } }
}
)";

TEST_CASE("what is proved is told so, and only if the proof says what the table says") {
  const CheckedBothWays checked = check(kObjects, every_violation());
  CHECK(told(checked, "under") == "protected m (statically)");
  CHECK(told(checked, "constant") == "read-only (statically)");
  CHECK(told(checked, "bare") == "violated (dynamically)");
  CHECK(told(checked, "alone") == "unshared (statically)");
  CHECK(told(checked, "declared") == "violated (dynamically)");
  CHECK(told(checked, "other") == "violated (dynamically)");
  // Code that did not run: the table tells what ran, and no proof says that nothing writes `dead`,
  // or that n protects `both`.
  CHECK(told(checked, "dead") == "read-only (dynamically)");
  CHECK(told(checked, "both") == "protected m n (dynamically)");
}

TEST_CASE("verdict and table are the same without proofs, in both forms") {
  for (const checker::Discipline form :
       {checker::Discipline::Global, checker::Discipline::PerExecution}) {
    Options options = every_violation();
    options.discipline = form;
    const CheckedBothWays with = check(kObjects, options);
    const CheckedBothWays without = check(kObjects, without_proofs(options));
    CHECK(with.result.violations.size() == without.result.violations.size());
    REQUIRE(with.table.size() == without.table.size());
    for (const auto& entry : with.table) {
      CAPTURE(entry.first);
      CHECK(entry.second.status == without.table.at(entry.first).status);
      CHECK(entry.second.locks == without.table.at(entry.first).locks);
      CHECK(without.table.at(entry.first).established == "dynamically");
    }
    CHECK(with.result.warnings.size() == without.result.warnings.size());
  }
}

TEST_CASE("a guarded object is proved where the declared lock is certainly held") {
  const CheckedBothWays checked = check(R"(
    lock m; lock n;
    shared x: int(0..9) = 0 guarded by m;
    thread A { with n { with m { x = 1; } } }
    thread B { with m { x = 2; } }
  )",
                                        every_violation());
  CHECK(checked.result.verdict == checker::Verdict::Verified);
  CHECK(told(checked, "x") == "declared m (statically)");
}

TEST_CASE("an access in the window of an `init by` is no proof against the discipline") {
  const CheckedBothWays checked = check(R"(
    lock m;
    shared x: int(0..9) = 0 init by A;
    semaphore s = 0;
    thread A { x = 1; s.up(); with m { x = 2; } }
    thread B { s.down(); with m { x = 3; } }
  )",
                                        every_violation());
  CHECK(checked.result.verdict == checker::Verdict::Verified);
  CHECK(told(checked, "x") == "protected m (dynamically)");
}

TEST_CASE("proved objects take no bytes of the state in the per-execution form") {
  const std::string text = R"(
    lock m;
    shared x[6]: int(0..9) = 0;
    thread A[i in 0..<2] { for k in 0..<6 { with m { x[k] = 1; } } }
  )";
  Options options = every_violation();
  const CheckedBothWays global = check(text, options);
  options.discipline = checker::Discipline::PerExecution;
  const CheckedBothWays proved = check(text, options);
  const CheckedBothWays unproved = check(text, without_proofs(options));
  CHECK(told(proved, "x[0..5]") == "protected m (statically)");
  CHECK(proved.result.stats.state_bytes == global.result.stats.state_bytes);
  CHECK(proved.result.stats.states == global.result.stats.states);
  // A set of locks and a flag for each object, and the depth of the lock.
  CHECK(unproved.result.stats.state_bytes == global.result.stats.state_bytes + 12 + 1);
  CHECK(unproved.result.stats.states >= proved.result.stats.states);
}

TEST_CASE("what an `await` reads counts, whether it is ever true or not") {
  const CheckedBothWays checked = check(R"(
    lock m;
    shared x: int(0..9) = 0;
    thread A { with m { x = 1; } }
    thread B { await x > 5; }
  )",
                                        every_violation());
  CHECK(told(checked, "x") == "violated (dynamically)");
}

TEST_CASE("an object that one thread alone reaches breaks nothing, proofs or not") {
  const std::string text = R"(
    lock m;
    shared x: int(0..9) = 0 guarded by m;
    thread A { x = 1; x = 2; }
    thread B { with m { skip; } }
  )";
  for (const bool proves : {true, false}) {
    const CheckedBothWays checked =
        check(text, proves ? every_violation() : without_proofs(every_violation()));
    CHECK(checked.result.verdict == checker::Verdict::Verified);
    CHECK(told(checked, "x") == (proves ? "unshared (statically)" : "unshared (dynamically)"));
  }
}

}  // namespace
