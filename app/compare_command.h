// `cml compare`: searches one model in several ways, and says side by side what each has found and
// what it has cost. Sound searches that contradict each other are a mistake of the checker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"
#include "app/model_input.h"
#include "checker/comparison.h"
#include "report/diagnostics_json.h"

namespace cml::app {

/// The options of one search, and the words that asked for them.
struct AskedSearch {
  std::string text;
  CheckOptions options;
};

class CompareCommand : public Command {
 public:
  CompareCommand();

  [[nodiscard]] std::string_view name() const override { return "compare"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  /// The searches that are asked for.
  [[nodiscard]] Expected<std::vector<AskedSearch>, UsageError> searches() const;
  [[nodiscard]] checker::Compared search(const LoadedModel& input, const AskedSearch& asked,
                                         Console& console) const;

  std::vector<std::string> definitions_;  // as written: NAME=value
  std::vector<std::string> models_;
  std::vector<std::string> with_;
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
