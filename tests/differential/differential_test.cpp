// Random models: three searches that must agree, and a generator that must keep producing all that
// it can. A difference is shrunk before it is shown; what it shows belongs into tests/models.
#include "tests/differential/differential.h"

#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <utility>

#include "tests/harness/sanitized.h"
#include "tests/random/generator.h"

namespace cml::differential {
namespace {

constexpr std::uint64_t kMaxStates = 1500;

using test::kSanitized;
constexpr std::uint64_t kModels = kSanitized ? 20 : 150;

/// CML_SEEDS=first:last runs a campaign instead of the standard seeds.
std::pair<std::uint64_t, std::uint64_t> seeds() {
  const char* range = std::getenv("CML_SEEDS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (range == nullptr) return {0, kModels};
  const std::string text = range;
  return {std::stoull(text), std::stoull(text.substr(text.find(':') + 1))};
}

TEST_CASE("depth-first, breadth-first and brute-force search agree on random models") {
  const auto [first, last] = seeds();
  std::uint64_t discarded = 0;
  int shown = 0;
  for (std::uint64_t seed = first; seed < last && shown < 3; ++seed) {
    const random_models::ModelTree tree = random_models::generate(seed);
    const Comparison comparison = compare(tree.text(), kMaxStates);
    if (comparison.outcome == Outcome::Discarded) ++discarded;
    const bool fine =
        comparison.outcome != Outcome::Differ && comparison.outcome != Outcome::Refused;
    if (fine) continue;
    ++shown;
    const random_models::ModelTree small = random_models::shrink(
        tree,
        [&comparison](const random_models::ModelTree& candidate) {
          return compare(candidate.text(), kMaxStates).outcome == comparison.outcome;
        },
        500);
    FAIL_CHECK("seed " << seed << ":\n"
                       << compare(small.text(), kMaxStates).report << small.text());
  }
  // More than a fifth discarded would mean that the test looks at small models only.
  CHECK(discarded * 5 <= last - first);
}

TEST_CASE("the generator puts every feature into at least one model of a hundred") {
  constexpr std::uint64_t kDrawn = 1000;
  std::map<std::string, std::uint64_t> count;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed)
    for (const std::string& feature : random_models::generate(seed).features)
      ++count[feature];
  CHECK(count.size() >= 51);
  for (const auto& entry : count) {
    CAPTURE(entry.first);
    CHECK(entry.second * 100 >= kDrawn);
  }
}

TEST_CASE("the generator puts every kind of violation into at least one model of a hundred") {
  constexpr std::uint64_t kDrawn = kSanitized ? 0 : 1000;  // nothing new for the sanitizers
  std::map<std::string, std::uint64_t> count;
  std::uint64_t discarded = 0;
  for (const char* kind :
       {"assertion", "deadlock", "divergence", "division-by-zero", "finally", "guard",
        "illegal-monitor", "index", "init-order", "invariant", "lock-discipline", "overflow",
        "partial-deadlock", "range", "semaphore-max"})
    count[kind] = 0;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const Truth truth = truth_of(random_models::generate(seed).text(), kMaxStates);
    if (truth.outcome == Outcome::Discarded) ++discarded;
    if (truth.outcome == Outcome::Refused) FAIL_CHECK("seed " << seed << ": " << truth.report);
    for (const std::string& kind : truth.kinds)
      ++count[kind];
  }
  for (const auto& entry : count) {
    CAPTURE(entry.first);
    CHECK(entry.second * 100 >= kDrawn);
  }
  CHECK(discarded * 5 <= kDrawn);
}

TEST_CASE("the same seed gives the same model") {
  CHECK(random_models::generate(7).text() == random_models::generate(7).text());
  CHECK(random_models::generate(7).text() != random_models::generate(8).text());
}

}  // namespace
}  // namespace cml::differential
