// A search that ends with its first violation: what it says of itself, and that both engines end
// at the same place.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"

namespace {

using namespace cml;

std::optional<checker::Result> search(const std::filesystem::path& path, checker::Engine engine,
                                      bool all = false) {
  SourceSet sources;
  const auto file = read_file(sources, path.string());
  REQUIRE(file.has_value());
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, *file, {}, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const auto system = ir::lower(model, sources);
  if (!system) return std::nullopt;
  checker::Options options;
  options.order = checker::Order::BreadthFirst;
  options.engine = engine;
  options.jit_after = 0;
  options.all = all;
  return checker::check(*system, sources, options);
}

std::string summary(const checker::Result& result) {
  std::string text =
      fmt::format("{} states, {} transitions, depth {}, complete {}, {} warnings",
                  result.stats.states, result.stats.transitions, result.stats.max_depth,
                  result.stats.complete, result.warnings.size());
  for (const checker::Violation& violation : result.violations)
    text += fmt::format("; {} after {}: {}", static_cast<int>(violation.kind),
                        violation.trace.size(), violation.message);
  return text;
}

TEST_CASE("the first violation of a full search is the same in both engines, and ends it early") {
  for (const auto& item : std::filesystem::directory_iterator(CML_SOURCE_DIR "/tests/models")) {
    if (item.path().extension() != ".cml") continue;
    const std::string model = item.path().filename().string();
    CAPTURE(model);
    const auto expected = search(item.path(), checker::Engine::Interpreter);
    if (!expected) continue;
    const auto actual = search(item.path(), checker::Engine::Jit);
    REQUIRE(actual.has_value());
    CHECK(summary(*actual) == summary(*expected));
    const auto all = search(item.path(), checker::Engine::Interpreter, true);
    if (all->stats.transitions > expected->stats.transitions) CHECK_FALSE(expected->stats.complete);
  }
}

TEST_CASE("a search is not complete where its first violation is, though nothing else waits") {
  const auto result = search(CML_SOURCE_DIR "/tests/models/invariant_in_the_last_state.cml",
                             checker::Engine::Interpreter);
  REQUIRE(result.has_value());
  CHECK(result->violations.size() == 1);
  CHECK_FALSE(result->stats.complete);
  CHECK(result->stats.limits_hit.empty());
  CHECK(result->warnings.empty());
}

}  // namespace
