// Random models under all reductions. A difference is shrunk before it is shown; what it shows
// belongs into tests/models.
#include "tests/differential/combinations.h"

#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <utility>

#include "tests/random/generator.h"

namespace cml::differential {
namespace {

constexpr std::uint64_t kMaxStates = 5'000;

#if defined(__SANITIZE_ADDRESS__)
#define CML_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CML_SANITIZED
#endif
#endif
#ifdef CML_SANITIZED
constexpr std::uint64_t kModels = 40;
#else
constexpr std::uint64_t kModels = 2500;
#endif

/// CML_SEEDS=first:last runs a campaign instead (tests/campaign), each model under every
/// combination or, with CML_STRIDE, under every n-th of them.
struct Seeds {
  std::uint64_t first = 0;
  std::uint64_t last = kModels;
  std::size_t stride = 12;  // each model under one of twelve slices of the combinations
};
// NOLINTBEGIN(concurrency-mt-unsafe): nobody sets the environment
Seeds seeds() {
  const char* range = std::getenv("CML_SEEDS");
  if (range == nullptr) return {};
  const std::string text = range;
  const char* stride = std::getenv("CML_STRIDE");
  return {std::stoull(text), std::stoull(text.substr(text.find(':') + 1)),
          stride == nullptr ? 1 : std::stoull(stride)};
}

/// CML_SHRINK=0 shows a difference as it was found; shrinking it may take minutes.
int shrink_budget() {
  const char* budget = std::getenv("CML_SHRINK");
  return budget == nullptr ? 400 : std::atoi(budget);
}
// NOLINTEND(concurrency-mt-unsafe)

TEST_CASE("all reductions agree with the full search on random models") {
  const Seeds range = seeds();
  std::uint64_t discarded = 0;
  std::uint64_t compared = 0;
  int shown = 0;
  for (std::uint64_t seed = range.first; seed < range.last && shown < 3; ++seed) {
    const random_models::ModelTree tree = random_models::generate(seed);
    const auto discipline =
        seed % 4 == 3 ? checker::Discipline::PerExecution : checker::Discipline::Global;
    const bool spurious = seed % 5 == 4;
    const auto run = [&](const std::string& text) {
      return compare_combinations(text, kMaxStates, seed % range.stride, range.stride, discipline,
                                  spurious);
    };
    const Report report = run(tree.text());
    compared += report.compared;
    if (report.kind == Report::Kind::Discarded) ++discarded;
    if (report.kind != Report::Kind::Differ) continue;
    ++shown;
    const random_models::ModelTree small = random_models::shrink(
        tree,
        [&](const random_models::ModelTree& candidate) {
          return run(candidate.text()).kind == Report::Kind::Differ;
        },
        shrink_budget());
    FAIL_CHECK("seed " << seed << ":\n" << run(small.text()).text << small.text());
  }
  // More than a fifth discarded would mean that the test looks at small models only.
  CHECK(discarded * 5 <= range.last - range.first);
  MESSAGE((range.last - range.first)
          << " models, " << discarded << " discarded, " << compared << " searches compared");
}

}  // namespace
}  // namespace cml::differential
