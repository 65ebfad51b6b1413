// `cml check`.
#include "app/check_command.h"

#include <fmt/core.h>

#include "app/definitions.h"
#include "app/model_input.h"
#include "report/diagnostics_json.h"

namespace cml::app {
namespace {

report::Json constants_json(const model::Model& model) {
  report::Json constants = report::Json::object();
  for (const model::Constant& constant : model.constants) {
    std::visit([&](const auto& value) { constants[constant.name] = value; }, constant.value);
  }
  return constants;
}

}  // namespace

CommandHelp CheckCommand::help() const {
  return {
      .summary = "explore all executions of a model and report what can go wrong",
      .arguments = "[options] MODEL.cml",
      .examples =
          {
              {"cml check philosophers.cml", "is there a deadlock, a race, a failed assertion?"},
              {"cml check -D N=7 philosophers.cml", "with another value for its constant N"},
              {"cml check --format json m.cml | jq .verdict", "the result for a program"},
              {"cat m.cml | cml check -", "a model from standard input"},
          },
      .notes =
          "Exit status:\n"
          "  0   verified: nothing can go wrong\n"
          "  1   violated\n"
          "  2   the model or the command line is wrong\n"
          "  3   inconclusive\n"
          "  4   internal error (please report)\n",
  };
}

void CheckCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model; `-` is standard input");
  arguments.section("Options");
  arguments.values("-D", "NAME=value", definitions_,
                   "set a constant of the model's main file; may be repeated");
  arguments.choice("--format", {{"text", Format::Text}, {"json", Format::Json}}, options_.format,
                   "for people (the default) or for programs");
  arguments.value("-o,--output", "FILE", options_.output,
                  "write the result to FILE instead of standard output");
  arguments.flag("-q,--quiet", options_.quiet,
                 "print errors only; the exit status tells the verdict");
}

ExitStatus CheckCommand::run(Console& console) {
  auto definitions = parse_definitions(definitions_);
  if (!definitions) {
    console.error(definitions.error().message, definitions.error().help);
    return ExitStatus::Wrong;
  }
  options_.definitions = *std::move(definitions);

  const auto loaded = load(options_, console);
  if (!loaded) return loaded.error();
  const LoadedModel& input = **loaded;

  const std::string reason = "this version reads and checks models, but does not explore them";
  std::string text;
  if (options_.format == Format::Json) {
    report::Json document = report::result_head(options_.model);
    document["title"] = input.model.title;
    document["constants"] = constants_json(input.model);
    document["verdict"] = "inconclusive";
    document["reason"] = reason;
    document["violations"] = report::Json::array();
    document["warnings"] = report::Json::array();
    document["diagnostics"] = report::diagnostics_json(input.sources, input.warnings);
    text = report::json_text(document);
  } else if (!options_.quiet) {
    text = fmt::format("inconclusive: no error in `{}`; {}\n", options_.model, reason);
  }
  if (!deliver(text, options_, console)) return ExitStatus::Wrong;
  return ExitStatus::Inconclusive;
}

}  // namespace cml::app
