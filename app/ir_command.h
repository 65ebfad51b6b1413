// `cml ir`: shows the transition system that a model is lowered to.
#pragma once

#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"

namespace cml::app {

class IrCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "ir"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  std::vector<std::string> definitions_;  // as written: NAME=value
  CheckOptions options_;
  bool ranges_ = false;
  bool llvm_ = false;
};

}  // namespace cml::app
