// The independent look at traces (traces.h): that it sees what is wrong, and that it sees nothing
// wrong in what the checker says of tests/models and examples. Random models are in
// differential_test.cpp.
#include "tests/differential/traces.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>

#include "checker/check.h"
#include "tests/differential/differential.h"
#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/ir/lowered.h"

namespace cml::differential {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxTraced = 600;

CML_TEST_PARTS("traces of examples are possible, and the shortest are the shortest") {
  std::size_t followed = 0;
  const std::vector<fs::path> mine = part.models("examples");
  for (const fs::path& path : mine) {
    const Comparison comparison = compare(test::read_file(path), kMaxTraced);
    followed += comparison.outcome == Outcome::Agree ? 1 : 0;
    CHECK_MESSAGE(comparison.outcome != Outcome::Differ, path.filename().string()
                                                             << ":\n"
                                                             << comparison.report);
  }
  CHECK(followed * 2 + 4 >= mine.size());  // a part has four or so
}

/// What is said of a trace of this model once `spoil` has changed it.
std::string spoilt(const std::string& text, const std::function<void(checker::Violation&)>& spoil) {
  const test::LoweredModel lowered = test::lowered_model(text);
  checker::Options options;
  options.shortest = true;
  options.discipline = checker::Discipline::Off;
  checker::Result result = checker::check(lowered.system, lowered.sources, options);
  REQUIRE(result.violations.size() == 1);
  spoil(result.violations[0]);
  return follow_traces(lowered.model, result) +
         compare_lengths(lowered.model, result, brute::explore(lowered.model, {kMaxTraced}), false);
}

bool says(const std::string& report, const std::string& what) {
  CAPTURE(report);
  CHECK(report.find(what) != std::string::npos);
  return report.find(what) != std::string::npos;
}

TEST_CASE("a spoilt trace is seen") {
  const std::string model =
      "atomic x: int(0..5); lock m;\n"
      "thread A { m.acquire(); x = choose(1..2); m.release(); }\n"
      "thread B { m.acquire(); if x == 2 { fail; } m.release(); }\n";
  using V = checker::Violation;
  CHECK(spoilt(model, [](V&) {}).empty());
  CHECK(says(spoilt(model, [](V& v) { v.trace[0].thread = "B"; }), "step"));
  CHECK(says(spoilt(model, [](V& v) { v.trace[1].choice = 0; }), "another value"));
  CHECK(says(spoilt(model,
                    [](V& v) {
                      v.trace[1].choice = 0;
                      v.trace[1].result = checker::Value{"1", {1}};
                    }),
             "step 3"));
  CHECK(says(spoilt(model, [](V& v) { v.trace.back().result->text = "1"; }), "told to be 1"));
  CHECK(says(spoilt(model, [](V& v) { v.trace[1].choice.reset(); }), "not told"));
  CHECK(says(spoilt(model, [](V& v) { v.trace[2].operation = "x = 1"; }), "something else"));
  CHECK(says(spoilt(model, [](V& v) { v.trace[2].changes.clear(); }), "x = 2 is not told"));
  CHECK(says(spoilt(model, [](V& v) { v.trace[2].changes = {{"x", {"3", {}}}}; }), "told to be 3"));
  CHECK(says(spoilt(model, [](V& v) { v.trace[2].location = v.trace[3].location; }), "is at"));
  CHECK(says(spoilt(model, [](V& v) { v.trace.erase(v.trace.begin() + 3); }), "blocked"));
  CHECK(says(spoilt(model, [](V& v) { v.trace.pop_back(); }), "B is running"));
  CHECK(says(spoilt(model, [](V& v) { v.kind = checker::ViolationKind::Range; }), "nothing wrong"));
  CHECK(says(spoilt(model, [](V& v) { v.location.begin += 1; }), "nothing wrong"));
  CHECK(says(spoilt(model, [](V& v) { v.threads[1].state = "running"; }), "B is stopped"));
  CHECK(says(spoilt(model, [](V& v) { v.threads[1].holds.clear(); }), "other locks"));
}

TEST_CASE("stuck threads that are not, and a way round, are seen") {
  using V = checker::Violation;
  const std::string deadlock =
      "semaphore s = 1; thread A { s.down(); s.down(); } thread B { s.down(); s.up(); }";
  CHECK(spoilt(deadlock, [](V&) {}).empty());
  CHECK(says(spoilt(deadlock, [](V& v) { v.trace.clear(); }), "at the end A is running"));
  CHECK(says(spoilt(deadlock,
                    [](V& v) {
                      v.trace.clear();
                      v.threads.clear();
                    }),
             "nobody is stuck"));
  const std::string loop = "shared x: int; thread A { loop { let a = x; } } thread B { x = 1; }";
  CHECK(spoilt(loop, [](V&) {}).empty());
  CHECK(says(spoilt(loop, [](V& v) { v.trace.clear(); }), "does not come back"));
}

TEST_CASE("a trace that is longer than need be is seen") {
  const std::string model =
      "atomic x: int(0..1); thread A { x = 1; x = 0; } thread B { assert x == 0; }";
  CHECK(says(
      spoilt(model, [](checker::Violation& v) { v.trace.insert(v.trace.begin(), v.trace[0]); }),
      "3 transitions, and 2 suffice"));
}

}  // namespace
}  // namespace cml::differential
