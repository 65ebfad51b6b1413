// The manual page describes the commands that exist, with all their options, and no others.
#include <doctest/doctest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/help.h"
#include "tests/harness/process.h"

namespace {

// The text of each `.SS name` of the page, with `\-` read as a dash.
std::map<std::string, std::string> command_sections() {
  std::map<std::string, std::string> sections;
  std::istringstream lines(cml::test::read_file(CML_SOURCE_DIR "/app/man/cml.1"));
  std::string* current = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".SH")) current = nullptr;
    if (line.starts_with(".SS ")) {
      current = &sections[line.substr(4)];
    } else if (current != nullptr) {
      for (std::size_t at = line.find("\\-"); at != std::string::npos; at = line.find("\\-", at))
        line.erase(at, 1);
      *current += line + "\n";
    }
  }
  return sections;
}

// The option's own entry, ".B --output FILE", not just a mention in some text.
bool has_entry(const std::string& section, const std::string& option) {
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(".B")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == option || word == option + "," || word == "\"" + option) return true;
    }
  }
  return false;
}

TEST_CASE("the manual page keeps up with the help") {
  const std::map<std::string, std::string> sections = command_sections();
  const std::vector<std::string> commands = cml::test::commands_of_help();
  CHECK_FALSE(commands.empty());
  CHECK_MESSAGE(sections.size() == commands.size(), "a command that does not exist is described");
  for (const std::string& command : commands) {
    CAPTURE(command);
    const auto section = sections.find(command);
    if (section == sections.end()) {
      FAIL_CHECK("app/man/cml.1 lacks the command: .SS " << command);
      continue;
    }
    for (const std::string& option : cml::test::options_of_help(command)) {
      if (option == "--help") continue;  // described once for all
      CHECK_MESSAGE(has_entry(section->second, option), "app/man/cml.1 lacks the option ", option);
    }
  }
}

}  // namespace
