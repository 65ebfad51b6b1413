// docs/performance.md states counts; they are what the search counts.
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"
#include "tests/harness/sanitized.h"

namespace {

using namespace cml;

constexpr std::uint64_t kMostStates = test::kSanitized ? 2'500 : 100'000;

struct Row {
  std::string model;
  Definitions definitions;
  std::uint64_t states = 0, transitions = 0;
  std::uint64_t peer_states = 0, peer_transitions = 0;
};

/// The rows of the table with so many columns, below its two lines of heading.
std::vector<Row> rows(std::size_t columns) {
  std::vector<Row> result;
  std::ifstream in(CML_SOURCE_DIR "/docs/performance.md");
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::vector<std::string> cell;
    for (std::string text; std::getline(cells, text, '|');)
      cell.push_back(text);
    if (cell.size() != columns + 1 || cell[2].find('=') == std::string::npos) continue;
    Row row;
    std::istringstream(cell[1]) >> row.model;
    std::istringstream constants(cell[2]);
    for (std::string text; constants >> text;)
      row.definitions[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    row.states = std::stoull(cell[3]);
    row.transitions = std::stoull(cell[4]);
    if (columns > 5) {
      row.peer_states = std::stoull(cell[5]);
      row.peer_transitions = std::stoull(cell[6]);
    }
    result.push_back(std::move(row));
  }
  return result;
}

checker::Result run(const std::string& model_path, const Definitions& definitions,
                    const checker::Options& options) {
  SourceSet sources;
  const auto file = read_file(sources, CML_SOURCE_DIR + model_path + ".cml");
  REQUIRE(file.has_value());
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, *file, definitions, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  const auto system = ir::lower(model, sources);
  REQUIRE(system.has_value());
  return checker::check(*system, sources, options);
}

TEST_CASE("the graphs of the peers' models are as large as they say") {
  const std::vector<Row> all = rows(6);
  CHECK(all.size() == 8);
  for (const Row& row : all) {
    CAPTURE(row.model);
    CAPTURE(row.states);
    CHECK(row.peer_states == row.states);
    CHECK(row.peer_transitions == row.transitions + 1);
    if (row.states > kMostStates) continue;
    checker::Options options;
    options.all = true;
    options.discipline = checker::Discipline::Off;
    const checker::Result result = run("/bench/models/" + row.model, row.definitions, options);
    CHECK(result.stats.states == row.states);
    CHECK(result.stats.transitions == row.transitions);
  }
}

TEST_CASE("the default options leave as little of the benchmarks as they say") {
  const std::vector<Row> all = rows(5);
  CHECK(all.size() == 14);
  for (const Row& row : all) {
    CAPTURE(row.model);
    CAPTURE(row.states);
    if (row.states > kMostStates) continue;
    checker::Options options;
    options.all = true;
    options.order = checker::Order::BreadthFirst;
    options.granularity = checker::Granularity::Sync;
    options.composition = checker::Composition::Composed;
    options.reduction.sets = checker::Sets::Stubborn;
    const checker::Result result = run("/bench/reduced/" + row.model, row.definitions, options);
    CHECK(result.stats.complete);
    CHECK(result.stats.states == row.states);
    CHECK(result.stats.transitions == row.transitions);
  }
}

}  // namespace
