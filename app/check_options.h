// What `cml check` has been asked for: one value, filled by the command line, passed down and never
// changed. The search's own options and their defaults are in checker/options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/arguments.h"
#include "checker/options.h"
#include "frontend/check.h"

namespace cml::app {

enum class Format : std::uint8_t { Text, Json };
enum class ProgressMode : std::uint8_t { Auto, Never, Json };

struct CheckOptions {
  std::string model = {};  // the main file's path; "-" is standard input
  Definitions definitions = {};
  Format format = Format::Text;
  std::optional<std::string> output = {};  // a file instead of standard output
  bool quiet = false;
  ProgressMode progress = ProgressMode::Auto;
  checker::Options search = {};
};

/// The defaults of the command line: breadth-first, so that traces are as short as can be, and no
/// more memory than the machine can spare.
[[nodiscard]] checker::Options default_search();

/// Declares what concerns the search, under headings of its own.
void declare_search(Arguments& arguments, checker::Options& search);

/// Makes options agree that depend on each other; after parsing.
void complete_search(checker::Options& search);

}  // namespace cml::app
