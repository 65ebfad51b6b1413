// From a path on the command line to a checked model, with everything said that is wrong with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/console.h"
#include "frontend/model.h"
#include "ir/system.h"
#include "ir/unsupported.h"
#include "report/diagnostics_json.h"

namespace cml::app {

struct LoadedModel {
  SourceSet sources;
  model::Model model;
  Diagnostics warnings;
};

/// Every command that reads a model has it.
void declare_imports(Arguments& arguments, CheckOptions& options);

/// `-D` and the one about imports, for commands that read one value of each constant.
void declare_definitions(Arguments& arguments, std::vector<std::string>& definitions,
                         CheckOptions& options);
/// `--output`.
void declare_output(Arguments& arguments, CheckOptions& options);

/// Takes over `-D NAME=value`. False: one is wrong, which is reported.
[[nodiscard]] bool take_definitions(const std::vector<std::string>& words, CheckOptions& options,
                                    Console& console);

/// Whether `--output` names this file of a model, by whatever name; then that is reported.
[[nodiscard]] bool overwrites(const CheckOptions& options, const std::string& source,
                              Console& console);

/// A document as text, in JSON or SARIF.
[[nodiscard]] std::string document_text(const report::Json& document, Format format);

/// Reads and checks the model. On failure everything is reported already, as text to standard error
/// or as a document in the format asked for, and the status is Wrong.
[[nodiscard]] Expected<std::unique_ptr<LoadedModel>, ExitStatus> load(const CheckOptions& options,
                                                                      Console& console);

/// A checked model and the System that it is lowered to.
struct LoweredModel {
  std::unique_ptr<LoadedModel> input;
  ir::System system;
};

/// For commands that show the System: definitions, load, lower. On failure everything is reported.
[[nodiscard]] Expected<LoweredModel, ExitStatus> load_and_lower(
    const std::vector<std::string>& definitions, CheckOptions& options, Console& console);

/// Says where the model uses what a command cannot do, and why; Inconclusive.
[[nodiscard]] ExitStatus refuse(const LoadedModel& input, const ir::Unsupported& why,
                                Console& console);

/// Writes a result where `--output` says, or to standard output. On failure reports it.
[[nodiscard]] bool deliver(const std::string& text, const CheckOptions& options, Console& console);

}  // namespace cml::app
