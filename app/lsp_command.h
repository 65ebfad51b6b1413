// `cml lsp`: the language server, for editors.
#pragma once

#include "app/command.h"

namespace cml::app {

class LspCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "lsp"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  bool stdio_ = false;
};

}  // namespace cml::app
