// Programs of the literature on dynamic reductions, with the numbers of executions that Nidhugg
// (source and optimal DPOR) and GenMC have agreed on, under sequential consistency, where every
// load, store, lock and unlock is an event. The first lines of each model are
//
//   // executions: N with A=1 B=2      for these values of its constants
//
// `source` may besides begin executions that end blocked, `optimal` and `parsimonious` none.
// bench/executions runs the larger ones, and says how long they take.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "tests/checker/check_text.h"
#include "tests/harness/parts.h"
#include "tests/harness/sanitized.h"

namespace {

using namespace cml;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostExecutions = 6'000;
constexpr std::uint64_t kMostExecutionsSanitized = 100;

/// With other values of its constants: "N=2 K=3".
std::string with(std::string text, const std::string& constants) {
  std::istringstream words(constants);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::regex declared("const " + word.substr(0, equals) + " = [^;]*;");
    REQUIRE(std::regex_search(text, declared));
    text = std::regex_replace(
        text, declared, "const " + word.substr(0, equals) + " = " + word.substr(equals + 1) + ";");
  }
  return text;
}

void check_executions(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  const std::string text = content.str();
  const std::regex line("// executions: ([0-9]+) with ([^,\n]*)");
  int sizes = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), line); it != std::sregex_iterator();
       ++it) {
    ++sizes;
    const std::uint64_t published = std::stoull((*it)[1]);
    if (published > (test::kSanitized ? kMostExecutionsSanitized : kMostExecutions)) continue;
    const std::string constants = (*it)[2];
    CAPTURE(path.filename().string());
    CAPTURE(constants);
    const std::string model = with(text, constants);
    checker::Options options;
    options.all = true;
    options.store = checker::Store::Stateless;
    options.engine = checker::Engine::Interpreter;
    options.reduction = {checker::Sets::Source, true};
    const checker::Result source = test::check_text(model, options);
    CHECK(source.stats.executions == published);
    options.reduction.sets = checker::Sets::Optimal;
    const checker::Result optimal = test::check_text(model, options);
    CHECK(optimal.stats.executions == published);
    CHECK(optimal.stats.blocked_executions == 0);
    options.reduction.sets = checker::Sets::Parsimonious;
    const checker::Result parsimonious = test::check_text(model, options);
    CHECK(parsimonious.stats.executions == published);
    CHECK(parsimonious.stats.blocked_executions == 0);
    CHECK(parsimonious.violations.size() == optimal.violations.size());
    const bool deadlocks =
        path.stem() == "philosophers" && constants.find("ORDERED") == std::string::npos;
    CHECK(optimal.violations.size() == (deadlocks ? 1 : 0));
    options.reduction = {checker::Sets::Clock, false};
    if (published > 10) continue;  // it may explore many more
    const checker::Result clock = test::check_text(model, options);
    CHECK(clock.stats.executions >= published);
    CHECK(clock.violations.size() == optimal.violations.size());
  }
  CHECK(sizes > 0);
}

CML_TEST_PARTS("dynamic reductions explore the executions that others have counted") {
  for (const fs::path& path : part.models("tests/published/executions"))
    check_executions(path);
}

// Of the litmus tests the traces are counted. None is left out; of programs with a `cas` that fails
// there are more here.
TEST_CASE("dynamic reductions explore all traces of the litmus tests") {
  constexpr std::uint64_t kMostTraces = 80;
  std::size_t programs = 0;
  for (const fs::path& path : test::models_in("tests/published/litmus")) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream content;
    content << in.rdbuf();
    const std::string text = content.str();
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("// traces: ([0-9]+)\n"))) continue;
    const std::uint64_t traces = std::stoull(found[1]);
    if (traces > kMostTraces) continue;
    ++programs;
    CAPTURE(path.filename().string());
    checker::Options options;
    options.all = true;
    options.store = checker::Store::Stateless;
    options.engine = checker::Engine::Interpreter;
    for (const checker::Sets sets :
         {checker::Sets::Source, checker::Sets::Optimal, checker::Sets::Parsimonious}) {
      options.reduction = {sets, true};
      const std::uint64_t executions = test::check_text(text, options).stats.executions;
      CHECK(executions >= traces);
      if (text.find(".cas(") == std::string::npos) CHECK(executions == traces);
    }
  }
  CHECK(programs >= 30);
}

TEST_CASE("no program with counted executions is missing") {
  CHECK(test::models_in("tests/published/executions").size() >= 9);
}

}  // namespace
