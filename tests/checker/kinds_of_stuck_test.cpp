// What is stuck is of one kind, whether the search stops at the first violation or goes on: a
// deadlock where nothing can move in the end, a partial deadlock where others go on for ever.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"
#include "tests/checker/check_text.h"

namespace {

using namespace cml;
using checker::Options;
using checker::Violation;
using checker::ViolationKind;
namespace fs = std::filesystem;

bool is_stuck(const Violation& violation) {
  return violation.kind == ViolationKind::Deadlock ||
         violation.kind == ViolationKind::PartialDeadlock;
}

std::set<std::string> stuck_threads(const Violation& violation) {
  std::set<std::string> threads;
  for (const checker::ThreadStatus& thread : violation.threads)
    if (thread.is_stuck) threads.insert(thread.thread);
  return threads;
}

std::vector<Options> searches() {
  Options full;
  Options depth_first = full;
  full.order = checker::Order::BreadthFirst;
  Options shortest = full;
  shortest.shortest = true;
  Options reduced = full;
  reduced.granularity = checker::Granularity::Sync;
  reduced.composition = checker::Composition::Composed;
  reduced.reduction.sets = checker::Sets::Stubborn;
  Options sleeping = depth_first;
  sleeping.reduction = {checker::Sets::Persistent, true};
  return {full, depth_first, shortest, reduced, sleeping};
}

int compare(const ir::System& system, const SourceSet& sources, Options options) {
  options.all = false;
  const checker::Result first = checker::check(system, sources, options);
  REQUIRE_FALSE(first.internal_error);
  if (first.violations.size() != 1 || !is_stuck(first.violations[0])) return 0;
  const Violation& told = first.violations[0];
  options.all = true;
  const checker::Result all = checker::check(system, sources, options);
  if (!all.stats.complete) return 0;
  const std::set<std::string> mine = stuck_threads(told);
  CAPTURE(told.message);
  CHECK(std::any_of(all.violations.begin(), all.violations.end(), [&](const Violation& other) {
    const std::set<std::string> threads = stuck_threads(other);
    return other.kind == told.kind &&
           std::includes(threads.begin(), threads.end(), mine.begin(), mine.end());
  }));
  return 1;
}

TEST_CASE("the kind of what is stuck does not change with --all") {
  int compared = 0;
  for (const auto& item : fs::directory_iterator(CML_SOURCE_DIR "/tests/models")) {
    if (item.path().extension() != ".cml") continue;
    CAPTURE(item.path().filename().string());
    SourceSet sources;
    const auto file = read_file(sources, item.path().string());
    REQUIRE(file.has_value());
    Diagnostics diagnostics;
    const model::Model model = load_model(sources, *file, {}, diagnostics);
    const auto system = ir::lower(model, sources);
    if (diagnostics.has_errors() || !system) continue;
    for (const Options& options : searches())
      compared += compare(*system, sources, options);
  }
  CHECK(compared > 60);
}

Violation first(const std::string& text, bool shortest = false) {
  Options options;
  options.order = checker::Order::BreadthFirst;
  options.shortest = shortest;
  const checker::Result result = test::check_text(text, options);
  REQUIRE(result.violations.size() == 1);
  return result.violations[0];
}

TEST_CASE("the trace of a deadlock goes on to where nothing moves") {
  const Violation violation = first(
      "semaphore never; atomic x: int; thread A { never.down(); } thread B { x = 1; x = 2; }");
  CHECK(violation.kind == ViolationKind::Deadlock);
  CHECK(violation.trace.size() == 2);
  CHECK(violation.threads[1].state == "ended");
}

TEST_CASE("others that take many states to end are followed to their end, too") {
  std::string text = "semaphore never; atomic x: int(0..9); thread A { never.down(); }";
  text += "thread B[i in 0..<8] { for k in 0..<9 { x = k; } }";
  CHECK(first(text).kind == ViolationKind::Deadlock);
}

TEST_CASE("the shortest trace to a deadlock need not go through the first state with one stuck") {
  // A is stuck after one transition, but from there B has more to do than on the other way.
  const Violation violation = first(
      "semaphore s = 1; semaphore never; atomic x: int(0..9);"
      "thread A { either { never.down(); } or { x = 1; never.down(); } }"
      "thread B { if x == 0 { x = 2; x = 3; x = 4; x = 5; } }",
      true);
  CHECK(violation.kind == ViolationKind::Deadlock);
  CHECK(violation.trace.size() == 3);
}

}  // namespace
