// `cml replay`: follows a saved trace, at once or step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/command.h"
#include "app/saved_trace.h"

namespace cml::app {

class ReplayCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "replay"; }
  [[nodiscard]] CommandHelp help() const override;
  void declare(Arguments& arguments) override;
  [[nodiscard]] ExitStatus run(Console& console) override;

 private:
  /// Those of the trace, where the model has others, and what `-D` says.
  [[nodiscard]] Expected<std::unique_ptr<LoadedModel>, ExitStatus> load_as_saved(
      const SavedTrace& saved, Console& console);
  [[nodiscard]] ExitStatus tell(const LoadedModel& input, Walker& walker, const SavedTrace& saved,
                                Console& console) const;

  std::vector<std::string> definitions_;  // as written: NAME=value
  std::string trace_;
  std::uint64_t violation_ = 0;
  bool is_interactive_ = false;
  CheckOptions options_ = {.search = default_search()};
};

}  // namespace cml::app
