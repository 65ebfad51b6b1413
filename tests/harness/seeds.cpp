#include "tests/harness/seeds.h"

#include <cstdlib>
#include <fmt/format.h>

namespace cml::test {
namespace {

constexpr std::uint64_t kStretches =
    1'000'000;  // each begins at a multiple of this, behind the core

}  // namespace

// NOLINTBEGIN(concurrency-mt-unsafe): nobody sets the environment
Seeds::Seeds(std::uint64_t core, std::uint64_t rotating) {
  if (const char* range = std::getenv("CML_SEEDS")) {
    const std::string text = range;
    is_campaign_ = true;
    ranges_ = {{std::stoull(text), std::stoull(text.substr(text.find(':') + 1))}};
    return;
  }
  const char* rotation = std::getenv("CML_ROTATION");
  const std::uint64_t first =
      kStretches * (1 + (rotation == nullptr ? 0 : std::stoull(rotation)) % kStretches);
  ranges_ = {{0, core}, {first, first + rotating}};
}
// NOLINTEND(concurrency-mt-unsafe)

std::vector<std::uint64_t> Seeds::all() const {
  std::vector<std::uint64_t> result;
  for (const Range& range : ranges_)
    for (std::uint64_t seed = range.first; seed < range.last; ++seed)
      result.push_back(seed);
  return result;
}

std::vector<std::uint64_t> Seeds::of(const Part& part) const {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t seed : all())
    if (part.has(seed)) result.push_back(seed);
  return result;
}

std::string Seeds::name(std::uint64_t seed) {
  return fmt::format("seed {} (again: CML_SEEDS={}:{})", seed, seed, seed + 1);
}

}  // namespace cml::test
