// One command of the program: what it is called, what its help says, its options, what it does.
//
// To add one: a file pair `app/<name>_command.{h,cpp}` with a class like these, and a line in
// `app/commands.cpp`. Help, suggestions and the dispatch follow from that; the man page and the
// completions in app/man and app/completions do not, but a test says what they lack.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "app/arguments.h"
#include "app/console.h"
#include "app/exit_status.h"

namespace cml::app {

struct CommandHelp {
  struct Example {
    std::string_view command;
    std::string_view meaning;
  };
  std::string_view summary;    // one line, for the list of commands
  std::string_view arguments;  // behind the name in the usage line: "[options] MODEL.cml"
  std::string_view description = {};
  std::vector<Example> examples;
  std::string_view notes = {};  // at the end, as it is
};

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual CommandHelp help() const = 0;
  virtual void declare(Arguments& arguments) = 0;
  /// Called once, after parsing succeeded.
  [[nodiscard]] virtual ExitStatus run(Console& console) = 0;
};

/// All commands, in the order in which the help lists them.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace cml::app
