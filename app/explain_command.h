// `cml explain`: the page about an error code, a violation or a warning.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace cml::app {

class ExplainCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "explain"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  /// There is no page about one of them.
  [[nodiscard]] ExitStatus refuse(const std::string& subject, Console& console) const;

  std::vector<std::string> subject_;  // `lock discipline` may come as two words
};

}  // namespace cml::app
