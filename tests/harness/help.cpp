// Reads the help texts line by line: entries are indented by two spaces, options begin with a dash.
#include "tests/harness/help.h"

#include <sstream>

#include "tests/harness/process.h"

namespace cml::test {

std::vector<std::string> commands_of_help() {
  std::vector<std::string> commands;
  std::istringstream lines(run({CML_BINARY, "--help"}).out);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line.empty()) break;
    if (inside) commands.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Commands:") inside = true;
  }
  return commands;
}

std::vector<std::string> options_of_help(std::string_view command) {
  std::vector<std::string> options;
  std::istringstream lines(run({CML_BINARY, std::string(command), "--help"}).out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  -")) continue;
    // "  -o, --output FILE   description"
    std::istringstream words(line);
    std::string option;
    std::string next;
    words >> option;
    if (option.back() == ',' && words >> next) option = next;
    options.push_back(option);
  }
  return options;
}

}  // namespace cml::test
