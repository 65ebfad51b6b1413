// The generator of models with a heap, and what must make no difference to them.
#include "tests/random/heap.h"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "tests/brute/brute_force.h"
#include "tests/differential/subject.h"
#include "tests/harness/sanitized.h"

namespace cml::random_models {
namespace {

using test::kSanitized;

constexpr std::uint64_t kMaxStates = 1500;

brute::Findings explored(const ModelTree& tree) {
  SourceSet sources;
  const FileId file = sources.add("heap.cml", tree.text());
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all())
    if (info(diagnostic.code).severity == Severity::Error)
      FAIL(diagnostic.message << "\n" << tree.text());
  brute::Findings findings = brute::explore(model, {kMaxStates});
  CHECK_FALSE(findings.unsupported);
  return findings;
}

/// How many states the full search finds; none if there are too many.
std::optional<std::uint64_t> searched(const ModelTree& tree) {
  const differential::Subject subject(tree.text(), "heap.cml");
  if (!subject.refused().empty()) return std::nullopt;
  checker::Options options;
  options.all = true;
  options.engine = checker::Engine::Interpreter;
  options.limits.max_states = 4 * kMaxStates;
  const checker::Result result = checker::check(subject.system(), subject.sources(), options);
  if (!result.stats.complete) return std::nullopt;
  return result.stats.states;
}

std::set<std::string> kinds_of(const brute::Findings& findings) {
  std::set<std::string> kinds;
  for (const brute::Violation& violation : findings.violations)
    kinds.insert(violation.kind);
  if (!findings.deadlocks.empty()) kinds.insert("deadlock");
  if (!findings.broken.empty()) kinds.insert("lock-discipline");
  return kinds;
}

TEST_CASE("random models with a heap are understood, small, and of all kinds") {
  constexpr std::uint64_t kDrawn = kSanitized ? 10 : 200;
  std::map<std::string, std::uint64_t> count;
  for (const char* kind : {"assertion", "deadlock", "divergence", "guard", "illegal-monitor",
                           "lock-discipline", "null", "stack-overflow", "unshared"})
    count[kind] = 0;
  std::uint64_t discarded = 0;
  std::uint64_t flawless = 0;
  std::uint64_t large = 0;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const ModelTree tree = generate_with_heap(seed);
    for (const std::string& feature : tree.features)
      ++count[feature];
    const brute::Findings findings = explored(tree);
    if (!findings.complete) ++discarded;
    if (!findings.complete) continue;
    const std::set<std::string> kinds = kinds_of(findings);
    for (const std::string& kind : kinds)
      if (count.contains(kind)) ++count[kind];
    if (kinds.empty()) ++flawless;
    if (findings.states >= 50) ++large;
  }
  for (const auto& entry : count) {
    CAPTURE(entry.first);
    if (!kSanitized) CHECK(entry.second * 200 >= kDrawn);
  }
  CHECK(discarded * 10 <= kDrawn);
  if (!kSanitized) CHECK(flawless * 3 >= kDrawn);
  if (!kSanitized) CHECK(large * 4 >= kDrawn);
  MESSAGE(kDrawn << " models: " << discarded << " too large, " << flawless << " without violation, "
                 << large << " with 50 states or more");
}

// An order of threads and of their walks through the heap changes no state but in its name.
TEST_CASE("neither garbage nor the order of threads makes other states of a heap") {
  constexpr std::uint64_t kDrawn = kSanitized ? 5 : 60;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const ModelTree tree = generate_with_heap(seed);
    const brute::Findings findings = explored(tree);
    if (!findings.complete) continue;
    CAPTURE(tree.text());
    ModelTree turned = tree;
    std::reverse(turned.threads.begin(), turned.threads.end());
    const brute::Findings of_turned = explored(turned);
    CHECK(of_turned.states == findings.states);
    CHECK(kinds_of(of_turned) == kinds_of(findings));
    ModelTree littered = tree;
    littered.processes.push_back(
        {"class Litter {", {"lock mine;", "shared next: Litter? = null;"}, {}});
    for (ThreadText& thread : littered.threads)
      thread.body.insert(thread.body.begin(), {{}, {}, "{ let z = new Litter(); let y = z; }"});
    const brute::Findings of_littered = explored(littered);
    CHECK(of_littered.states == findings.states);
    const auto states = searched(tree);
    if (!states) continue;
    CHECK(searched(turned) == states);
    CHECK(searched(littered) == states);
    CHECK(kinds_of(of_littered) == kinds_of(findings));
  }
}

}  // namespace
}  // namespace cml::random_models
