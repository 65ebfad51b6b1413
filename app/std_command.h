// `cml std`: the modules of the standard library, and the text of one.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace cml::app {

class StdCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "std"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  std::vector<std::string> modules_;
};

}  // namespace cml::app
