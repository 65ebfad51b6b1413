// Random objects with overlapping calls: whether they are linearizable is decided by the checker
// under all combinations, and by the brute force, which tries all orders of the calls.
#include "tests/random/structures.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/differential/combinations.h"
#include "tests/differential/differential.h"
#include "tests/harness/parts.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/seeds.h"

namespace cml::differential {
namespace {

constexpr std::uint64_t kMaxStates = 2'000;
constexpr std::uint64_t kModels = test::kSanitized ? 6 : 200;
constexpr std::uint64_t kRotating = test::kSanitized ? 6 : 60;

CML_TEST_PARTS("random structures: the brute force tries all orders of the calls") {
  const std::vector<std::uint64_t> mine = test::Seeds(kModels, kRotating).of(part);
  std::uint64_t discarded = 0;
  std::uint64_t agree = 0;
  for (const std::uint64_t seed : mine) {
    const std::string text = random_models::structure(seed);
    const Comparison comparison = differential::compare(text, kMaxStates);
    discarded += comparison.outcome == Outcome::Discarded ? 1 : 0;
    agree += comparison.outcome == Outcome::Agree ? 1 : 0;
    if (comparison.outcome == Outcome::Agree || comparison.outcome == Outcome::Discarded) continue;
    FAIL_CHECK(test::Seeds::name(seed) << ":\n" << comparison.report << text);
    break;
  }
  CHECK(discarded * 5 <= mine.size() + 5);
  MESSAGE(mine.size() << " structures: " << agree << " agree, " << discarded << " discarded");
}

CML_TEST_PARTS("random structures under all combinations") {
  const std::vector<std::uint64_t> mine = test::Seeds(kModels, kRotating).of(part);
  std::uint64_t discarded = 0;
  std::uint64_t compared = 0;
  for (const std::uint64_t seed : mine) {
    const std::string text = random_models::structure(seed);
    const Report report = compare_combinations(text, kMaxStates, covering_combinations(seed));
    compared += report.compared;
    discarded += report.kind == Report::Kind::Discarded ? 1 : 0;
    if (report.kind == Report::Kind::Agree || report.kind == Report::Kind::Discarded) continue;
    FAIL_CHECK(test::Seeds::name(seed) << ":\n" << report.text << text);
    break;
  }
  CHECK(discarded * 5 <= mine.size() + 5);
  MESSAGE(mine.size() << " structures, " << discarded << " discarded, " << compared
                      << " searches compared");
}

TEST_CASE("a fifth of the random structures are linearizable, and an eighth are not") {
  constexpr std::uint64_t kDrawn = test::kSanitized ? 0 : 60;
  std::uint64_t violated = 0;
  std::uint64_t not_violated = 0;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const Truth truth = truth_of(random_models::structure(seed), kMaxStates);
    if (truth.outcome != Outcome::Agree) continue;
    ++(truth.kinds.contains("linearizability") ? violated : not_violated);
  }
  CHECK(violated * 8 >= kDrawn);
  CHECK(not_violated * 5 >= kDrawn);
}

}  // namespace
}  // namespace cml::differential
