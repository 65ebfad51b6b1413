// Running a program on a terminal: a pseudo terminal stands for stdout and stderr.
#pragma once

#include <string>
#include <vector>

namespace cml::test {

struct TerminalResult {
  int status = -1;
  std::string screen;  // all that was written, with "\r\n" as "\n"
};

struct TerminalOptions {
  int columns = 80;
  std::vector<std::string> environment = {};  // NAME=value, besides what the test has
};

[[nodiscard]] TerminalResult run_on_terminal(const std::vector<std::string>& arguments,
                                             const TerminalOptions& options = {});

}  // namespace cml::test
