// `cml explain`, and the promises that its pages make: every kind and every code has one, its
// example shows what it is about, and its cure cures it.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "checker/violation_kind.h"
#include "frontend/diagnostic.h"
#include "report/explain_pages.h"
#include "tests/harness/golden.h"
#include "tests/harness/process.h"

namespace {

using cml::report::ExplainPage;
using cml::report::find_explain_page;
using cml::test::ProcessResult;
using cml::test::run;
using nlohmann::json;

// The first block of CML below a heading; empty if there is none.
std::string model_below(std::string_view page, std::string_view heading) {
  const std::size_t section = page.find("\n## " + std::string(heading) + "\n");
  if (section == std::string_view::npos) return {};
  constexpr std::string_view kFence = "\n```cml\n";
  const std::size_t begin = page.find(kFence, section);
  if (begin == std::string_view::npos) return {};
  const std::size_t first = begin + kFence.size();
  return std::string(page.substr(first, page.find("\n```", first) + 1 - first));
}

json checked(const std::string& model) {
  return json::parse(run({CML_BINARY, "check", "--format", "json", "-"},
                         {.input = model, .folder = {}, .environment = {}})
                         .out);
}

bool has(const json& list, std::string_view member, std::string_view value) {
  for (const json& entry : list) {
    if (entry.contains(member) && entry[std::string(member)] == value) return true;
  }
  return false;
}

bool has_errors(const json& result) {
  return result.contains("diagnostics") && has(result["diagnostics"], "severity", "error");
}

TEST_CASE("every violation and every warning has a page") {
  for (const auto kind : cml::checker::all_violation_kinds()) {
    CAPTURE(name(kind));
    const ExplainPage* page = find_explain_page(name(kind));
    REQUIRE(page != nullptr);
    CHECK(page->text.starts_with("# " + std::string(name(kind)) + ": " + std::string(title(kind)) +
                                 "\n"));
    CHECK(cml::checker::violation_kind(name(kind)) == kind);
  }
  for (const auto kind : cml::checker::all_warning_kinds()) {
    CAPTURE(name(kind));
    const ExplainPage* page = find_explain_page(name(kind));
    REQUIRE(page != nullptr);
    CHECK(page->text.starts_with("# " + std::string(name(kind)) + ": " + std::string(title(kind)) +
                                 "\n"));
    CHECK(cml::checker::warning_kind(name(kind)) == kind);
  }
}

TEST_CASE("the examples and cures of violations are models without errors") {
  for (const ExplainPage& page : cml::report::explain_pages()) {
    const bool is_kind =
        cml::checker::violation_kind(page.name) || cml::checker::warning_kind(page.name);
    if (!is_kind) continue;
    CAPTURE(page.name);
    for (const char* heading : {"Example", "Cure"}) {
      CAPTURE(heading);
      const std::string model = model_below(page.text, heading);
      REQUIRE_FALSE(model.empty());
      const json result = checked(model);
      CAPTURE(result.dump(2));
      CHECK_FALSE(has_errors(result));
      const bool is_example = std::string_view(heading) == "Example";
      const bool is_violation = cml::checker::violation_kind(page.name).has_value();
      CHECK(result["verdict"] == (is_example && is_violation ? "violated" : "verified"));
      const json& found = result[is_violation ? "violations" : "warnings"];
      CHECK(has(found, "kind", page.name) == is_example);
    }
  }
}

TEST_CASE("a page on paper") {
  const ProcessResult page = run({CML_BINARY, "explain", "lock-discipline"});
  CHECK(page.status == 0);
  CHECK(page.err.empty());
  CHECK_GOLDEN("cli/golden/explain.txt", page.out);
}

TEST_CASE("several names have a page each, and a name in two words is one") {
  const std::string deadlock = run({CML_BINARY, "explain", "deadlock"}).out;
  const std::string code = run({CML_BINARY, "explain", "E0301"}).out;
  const ProcessResult both = run({CML_BINARY, "explain", "deadlock", "E0301"});
  CHECK(both.status == 0);
  CHECK(both.out == deadlock + "\n" + code);
  CHECK(run({CML_BINARY, "explain", "lock", "discipline"}).out ==
        run({CML_BINARY, "explain", "lock-discipline"}).out);
  const ProcessResult one = run({CML_BINARY, "explain", "deadlock", "xyzzy"});
  CHECK(one.status == 2);
  CHECK(one.out.empty());
  CHECK(one.err.find("there is no page about `xyzzy`") != std::string::npos);
}

TEST_CASE("the list has every page") {
  const ProcessResult list = run({CML_BINARY, "explain"});
  CHECK(list.status == 0);
  for (const ExplainPage& page : cml::report::explain_pages()) {
    CAPTURE(page.name);
    CHECK(list.out.find("\n  " + std::string(page.name) + " ") != std::string::npos);
  }
}

}  // namespace
