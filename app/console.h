// The two streams of the program: results go to standard output, everything else to standard error.
//
// Knows for each stream whether it is a terminal, and so how wide it is and whether colours are
// welcome (a terminal that is not "dumb", and NO_COLOR unset or empty, https://no-color.org). What
// is no terminal gets 100 columns. A reader that closes its end (`cml explain | head`) is no error;
// a full disk is one, which `finish` reports at the end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "app/exit_status.h"
#include "report/terminal_text.h"
#include "support/expected.h"

namespace cml::app {

/// As it is now; 0: unknown, or no terminal.
[[nodiscard]] int terminal_columns(int descriptor);

/// So many columns, or the nearest number in which a report can be written.
[[nodiscard]] int report_width(std::uint64_t columns);

class Console {
 public:
  Console();

  /// Writes a result to standard output.
  void out(std::string_view text);
  /// What was written is seen now, also in a pipe.
  void flush();
  /// Writes a message as it is to standard error.
  void err(std::string_view text);
  /// "cml: error: message", and in a line of its own how to go on, if given.
  void error(std::string_view message, std::string_view help = {});

  /// "cml: warning: message", likewise.
  void warning(std::string_view message, std::string_view help = {});

  [[nodiscard]] const report::TextStyle& out_style() const { return out_style_; }
  [[nodiscard]] const report::TextStyle& err_style() const { return err_style_; }

  [[nodiscard]] bool err_is_terminal() const { return err_is_terminal_; }

  /// Flushes both streams. If results were lost, says so and returns Wrong.
  [[nodiscard]] ExitStatus finish(ExitStatus status);

 private:
  void write(std::FILE* stream, std::string_view text, int& lost);

  report::TextStyle out_style_;
  report::TextStyle err_style_;
  bool err_is_terminal_;
  int out_lost_ = 0;  // errno of the first write that failed
  int err_lost_ = 0;
};

}  // namespace cml::app
