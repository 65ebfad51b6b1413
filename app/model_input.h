// From a path on the command line to a checked model, with everything said that is wrong with it.
#pragma once

#include <optional>

#include "app/check_options.h"
#include "app/console.h"
#include "frontend/model.h"
#include "ir/lower/lower.h"
#include "report/diagnostics_json.h"

namespace cml::app {

struct LoadedModel {
  SourceSet sources;
  model::Model model;
  Diagnostics warnings;
};

/// Every command that reads a model has it.
void declare_imports(Arguments& arguments, CheckOptions& options);

/// Reads and checks the model. On failure everything is reported already, as text to standard error
/// or as a document in the format asked for, and the status is Wrong.
[[nodiscard]] Expected<std::unique_ptr<LoadedModel>, ExitStatus> load(const CheckOptions& options,
                                                                      Console& console);

/// Says where the model uses what a command cannot do, and why; Inconclusive.
[[nodiscard]] ExitStatus refuse(const LoadedModel& input, const ir::Unsupported& why,
                                Console& console);

/// Writes a result where `--output` says, or to standard output. On failure reports it.
[[nodiscard]] bool deliver(const std::string& text, const CheckOptions& options, Console& console);

}  // namespace cml::app
