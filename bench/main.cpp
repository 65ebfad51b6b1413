// cml_bench: runs each row some times and prints a table: fastest, median, bar, reached or not.
//
// The median is what is compared with the bar; the fastest run says what the machine can do when
// nobody disturbs it, the processor time what it costs on a busy one. `--tsv` adds a file for
// spreadsheets and for comparing two days.
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <optional>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/measure.h"
#include "bench/rows.h"

namespace {

namespace fs = std::filesystem;
using namespace cml::bench;

constexpr int kWrongUsage = 2;

struct Options {
  Setting setting;
  int runs = 11;
  std::string only;
  std::string tsv;
  bool help = false;
};

constexpr std::string_view kUsage =
    "Usage: bench/run [--runs N] [--only TEXT] [--tsv FILE]\n"
    "\n"
    "  --runs N      how often each row is run (11)\n"
    "  --only TEXT   only rows whose group or name contains TEXT\n"
    "  --tsv FILE    write the numbers to FILE, too, separated by tabs\n"
    "  --program P   the program to measure\n"
    "  --source D    the project's folder, for its examples\n";

std::optional<Options> parse(const std::vector<std::string_view>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help" || words[i] == "-h") {
      options.help = true;
      return options;
    }
    if (i + 1 == words.size()) return std::nullopt;
    const std::string_view name = words[i];
    const std::string_view value = words[++i];
    if (name == "--runs") {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), options.runs);
      if (error != std::errc() || end != value.data() + value.size() || options.runs < 1) {
        return std::nullopt;
      }
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--tsv") {
      options.tsv = value;
    } else if (name == "--program") {
      options.setting.program = value;
    } else if (name == "--source") {
      options.setting.source = value;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

class Table {
 public:
  explicit Table(std::FILE* tsv) : tsv_(tsv) {
    if (tsv_ != nullptr)
      fmt::print(tsv_, "group\tname\tmin_ms\tmedian_ms\tcpu_ms\tbar_ms\tpeak_mb\tstatus\n");
  }

  void group(std::string_view title) {
    if (title == group_) return;
    group_ = title;
    fmt::print("\n{:<32} {:>9} {:>9} {:>9} {:>9} {:>9}\n", title, "min ms", "median ms", "cpu ms",
               "peak MB", "bar ms");
  }

  void row(const Row& row, const Summary& summary) {
    const bool missed = row.bar && summary.median > *row.bar;
    fmt::print("  {:<30} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.1f} {:>9}  {}\n", row.name,
               summary.fastest, summary.median, summary.processor, summary.megabytes,
               row.bar ? fmt::format("{:.0f}", *row.bar) : "",
               !row.bar ? ""
               : missed ? "MISSED"
                        : "reached");
    if (row.bar) ++(missed ? missed_ : reached_);
    if (tsv_ != nullptr) {
      fmt::print(tsv_, "{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{}\t{:.1f}\t{}\n", row.group, row.name,
                 summary.fastest, summary.median, summary.processor,
                 row.bar ? fmt::format("{}", *row.bar) : "", summary.megabytes, summary.status);
    }
  }

  void failure(const Row& row, std::string_view reason) {
    fmt::print("  {:<30} failed: {}\n", row.name, reason);
    ++failed_;
  }

  // Whether every row could be measured.
  [[nodiscard]] bool finish() const {
    fmt::print("\n{} of {} bars reached", reached_, reached_ + missed_);
    fmt::print("{}\n", failed_ > 0 ? fmt::format(", {} rows failed", failed_) : "");
    return failed_ == 0;
  }

 private:
  std::FILE* tsv_;
  std::string group_;
  int reached_ = 0;
  int missed_ = 0;
  int failed_ = 0;
};

int run(Options options) {
  std::string scratch = (fs::temp_directory_path() / "cml-bench-XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) {
    fmt::print(stderr, "cml_bench: no folder for temporary files\n");
    return kWrongUsage;
  }
  options.setting.scratch = scratch;
  std::FILE* tsv = nullptr;
  if (!options.tsv.empty() && (tsv = std::fopen(options.tsv.c_str(), "w")) == nullptr) {
    fmt::print(stderr, "cml_bench: cannot write `{}`\n", options.tsv);
    return kWrongUsage;
  }

  Table table(tsv);
  for (const Row& row : all_rows(options.setting)) {
    const bool wanted = row.group.find(options.only) != std::string::npos ||
                        row.name.find(options.only) != std::string::npos;
    if (!wanted) continue;
    table.group(row.group);
    if (const auto summary = measure_repeatedly(row.command, options.runs, row.accepted)) {
      table.row(row, *summary);
    } else {
      table.failure(row, summary.error());
    }
    std::fflush(stdout);
  }
  const bool complete = table.finish();

  if (tsv != nullptr) std::fclose(tsv);
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return complete ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = parse({argv + 1, argv + argc});
    if (!options || (!options->help && options->setting.program.empty())) {
      fmt::print(stderr, "{}", kUsage);
      return kWrongUsage;
    }
    if (options->help) {
      fmt::print("{}", kUsage);
      return 0;
    }
    return run(*options);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "cml_bench: {}\n", failure.what());
    return kWrongUsage;
  }
}
