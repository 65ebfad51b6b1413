// Published programs, written in CML by hand, with numbers that others measured: numbers that do
// not come from this checker. The first line of each model is the verdict, the second its origin,
// the third a number:
//
//   // traces: N                      Mazurkiewicz traces (GenMC, Nidhugg): what a stateless search
//                                     with sleep sets completes, each exactly once
//   // states: S, transitions: T      the whole graph (SPIN 6.5.2, DiVinE on BEEM's models)
//
// Both at granularity `access`, all violations. Four of Nidhugg's count with another dependency
// (the order of two failed attempts on a mutex, additions that commute); those files say so. And
// the default must give the verdict that the full search gives.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/checker/check_text.h"
#include "tests/harness/parts.h"
#include "tests/harness/sanitized.h"

namespace {

using namespace cml;
namespace fs = std::filesystem;

struct Published {
  std::string verdict;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t traces = 0;
};

Published header(const std::string& text) {
  Published result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    std::istringstream words(line);
    std::string slashes;
    std::string key;
    words >> slashes >> key;
    if (key == "expect:") std::getline(words >> std::ws, result.verdict);
    if (key == "traces:") words >> result.traces;
    if (key == "states:") {
      std::string comma;
      words >> result.states >> comma >> key >> result.transitions;
    }
  }
  return result;
}

std::string verdict(const checker::Result& result) {
  if (result.internal_error) return "internal error: " + *result.internal_error;
  if (result.verdict == checker::Verdict::Verified) return "verified";
  if (result.verdict == checker::Verdict::Inconclusive) return "inconclusive";
  std::set<std::string_view> kinds;
  for (const checker::Violation& violation : result.violations)
    kinds.insert(name(violation.kind));
  return fmt::format("violated {}", fmt::join(kinds, ", "));
}

void check_counts(const fs::path& path) {
  CAPTURE(path.filename().string());
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const Published published = header(text.str());
  constexpr std::uint64_t kMostUnderSanitizers = 10'000;
  if (test::kSanitized && std::max(published.states, 100 * published.traces) > kMostUnderSanitizers)
    return;

  checker::Options full;
  full.all = true;
  if (published.traces != 0) {
    full.store = checker::Store::Stateless;
    full.reduction.sleep = true;
  }
  const checker::Result result = test::check_text(text.str(), full);
  if (published.traces != 0) {
    full.reduction = {checker::Sets::Source, true};
    const checker::Result source = test::check_text(text.str(), full);
    CHECK(verdict(source) == published.verdict);
    CHECK(source.stats.executions >= published.traces);
  }
  CHECK(verdict(result) == published.verdict);
  if (published.traces != 0) {
    CHECK(result.stats.executions == published.traces);
  } else {
    CHECK(result.stats.states == published.states);
    CHECK(result.stats.transitions == published.transitions);
  }

  checker::Options reduced;  // the default of the command line
  reduced.all = true;
  reduced.granularity = checker::Granularity::Sync;
  reduced.composition = checker::Composition::Composed;
  reduced.reduction.sets = checker::Sets::Stubborn;
  CHECK(verdict(test::check_text(text.str(), reduced)) == published.verdict);
}

CML_TEST_PARTS("published programs have the verdicts and numbers that others measured") {
  for (const char* folder : {"tests/published/counted", "tests/published/litmus"})
    for (const fs::path& path : part.models(folder))
      check_counts(path);
}

TEST_CASE("no published program is missing") {
  CHECK(test::models_in("tests/published/counted").size() +
            test::models_in("tests/published/litmus").size() >=
        71);
}

}  // namespace
