// `cml export`: writes a model in the language of another checker.
#pragma once

#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"

namespace cml::app {

class ExportCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "export"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  std::vector<std::string> definitions_;  // as written: NAME=value
  CheckOptions options_;
  bool promela_ = false;
};

}  // namespace cml::app
