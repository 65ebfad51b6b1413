// `cml export`.
#include "app/export_command.h"

#include <filesystem>
#include <fmt/core.h>

#include "app/model_input.h"
#include "ir/promela/promela.h"

namespace cml::app {
CommandHelp ExportCommand::help() const {
  return {
      .summary = "write a model for another checker, for a second opinion",
      .arguments = "--promela [options] MODEL.cml",
      .description =
          "The same model in the language of another checker. Promela is SPIN's: it finds the same "
          "deadlocks and violations, in as many states as a full search. What cannot be said there "
          "exactly is "
          "refused (exit status 3), never said wrongly.",
      .examples =
          {
              {"cml export --promela philosophers.cml -o philosophers.pml",
               "its first lines say how to run SPIN on it"},
              {"cml export --promela -D N=3 philosophers.cml",
               "with another value for its constant"},
          },
  };
}

void ExportCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model; `-` is standard input");
  arguments.section("Options");
  arguments.flag("--promela", promela_, "in Promela, for SPIN");
  declare_definitions(arguments, definitions_, options_);
  declare_output(arguments, options_);
}

ExitStatus ExportCommand::run(Console& console) {
  if (!promela_) {
    console.error("`cml export` needs to know for which checker", "add `--promela`");
    return ExitStatus::Wrong;
  }
  const auto lowered = load_and_lower(definitions_, options_, console);
  if (!lowered) return lowered.error();
  const LoadedModel& input = *lowered->input;

  const std::filesystem::path model(options_.model == "-" ? "model.cml" : options_.model);
  std::string command = "cml export --promela";
  for (const std::string& definition : definitions_)
    command += " -D " + definition;
  command += " " + model.filename().string();
  const std::filesystem::path file(options_.writes_file() ? *options_.output
                                                          : model.stem().string() + ".pml");
  const auto promela =
      ir::to_promela(lowered->system, input.sources, command, file.filename().string());
  if (!promela) return refuse(input, promela.error(), console);
  return deliver(promela->text, options_, console) ? ExitStatus::Verified : ExitStatus::Wrong;
}

}  // namespace cml::app
