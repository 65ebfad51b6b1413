// `cml check`: reads a model, explores it, reports what can go wrong.
#pragma once

#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"
#include "app/model_input.h"
#include "checker/result.h"

namespace cml::app {

class CheckCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "check"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  [[nodiscard]] ExitStatus check(Console& console) const;
  /// False: the result cannot be written. Where there is no memory for the traces, they are left
  /// out.
  [[nodiscard]] bool deliver_result(const LoadedModel& input, checker::Result& result,
                                    Console& console) const;
  [[nodiscard]] std::string result_text(const LoadedModel& input, const checker::Result& result,
                                        const Console& console) const;
  std::vector<std::string> definitions_;  // as written: NAME=value
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
