// What a long search says while it runs: one line on a terminal, renewed a few times a second, or a
// line of JSON each time for programs. It goes to standard error.
#pragma once

#include <functional>
#include <string>

#include "app/check_options.h"
#include "checker/check.h"

namespace cml::app {

/// "12,345 states, 67,890 transitions, 1.2M states/s, depth 9, queue 310, 45 MB of 6.2 GB, 3 s", or
/// a part of it that fits into so many columns: "12k states, 45 MB of 6.2 GB, 3 s".
[[nodiscard]] std::string progress_text(const checker::Progress& progress,
                                        const checker::Options& search, std::size_t columns);
/// One line: {"states": …, "transitions": …, "depth": …, "waiting": …, "memory": …, "seconds": …}
[[nodiscard]] std::string progress_json(const checker::Progress& progress);

/// Shows progress during its lifetime; the destructor clears the line on a terminal.
class ProgressLine {
 public:
  ProgressLine(const CheckOptions& options, bool is_terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// For the search; empty if nothing is to be shown.
  [[nodiscard]] std::function<void(const checker::Progress&)> listener();

 private:
  const CheckOptions& options_;
  bool shows_line_ = false;
  bool is_dirty_ = false;
};

}  // namespace cml::app
