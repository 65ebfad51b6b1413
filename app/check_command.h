// `cml check`: reads a model, explores it, reports what can go wrong.
#pragma once

#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"

namespace cml::app {

class CheckCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "check"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  std::vector<std::string> definitions_;  // as written: NAME=value
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
