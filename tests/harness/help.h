// What the program's help says that it can do: for tests of whatever must keep up with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cml::test {

// The names under "Commands:" of `cml --help`, in their order.
[[nodiscard]] std::vector<std::string> commands_of_help();

// The options in `cml COMMAND --help`: the long spelling of each, or the short one where there is
// no other.
[[nodiscard]] std::vector<std::string> options_of_help(std::string_view command);

}  // namespace cml::test
