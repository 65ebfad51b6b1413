// The rows of the table.
#include "bench/rows.h"

#include <algorithm>
#include <fstream>

#include "bench/generated_model.h"

namespace cml::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kStartUpBar = 5;
constexpr double kThousandLinesBar = 40;
constexpr double kExampleBar = 5;
constexpr double kVerdictBar = 30;

// Any verdict is a success where only the time matters.
const std::vector<int> any_verdict = {0, 1, 3};

// The command that reads and checks a model and does as little else as there is.
std::vector<std::string> reading(const Setting& setting, const fs::path& model) {
  return {setting.program.string(), "check", "--max-states", "1", model.string()};
}

Row start_up(const Setting& setting) {
  return {.group = "start-up",
          .name = "cml --version",
          .command = {setting.program.string(), "--version"},
          .bar = kStartUpBar};
}

std::vector<Row> long_models(const Setting& setting) {
  std::vector<Row> rows;
  for (const int lines : {1'000, 4'000}) {
    const fs::path model = setting.scratch / (std::to_string(lines) + "-lines.cml");
    std::ofstream(model) << generated_model(lines);
    Row row{.group = "reading",
            .name = std::to_string(lines) + " lines",
            .command = reading(setting, model),
            .accepted = any_verdict};
    if (lines == 1'000) row.bar = kThousandLinesBar;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> examples(const Setting& setting) {
  std::vector<fs::path> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(setting.source / "examples", error)) {
    if (entry.path().extension() == ".cml") models.push_back(entry.path());
  }
  std::ranges::sort(models);
  std::vector<Row> rows;
  for (const fs::path& model : models) {
    rows.push_back({.group = "reading examples",
                    .name = model.stem().string(),
                    .command = reading(setting, model),
                    .bar = kExampleBar,
                    .accepted = any_verdict});
  }
  return rows;
}

// The whole way of a small model.
std::vector<Row> verdicts(const Setting& setting) {
  std::vector<Row> rows;
  for (const char* name : {"peterson", "philosophers", "philosophers_ordered", "counters"}) {
    const fs::path model = setting.source / "examples" / (std::string(name) + ".cml");
    rows.push_back({.group = "text to verdict",
                    .name = name,
                    .command = {setting.program.string(), "check", model.string()},
                    .bar = kVerdictBar,
                    .accepted = {0, 1}});
  }
  return rows;
}

}  // namespace

std::vector<Row> all_rows(const Setting& setting) {
  std::vector<Row> rows = {start_up(setting)};
  for (auto* more : {long_models, examples, verdicts}) {
    std::ranges::move(more(setting), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace cml::bench
