// Help texts: of the program and of each command, from what the commands declare.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command.h"
#include "report/terminal_text.h"

namespace cml::app {

/// `cml --help`
[[nodiscard]] std::string program_help(const std::vector<std::unique_ptr<Command>>& commands,
                                       const report::TextStyle& style);
/// What `cml` alone says.
[[nodiscard]] std::string short_help(const std::vector<std::unique_ptr<Command>>& commands,
                                     const report::TextStyle& style);
/// `cml COMMAND --help`
[[nodiscard]] std::string command_help(const Command& command, const Arguments& arguments,
                                       const report::TextStyle& style);

}  // namespace cml::app
