// `cml check`: reads models, explores them, reports what can go wrong.
#pragma once

#include <cstdint>
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
  std::vector<std::string> models_;
  std::uint64_t jobs_ = 0;
  CheckOptions options_ = {.search = default_search()};
  std::uint64_t usual_memory_ = options_.search.limits.max_memory;
};

}  // namespace cml::app
