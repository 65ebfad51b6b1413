// Models with what must come out, in the comments of their first lines:
//
//   // expect: verified                      or: violated KIND…, inconclusive; all violations are
//   searched for
//   // options: spurious-wakeups             optional; also per-execution
//   // warnings: unreached lock-order        optional; the kinds, each as often as it is given
//   // discipline: x protected m             optional; one line for each entry of the table
//   // access: 12 states, 20 transitions     the full search at granularity `access`
//   // composed: 5 states, 9 transitions     composed transitions, without reduction
//
// CML_UPDATE_GOLDEN=1 rewrites the lines from `discipline` on, never what is expected. Each model
// is searched depth-first, breadth-first and by composed transitions; where the discipline is kept
// all three must agree. And each is searched under every combination of the differential test.
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "tests/differential/combinations.h"
#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
namespace fs = std::filesystem;
using cml::test::read_file;

struct Expectations {
  std::string verdict;  // "violated deadlock"
  std::string options, warnings;
  std::vector<std::string> golden;  // lines that can be rewritten
};

/// "// key: value" of the header.
Expectations parse_header(const std::string& text) {
  Expectations result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(3, colon - 3);
    const std::string value = line.substr(colon + 2);
    if (key == "expect") result.verdict = value;
    if (key == "options") result.options = value;
    if (key == "warnings") result.warnings = value;
    if (key == "discipline" || key == "access" || key == "composed") result.golden.push_back(line);
  }
  return result;
}

std::string joined(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string sorted_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return joined(words);
}

/// "violated deadlock range", the kinds in alphabetical order.
std::string verdict_text(const checker::Result& result) {
  if (result.internal_error) return "internal error: " + *result.internal_error;
  if (result.verdict == checker::Verdict::Verified) return "verified";
  if (result.verdict == checker::Verdict::Inconclusive) return "inconclusive";
  std::vector<std::string> kinds;
  for (const checker::Violation& violation : result.violations)
    kinds.emplace_back(name(violation.kind));
  return "violated " + joined(kinds);
}

bool breaks_discipline(const checker::Result& result) {
  return std::any_of(result.violations.begin(), result.violations.end(), [](const auto& violation) {
    return violation.kind == checker::ViolationKind::LockDiscipline ||
           violation.kind == checker::ViolationKind::InitOrder ||
           violation.kind == checker::ViolationKind::DataRace;
  });
}

std::vector<std::string> golden_lines(const checker::Result& access,
                                      const checker::Result& composed) {
  std::vector<std::string> lines;
  for (const checker::DisciplineEntry& entry : access.discipline) {
    std::string line = fmt::format("// discipline: {} {}", entry.object, entry.status);
    for (const std::string& lock : entry.locks)
      line += " " + lock;
    for (const std::string& each : entry.of_each)
      line += fmt::format(" ({})", each);
    lines.push_back(line);
  }
  const auto counts = [](const char* what, const checker::Statistics& stats) {
    return fmt::format("// {}: {} states, {} transitions", what, stats.states, stats.transitions);
  };
  lines.push_back(counts("access", access.stats));
  lines.push_back(counts("composed", composed.stats));
  return lines;
}

void rewrite(const fs::path& path, const std::string& text,
             const std::vector<std::string>& golden) {
  std::istringstream lines(text);
  std::ofstream out(path, std::ios::binary);
  bool in_header = true;
  for (std::string line; std::getline(lines, line);) {
    if (in_header && !line.starts_with("//")) {
      for (const std::string& item : golden)
        out << item << '\n';
      in_header = false;
    }
    const bool is_golden = line.starts_with("// discipline: ") || line.starts_with("// access: ") ||
                           line.starts_with("// composed: ");
    if (!in_header || !is_golden) out << line << '\n';
  }
}

void check_expected(const fs::path& path) {
  CAPTURE(path.filename().string());
  const std::string text = read_file(path);
  const Expectations expected = parse_header(text);
  const test::LoweredModel lowered = test::lowered_model(text, path.filename().string());
  const auto check = [&lowered](const checker::Options& options) {
    return checker::check(lowered.system, lowered.sources, options);
  };

  checker::Options options;
  options.all = true;
  options.spurious_wakeups = expected.options.find("spurious-wakeups") != std::string::npos;
  if (expected.options.find("per-execution") != std::string::npos)
    options.discipline = checker::Discipline::PerExecution;
  if (lowered.model.discipline == model::Discipline::Races)
    options.discipline = checker::Discipline::Races;
  const checker::Result access = check(options);
  CHECK(verdict_text(access) == expected.verdict);
  std::vector<std::string> warnings;
  for (const checker::Warning& warning : access.warnings)
    warnings.push_back(warning.kind);
  CHECK(joined(warnings) == sorted_words(expected.warnings));

  checker::Options breadth = options;
  breadth.order = checker::Order::BreadthFirst;
  const checker::Result second = check(breadth);
  CHECK(verdict_text(second) == expected.verdict);
  CHECK(second.stats.states == access.stats.states);
  CHECK(second.stats.transitions == access.stats.transitions);

  checker::Options composed = options;
  composed.granularity = checker::Granularity::Sync;
  composed.composition = checker::Composition::Composed;
  const checker::Result third = check(composed);
  if (!breaks_discipline(access)) {
    CHECK(verdict_text(third) == expected.verdict);
  } else {
    CHECK(breaks_discipline(third));
  }

  const std::vector<std::string> golden = golden_lines(access, third);
  if (std::getenv("CML_UPDATE_GOLDEN") != nullptr) {
    rewrite(path, text, golden);
  } else {
    CHECK(expected.golden == golden);
  }
}

CML_TEST_PARTS("models say what must come out") {
  for (const fs::path& path : part.models("tests/models"))
    check_expected(path);
}

/// All, in both forms of the discipline (where a model asks for races, for these instead of the
/// first), but native code with one of them only; and those quick ones that random models have
/// besides. Under the sanitizers, where a wrong verdict is not the
/// question, what random models have.
std::vector<differential::Combination> combinations_for(std::uint64_t number, bool spurious,
                                                        bool races) {
  std::vector<differential::Combination> result = differential::covering_combinations(number);
  if (test::kSanitized) return result;
  std::erase_if(result, [](const auto& one) { return !differential::is_cheap(one); });
  using checker::Discipline;
  const Discipline first = races ? Discipline::Races : Discipline::Global;
  for (const Discipline discipline : {first, Discipline::PerExecution})
    for (differential::Combination& one : differential::combinations(discipline, spurious))
      if (discipline == first || one.options.engine == checker::Engine::Interpreter)
        result.push_back(std::move(one));
  return result;
}

CML_TEST_PARTS("models come out the same under every combination") {
  constexpr std::uint64_t kMaxStates = 100'000;
  std::uint64_t number = part.number;
  for (const fs::path& path : part.models("tests/models")) {
    const std::string text = read_file(path);
    const bool spurious = parse_header(text).options.find("spurious-wakeups") != std::string::npos;
    const bool races = text.find("\ndiscipline races;") != std::string::npos;
    const differential::Report report = differential::compare_combinations(
        text, kMaxStates, combinations_for(number++, spurious, races));
    CHECK_MESSAGE(report.kind == differential::Report::Kind::Agree, path.filename().string()
                                                                        << ":\n"
                                                                        << report.text);
  }
}

}  // namespace
