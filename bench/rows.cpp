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
constexpr double kNativeBar = 30;
constexpr double kLargestNativeBar = 100;

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

// Small models from the text to the verdict.
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

// How long it takes until native code runs if it is wanted at once: a process that compiles before
// the first transition, and ends after it. Philosophers, and the longest example.
std::vector<Row> native_code(const Setting& setting) {
  const fs::path philosophers = setting.source / "examples/philosophers.cml";
  fs::path largest = philosophers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(setting.source / "examples", error))
    if (entry.path().extension() == ".cml" && fs::file_size(entry) > fs::file_size(largest))
      largest = entry.path();
  const auto row = [&setting](const fs::path& model, double bar) {
    return Row{.group = "start to the first native step",
               .name = model.stem().string(),
               .command = {setting.program.string(), "check", "--jit-after", "0", "--max-states",
                           "2", model.string()},
               .bar = bar,
               .accepted = any_verdict};
  };
  return {row(philosophers, kNativeBar), row(largest, kLargestNativeBar)};
}

struct Sized {
  const char* model;
  std::vector<std::string> constants;
};

std::string title(const Sized& sized) {
  std::string text = sized.model;
  for (const std::string& constant : sized.constants)
    text += " " + constant;
  return text;
}

std::vector<std::string> checking(const Setting& setting, const Sized& sized,
                                  const std::vector<std::string>& options) {
  std::vector<std::string> command = {setting.program.string(), "check", "--quiet", "--all"};
  for (const std::string& constant : sized.constants) {
    command.emplace_back("-D");
    command.push_back(constant);
  }
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(
      (setting.source / "bench/reduced" / (std::string(sized.model) + ".cml")).string());
  return command;
}

// The benchmarks with the default options: what the reductions leave of them (docs/performance.md).
std::vector<Row> reduced(const Setting& setting) {
  const std::vector<Sized> models = {{"philosophers", {"N=10"}},
                                     {"philosophers_ordered", {"N=10"}},
                                     {"counters", {"N=4", "K=3"}},
                                     {"disjoint", {"N=8", "K=4"}},
                                     {"bounded_buffer", {"P=3", "C=3", "B=2", "M=2"}},
                                     {"readers_writers", {"R=5", "W=3"}}};
  std::vector<Row> rows;
  for (const Sized& sized : models)
    rows.push_back({.group = "all violations, default options",
                    .name = title(sized),
                    .command = checking(setting, sized, {}),
                    .accepted = {0, 1}});
  return rows;
}

// The question of Stoller's framework, section 10: which way of undoing transitions is the fastest
// when? Small states and large ones, short executions and long ones; all executions, so that the
// tree is the same for the three.
std::vector<Row> undo(const Setting& setting) {
  const std::vector<Sized> models = {{"reorder", {"S=2"}},          // 7 bytes, 6 steps
                                     {"counters", {"N=2", "K=6"}},  // 8 bytes, 12 steps
                                     {"last_zero", {"N=4"}},        // 20 bytes, 13 steps
                                     {"indexer", {"N=2"}},          // 140 bytes, 8 steps
                                     {"filesystem", {"N=3"}}};      // 78 bytes
  std::vector<Row> rows;
  for (const Sized& sized : models) {
    for (const char* undo : {"checkpoint", "replay", "reverse"})
      rows.push_back({.group = "stateless, " + title(sized),
                      .name = std::string("undo by ") + undo,
                      .command = checking(setting, sized,
                                          {"--store", "stateless", "--reduction", "none",
                                           "--max-time", "20", "--undo", undo}),
                      .accepted = {0, 1, 3}});
  }
  return rows;
}

}  // namespace

std::vector<Row> all_rows(const Setting& setting) {
  std::vector<Row> rows = {start_up(setting)};
  for (auto* more : {long_models, examples, verdicts, native_code, reduced, undo}) {
    std::ranges::move(more(setting), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace cml::bench
