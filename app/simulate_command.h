// `cml simulate`: random walks through a model, or a walk by hand.
#pragma once

#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"
#include "checker/simulate.h"

namespace cml::app {

class SimulateCommand : public Command {
 public:
  SimulateCommand();

  [[nodiscard]] std::string_view name() const override { return "simulate"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  [[nodiscard]] ExitStatus walk_by_hand(Console& console) const;

  std::vector<std::string> definitions_;  // as written: NAME=value
  bool is_interactive_ = false;
  checker::WalkOptions walks_;
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
