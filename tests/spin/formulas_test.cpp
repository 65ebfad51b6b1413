// A second opinion on properties of executions: SPIN decides what `cml export` makes of them.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"
#include "ir/promela/promela.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

#ifndef CML_SANITIZED

namespace cml::spin {
namespace {

/// By the name of the property: whether it holds.
using Verdicts = std::map<std::string, bool>;

Verdicts by_spin(const std::string& promela) {
  const test::TemporaryFolder folder;
  test::ProcessOptions options;
  options.folder = folder.path();
  folder.write("model.pml", promela);
  for (const std::vector<std::string>& step :
       {std::vector<std::string>{"spin", "-o2", "-a", "model.pml"},
        {"clang", "-w", "-O0", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"}}) {
    const test::ProcessResult made = test::run(step, options);
    CAPTURE(made.out);
    CAPTURE(made.err);
    REQUIRE(made.status == 0);
  }
  Verdicts verdicts;
  static const std::regex kProperty("/\\* property (.*): (pan [^*]*) \\*/");
  for (std::sregex_iterator at(promela.begin(), promela.end(), kProperty), end; at != end; ++at) {
    std::vector<std::string> command{"./pan", "-w18", "-m100000"};
    std::istringstream words((*at)[2].str().substr(4));
    for (std::string word; words >> word;)
      command.push_back(word);
    const std::string out = test::run(command, options).out;
    CAPTURE(out);
    const std::size_t errors = out.find("errors: ");
    REQUIRE(errors != out.npos);
    REQUIRE(out.find("max search depth too small") == out.npos);
    verdicts[(*at)[1]] = out.compare(errors, 10, "errors: 0\n") == 0;
  }
  return verdicts;
}

TEST_CASE("SPIN agrees on which properties of executions hold") {
  for (const char* name : {"fair_peterson", "fair_bakery", "fair_executions_that_end",
                           "fair_labels_in_functions", "fair_assumptions"}) {
    CAPTURE(name);
    SourceSet sources;
    const auto file =
        read_file(sources, fmt::format("{}/tests/models/{}.cml", CML_SOURCE_DIR, name));
    REQUIRE(file.has_value());
    Diagnostics diagnostics;
    const model::Model model = load_model(sources, *file, {}, diagnostics);
    const auto system = ir::lower(model, sources);
    REQUIRE(system.has_value());
    checker::Options options;
    options.all = true;
    Verdicts ours;
    for (const checker::CheckedProperty& checked :
         checker::check(*system, sources, options).properties)
      ours[checked.name] = checked.holds;
    const auto promela = ir::to_promela(*system, sources, "cml export", "model.pml");
    REQUIRE(promela.has_value());
    CHECK_FALSE(ours.empty());
    CHECK(by_spin(promela->text) == ours);
  }
}

TEST_CASE("what SPIN's formulas cannot say is refused") {
  const auto refusal = [](const std::string& text) {
    SourceSet sources;
    const FileId file = sources.add("model.cml", text);
    Diagnostics diagnostics;
    const model::Model model = load_model(sources, file, {}, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    const auto system = ir::lower(model, sources);
    const auto promela = ir::to_promela(*system, sources, "cml export", "model.pml");
    return promela ? "" : promela.error().message;
  };
  const std::string thread = "atomic n: int(0..2); atomic a[2]: bool; thread A { n = 1; }\n";
  CHECK(refusal(thread + "property p: eventually n == 1;").empty());
  CHECK(refusal(thread + "property p: eventually n == 1 under strong fairness;") ==
        "`p` holds under strong fairness, which SPIN does not have");
  CHECK(refusal(thread + "property p: eventually a[n];") ==
        "a condition that may have no value cannot be a part of SPIN's formulas");
}

}  // namespace
}  // namespace cml::spin

#endif
