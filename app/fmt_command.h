// `cml fmt`: rewrites models in their canonical layout, or says which are not in it.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace cml::app {

class FmtCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "fmt"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  /// Whether a file was not, or is no longer, as it was.
  enum class Outcome : unsigned char { Same, Changed };

  /// Failures have been reported.
  [[nodiscard]] Expected<Outcome, ExitStatus> format_file(const std::string& path,
                                                          Console& console) const;

  std::vector<std::string> paths_;
  bool check_ = false;
};

}  // namespace cml::app
