// The checker against SPIN on random models, on the examples and on the models of the tests. A
// difference is shrunk before it is shown; what it shows belongs into tests/models.
#include "tests/spin/second_opinion.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/seeds.h"
#include "tests/random/generator.h"
#include "tests/spin/guards.h"

// Nothing here is worth running under a sanitizer: most of the time is a C compiler's.
#ifndef CML_SANITIZED

namespace cml::spin {
namespace {

constexpr std::uint64_t kModels = 120;
constexpr std::uint64_t kRotating = 24;
constexpr std::uint64_t kMaxStates = 1500;
constexpr std::uint64_t kMaxFileStates = 20'000;

/// Three of four have guards and properties of their own, besides.
random_models::ModelTree model(std::uint64_t seed) {
  random_models::ModelTree plain = random_models::generate(seed);
  return seed % 4 == 0 ? plain : with_guards(std::move(plain), seed);
}

/// What the export refuses with a reason: the model cannot be said in Promela at all.
bool is_refused(const Opinion& opinion) {
  return opinion.report.find("is a class") != std::string::npos ||
         opinion.report.find("calls itself") != std::string::npos ||
         opinion.report.find("what may block behind the first operation") != std::string::npos ||
         opinion.report.find("is a rendezvous") != std::string::npos ||
         opinion.report.find("spawned threads") != std::string::npos;
}

CML_TEST_PARTS("SPIN finds the same deadlocks, violations and states in random models") {
  const test::Seeds seeds(kModels, kRotating);
  const std::vector<std::uint64_t> mine = seeds.of(part);
  std::size_t compared = 0;
  std::size_t with_states = 0;  // the graphs are equal state by state
  std::size_t refused = 0;
  std::map<std::string, std::size_t> why;  // a model was not compared
  int shown = 0;
  for (const std::uint64_t seed : mine) {
    const Opinion opinion = second_opinion("random.cml", model(seed).text(), kMaxStates);
    const Outcome outcome = opinion.outcome;
    if (outcome == Outcome::Agree) ++compared;
    if (outcome == Outcome::Agree && opinion.states_compared) ++with_states;
    if (outcome != Outcome::Differ) ++why[opinion.report];
    if (outcome != Outcome::Agree && is_refused(opinion)) ++refused;
    if ((outcome != Outcome::Differ && outcome != Outcome::Wrong) || ++shown > 3) continue;
    const random_models::ModelTree small = random_models::shrink(
        model(seed),
        [outcome](const random_models::ModelTree& candidate) {
          return second_opinion("random.cml", candidate.text(), kMaxStates).outcome == outcome;
        },
        200);
    FAIL_CHECK(test::Seeds::name(seed)
               << ":\n"
               << second_opinion("random.cml", small.text(), kMaxStates).report << small.text());
  }
  for (const auto& [report, count] : why)
    if (seeds.is_campaign())
      MESSAGE(count << std::string(report.empty() ? " agree" : " not compared: ") << report);
  // Two of three, at least, and of one of two the states. A part is a sample of a dozen, others in
  // each run: there it may be four fewer.
  const std::size_t exported = mine.size() - refused;
  CHECK((compared + 4) * 3 >= exported * 2);
  CHECK((with_states + 4) * 2 >= exported);
}

CML_TEST_PARTS("SPIN finds the same in the examples and in the models of the tests") {
  std::size_t compared = 0;
  std::size_t models = 0;
  for (const char* folder : {"examples", "tests/models"}) {
    for (const std::filesystem::path& path : part.models(folder)) {
      // Models of the tests import nothing, and are known by their texts.
      const std::string file = path.parent_path().filename() == "examples" ? path : "random.cml";
      const Opinion opinion = second_opinion(file, test::read_file(path), kMaxFileStates);
      CAPTURE(path.string());
      CAPTURE(opinion.report);
      CHECK(opinion.outcome != Outcome::Differ);
      CHECK(opinion.outcome != Outcome::Wrong);
      if (opinion.outcome == Outcome::Agree) ++compared;
      if (!is_refused(opinion)) ++models;
    }
  }
  CHECK((compared + 4) * 5 >= models * 4);
}

}  // namespace
}  // namespace cml::spin

#endif
