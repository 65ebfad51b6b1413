// Random models under all reductions. A difference is shrunk before it is shown; what it shows
// belongs into tests/models.
#include "tests/differential/combinations.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/combinations.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/seeds.h"
#include "tests/random/generator.h"
#include "tests/random/heap.h"

namespace cml::differential {
namespace {

constexpr std::uint64_t kMaxOfTruth = 5'000;

// A model under all of its combinations takes a tenth of a second, nearly all of it for those
// without a store and for those in native code. So the others are asked of many more models.
constexpr std::uint64_t kCombined = test::kSanitized ? 24 : 2500;
constexpr std::uint64_t kUnderAll = test::kSanitized ? 12 : 500;
constexpr std::uint64_t kRotatingCombined = test::kSanitized ? 12 : 240;

/// CML_SHRINK=0 shows a difference as it was found; shrinking it may take minutes.
// NOLINTBEGIN(concurrency-mt-unsafe): nobody sets the environment
int shrink_budget() {
  const char* budget = std::getenv("CML_SHRINK");
  return budget == nullptr ? 400 : std::atoi(budget);
}
/// CML_EVERY_COMBINATION=1: a campaign tries all those of tests/models, too.
bool tries_every() { return std::getenv("CML_EVERY_COMBINATION") != nullptr; }
// NOLINTEND(concurrency-mt-unsafe)

std::vector<Combination> combinations_for(std::uint64_t seed, bool only_cheap) {
  std::vector<Combination> result = covering_combinations(seed);
  if (only_cheap) std::erase_if(result, [](const auto& one) { return !is_cheap(one); });
  if (!tries_every()) return result;
  const auto discipline =
      seed % 4 == 3 ? checker::Discipline::PerExecution : checker::Discipline::Global;
  for (Combination& combination : combinations(discipline, seed % 5 == 4))
    result.push_back(std::move(combination));
  return result;
}

CML_TEST_PARTS("all reductions agree with the full search on random models") {
  const test::Seeds seeds(kCombined, kRotatingCombined);
  const std::vector<std::uint64_t> mine = seeds.of(part);
  std::uint64_t discarded = 0;
  std::uint64_t compared = 0;
  int shown = 0;
  for (const std::uint64_t seed : mine) {
    if (shown == 3) break;
    const bool is_core = !seeds.is_campaign() && seed < kCombined;
    const auto under = combinations_for(seed, is_core && seed >= kUnderAll);
    const auto run = [&under](const std::string& text) {
      return compare_combinations(text, kMaxOfTruth, under);
    };
    const random_models::ModelTree tree = random_models::draw(seed);
    const Report report = run(tree.text());
    compared += report.compared;
    if (report.kind == Report::Kind::Discarded) ++discarded;
    CHECK(report.kind != Report::Kind::Refused);
    if (report.kind != Report::Kind::Differ) continue;
    ++shown;
    const random_models::ModelTree small = random_models::shrink(
        tree,
        [&](const random_models::ModelTree& candidate) {
          return run(candidate.text()).kind == Report::Kind::Differ;
        },
        shrink_budget());
    FAIL_CHECK(test::Seeds::name(seed) << ":\n" << run(small.text()).text << small.text());
  }
  // More than a fifth discarded would mean that the test looks at small models only.
  CHECK(discarded * 5 <= mine.size() + 5);
  MESSAGE(mine.size() << " models, " << discarded << " discarded, " << compared
                      << " searches compared");
}

// ---- the choice of combinations itself ---------------------------------------------------------

/// Its value in every dimension.
std::vector<std::string> values(const checker::Options& options) {
  const bool has_store = options.store == checker::Store::Stateful;
  const bool is_dynamic = options.reduction.is_dynamic();  // with sleep sets or without: no option
  const bool is_depth_first = options.order != checker::Order::BreadthFirst;
  const std::string discipline = "discipline " + std::string(checker::name(options.discipline));
  return {
      options.granularity == checker::Granularity::Access
          ? "access"
          : std::string(checker::name(options.composition)),
      options.reduction.is_stateful() ? "dynamic with a store"
      : is_dynamic
          ? "dynamic"
          : std::string(checker::name(checker::ReductionOptions{options.reduction.sets, false})),
      options.reduction.sleep && !is_dynamic ? "sleep sets" : "no sleep sets",
      !has_store       ? "stateless"
      : is_depth_first ? "depth-first"
                       : "breadth-first",
      options.state_form == checker::StateForm::Bits ? "packed" : "not packed",
      options.engine == checker::Engine::Jit ? "native" : "interpreter",
      options.reduction.give_up_after < 1000 ? "gives up" : "does not give up",
      discipline,
      options.spurious_wakeups ? "spurious" : "not spurious",
      options.static_analyses ? "proofs" : "no proofs"};
}

using PairsOfWords = std::set<std::pair<std::string, std::string>>;

void add_pairs(const std::vector<std::string>& row, PairsOfWords& pairs) {
  for (std::size_t a = 0; a < row.size(); ++a)
    for (std::size_t b = a + 1; b < row.size(); ++b)
      pairs.emplace(std::to_string(a) + row[a], std::to_string(b) + row[b]);
}

TEST_CASE("every two values of two options meet in the combinations of a random model") {
  std::set<std::set<std::string>> different;
  for (std::uint64_t seed = 0; seed < kCoveringArrays; ++seed) {
    PairsOfWords pairs;
    std::set<std::string> names;
    for (const Combination& combination : covering_combinations(seed)) {
      CHECK_FALSE(checker::refused(combination.options));
      add_pairs(values(combination.options), pairs);
      CHECK(names.insert(combination.name).second);
    }
    // Of 10 dimensions with 4, 6, 2, 3, 2, 2, 2, 4, 2 and 2 values there are 370 pairs. Nineteen
    // cannot be: giving up without sets, packing without a store, safe sets with sleep sets, and
    // either way of composing without a lock discipline; dynamic reductions with a store (two),
    // packing, giving up, sleep sets as an option, either way of composing, and spurious wakeups;
    // and those that need a store without one, breadth-first, giving up, with sleep sets as an
    // option, and either way of composing.
    CHECK(pairs.size() == 351);
    CHECK(names.size() <= 38);
    different.insert(std::move(names));
  }
  CHECK(different.size() == kCoveringArrays);
}

template <class T, class Get>
void check_all_occur(const std::vector<Combination>& combinations, Get get) {
  for (const auto& item : checker::values<T>()) {
    const std::string_view word = item.first;
    CAPTURE(word);
    CHECK(
        std::any_of(combinations.begin(), combinations.end(), [&](const Combination& combination) {
          return checker::name<T>(get(combination.options)) == word;
        }));
  }
}

TEST_CASE("every value of every option is compared with the full search") {
  std::vector<Combination> all;
  for (std::uint64_t seed = 0; seed < kCoveringArrays; ++seed)
    for (const Combination& combination : covering_combinations(seed))
      all.push_back(combination);
  using checker::Options;
  check_all_occur<checker::Granularity>(all, [](const Options& o) { return o.granularity; });
  check_all_occur<checker::Composition>(all, [](const Options& o) { return o.composition; });
  check_all_occur<checker::ReductionOptions>(all, [](const Options& o) { return o.reduction; });
  check_all_occur<checker::Order>(all, [](const Options& o) { return o.order; });
  check_all_occur<checker::StoreKind>(all, [](const Options& o) {
    return checker::StoreKind{o.store, o.state_form};
  });
  std::erase_if(all, [](const Combination& combination) { return !combination.options.undo; });
  check_all_occur<checker::Undo>(all, [](const Options& o) { return *o.undo; });
  all = covering_combinations(0);
  check_all_occur<checker::Discipline>(all, [](const Options& o) { return o.discipline; });
  check_all_occur<checker::Engine>(all, [](const Options& o) { return o.engine; });
}

TEST_CASE("every way back of a search without a store meets all other options") {
  PairsOfWords pairs;
  for (std::uint64_t seed = 0; seed < kCoveringArrays; ++seed)
    for (const Combination& combination : covering_combinations(seed))
      if (combination.options.store == checker::Store::Stateless)
        for (std::size_t i = 0; i < values(combination.options).size(); ++i)
          pairs.emplace(checker::name(*combination.options.undo),
                        std::to_string(i) + values(combination.options)[i]);
  CHECK(pairs.size() == 3 * (4 + 5 + 2 + 1 + 1 + 2 + 2 + 4 + 2 + 2));
}

}  // namespace
}  // namespace cml::differential
