// `cml mcp`: the tool server, for agents.
#pragma once

#include "app/command.h"

namespace cml::app {

class McpCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "mcp"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;
};

}  // namespace cml::app
