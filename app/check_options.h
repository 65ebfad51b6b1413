// What `cml check` has been asked for: one value, filled by the command line, passed down and never
// changed. The search's own options and their defaults are in checker/options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/arguments.h"
#include "checker/combinations.h"
#include "checker/options.h"
#include "frontend/load_model.h"

namespace cml::app {

enum class Format : std::uint8_t { Text, Json, Html, Sarif, Junit };
enum class ProgressMode : std::uint8_t { Auto, Never, Json };

/// What was said about the search, before it is completed: words that other options decide if they
/// are missing.
struct SearchWords {
  checker::StoreKind store;
  std::optional<checker::Composition> composition;
  std::optional<checker::Order> order;
  std::optional<checker::ReductionOptions> reduction;
  std::optional<checker::Discipline> discipline;  // else the model may say it
  bool no_hang_check = false;
};

struct CheckOptions {
  std::string model = {};  // the main file's path; "-" is standard input
  Definitions definitions = {};
  bool imports_outside = false;
  Format format = Format::Text;
  std::optional<std::string> output = {};  // a file instead of standard output, which is "-", too
  bool quiet = false;
  ProgressMode progress = ProgressMode::Auto;
  bool stats = false;
  bool coverage = false;
  bool lists_coverage = false;  // beside the source
  bool lists_alike = false;     // violations that differ in indices alone are told each
  std::uint64_t width = 0;      // columns of the report; 0: those of the terminal
  checker::Options search = {};
  SearchWords words = {};

  /// One of several checks: its document goes to standard output, which is collected; and whether
  /// errors of the model are told on standard error as well.
  bool is_part = false;
  bool tells_errors = false;
  bool has_usual_memory = true;  // `--max-memory` was not given

  [[nodiscard]] bool writes_file() const { return output && *output != "-"; }
};

/// The defaults of the command line: breadth-first, so that traces are as short as can be, and no
/// more memory than the machine can spare.
[[nodiscard]] checker::Options default_search();

/// Declares `--format`, for commands whose result is as that of `cml check`.
void declare_format(Arguments& arguments, CheckOptions& options);

/// Declares where a report goes, and how it and the progress are shown.
void declare_report(Arguments& arguments, CheckOptions& options);

/// Declares the limits of whatever executes a model.
void declare_limits(Arguments& arguments, checker::Limits& limits);

/// Declares what concerns the search, under headings of its own.
void declare_search(Arguments& arguments, CheckOptions& options);

/// Decides what was left open, and refuses what cannot be combined; after parsing.
[[nodiscard]] Expected<void, UsageError> complete_search(checker::Options& search,
                                                         const SearchWords& words);

}  // namespace cml::app
