// Random models: three searches that must agree, and a generator that must keep producing all that
// it can. A difference is shrunk before it is shown; what it shows belongs into tests/models.
#include "tests/differential/differential.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/seeds.h"
#include "tests/random/generator.h"
#include "tests/random/heap.h"

namespace cml::differential {
namespace {

constexpr std::uint64_t kMaxStates = 1500;

using test::kSanitized;
constexpr std::uint64_t kModels = kSanitized ? 12 : 1000;
constexpr std::uint64_t kRotating = kSanitized ? 12 : 240;

CML_TEST_PARTS("depth-first, breadth-first and brute-force search agree on random models") {
  const std::vector<std::uint64_t> mine = test::Seeds(kModels, kRotating).of(part);
  std::uint64_t discarded = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t agree = 0;
  std::uint64_t untold = 0;  // see Comparison
  int shown = 0;
  for (const std::uint64_t seed : mine) {
    if (shown == 3) break;
    const random_models::ModelTree tree = random_models::draw(seed);
    const Comparison comparison = compare(tree.text(), kMaxStates);
    if (comparison.outcome == Outcome::Discarded) ++discarded;
    if (comparison.outcome == Outcome::Unsupported) ++unsupported;
    if (comparison.outcome == Outcome::Agree) ++agree;
    if (comparison.untold) ++untold;
    if (comparison.outcome == Outcome::Refused) {
      ++shown;
      FAIL_CHECK(test::Seeds::name(seed) << ": " << comparison.report << "\n" << tree.text());
    }
    if (comparison.outcome != Outcome::Differ) continue;
    ++shown;
    const random_models::ModelTree small = random_models::shrink(
        tree,
        [&comparison](const random_models::ModelTree& candidate) {
          return compare(candidate.text(), kMaxStates).outcome == comparison.outcome;
        },
        500);
    FAIL_CHECK(test::Seeds::name(seed) << ":\n"
                                       << compare(small.text(), kMaxStates).report << small.text());
  }
  // More than a fifth discarded would mean that the test looks at small models only.
  CHECK(discarded * 5 <= mine.size() + 5);
  CHECK(unsupported * 100 <= mine.size() + 100);
  MESSAGE(mine.size() << " models: " << agree << " agree, " << discarded << " discarded, "
                      << unsupported << " not supported by the brute force; in " << untold
                      << " a thread is stuck that the checker cannot know of");
}

CML_TEST_PARTS("the brute force agrees on the models of the tests") {
  constexpr std::uint64_t kMaxFileStates = kSanitized ? 200 : 2000;
  std::uint64_t files = 0;
  std::uint64_t compared = 0;
  for (const std::filesystem::path& path : part.models("tests/models")) {
    CAPTURE(path.string());
    ++files;
    const Comparison comparison = compare(test::read_file(path), kMaxFileStates);
    CAPTURE(comparison.report);
    CHECK(comparison.outcome != Outcome::Differ);
    if (comparison.outcome == Outcome::Agree) ++compared;
  }
  MESSAGE(files << " models, " << compared << " compared");
  if (!kSanitized) CHECK(compared * 10 + 10 >= files * 9);
}

TEST_CASE("the generator puts every feature into at least seven models of a thousand") {
  constexpr std::uint64_t kDrawn = 1000;
  std::map<std::string, std::uint64_t> count;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed)
    for (const std::string& feature : random_models::generate(seed).features)
      if (!feature.starts_with("heap: ")) ++count[feature];  // tests/random/heap_test.cpp
  CHECK(count.size() >= 111);
  for (const auto& entry : count) {
    CAPTURE(entry.first);
    CHECK(entry.second * 1000 >= kDrawn * 7);
  }
}

TEST_CASE("the generator puts every kind of violation into at least one model of two hundred") {
  constexpr std::uint64_t kDrawn = kSanitized ? 0 : 1000;  // nothing new for the sanitizers
  std::map<std::string, std::uint64_t> count;
  std::uint64_t discarded = 0;
  std::uint64_t deadlock = 0;
  std::uint64_t undisciplined = 0;
  std::uint64_t neither = 0;
  std::uint64_t large = 0;
  for (const char* kind :
       {"assertion", "closed-channel", "deadlock", "divergence", "division-by-zero", "finally",
        "guard", "illegal-monitor", "index", "init-order", "invariant", "livelock",
        "lock-discipline", "overflow", "partial-deadlock", "range", "semaphore-max"})
    count[kind] = 0;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const Truth truth = truth_of(random_models::generate(seed).text(), kMaxStates);
    if (truth.outcome == Outcome::Discarded) ++discarded;
    if (truth.outcome == Outcome::Refused) FAIL_CHECK("seed " << seed << ": " << truth.report);
    for (const std::string& kind : truth.kinds)
      ++count[kind];
    const bool blocks =
        truth.kinds.contains("deadlock") || truth.kinds.contains("partial-deadlock");
    const bool breaks =
        truth.kinds.contains("lock-discipline") || truth.kinds.contains("init-order");
    if (blocks) ++deadlock;
    if (breaks) ++undisciplined;
    if (blocks || breaks || truth.outcome != Outcome::Agree) continue;
    ++neither;
    if (truth.states >= 50) ++large;
  }
  for (const auto& entry : count) {
    CAPTURE(entry.first);
    CHECK(entry.second * 200 >= kDrawn);
  }
  CHECK(discarded * 5 <= kDrawn);
  // A broken discipline switches most comparisons at granularity `sync` off, and what can be seen
  // behind a deadlock is little: half of the models have neither, and many of them are no trifle.
  CHECK(neither * 2 >= kDrawn);
  CHECK(large * 5 >= kDrawn);
  MESSAGE(kDrawn << " models: " << deadlock << " with deadlocks, " << undisciplined
                 << " break the discipline, " << neither << " do neither, of which " << large
                 << " have 50 states or more");
}

TEST_CASE("the same seed gives the same model") {
  CHECK(random_models::generate(7).text() == random_models::generate(7).text());
  CHECK(random_models::generate(7).text() != random_models::generate(8).text());
}

}  // namespace
}  // namespace cml::differential
