// Running a program on a terminal: a pseudo terminal stands for stdout and stderr.
#pragma once

#include <string>
#include <vector>

namespace cml::test {

struct TerminalResult {
  int status = -1;
  std::string screen;  // all that was written, without "\r"
  std::string raw;     // with them
};

struct TerminalOptions {
  int columns = 80;
  std::vector<std::string> environment = {};  // NAME=value, besides what the test has
  std::string wait_for = {};                  // once that was written,
  std::string keys = {};                      // this is typed: "\x03" is Ctrl-C
};

[[nodiscard]] TerminalResult run_on_terminal(const std::vector<std::string>& arguments,
                                             const TerminalOptions& options = {});

}  // namespace cml::test
