// `cml watch`: checks a model again whenever it changes.
#pragma once

#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"

namespace cml::app {

class WatchCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "watch"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  std::vector<std::string> definitions_;  // as written: NAME=value
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
