// `cml check`.
#include "app/check_command.h"

#include <algorithm>
#include <utility>

#include "app/check_models.h"
#include "app/coverage_check.h"
#include "app/definitions.h"
#include "app/model_input.h"
#include "app/sweep.h"

namespace cml::app {

CommandHelp CheckCommand::help() const {
  return {
      .summary = "explore all executions of a model and report what can go wrong",
      .arguments = "[options] MODEL.cml...",
      .examples =
          {
              {"cml check philosophers.cml", "is there a deadlock, a race, a failed assertion?"},
              {"cml check -D N=7 philosophers.cml", "with another value for its constant N"},
              {"cml check --format json m.cml | jq .verdict", "the result for a program"},
              {"cml check --max-time 60 --all m.cml", "everything that a minute finds"},
              {"cml check -D N=2..5 *.cml",
               "several models, each with several values: a line each"},
              {"cml check --format junit -o report.xml *.cml", "for a continuous integration"},
              {"cat m.cml | cml check -", "a model from standard input"},
          },
      .notes =
          "Exit status:\n"
          "  0   verified: no execution of the model, with these constants, has one of the\n"
          "      violations that `cml explain` lists; that all threads end is not checked\n"
          "  1   violated\n"
          "  2   the model or the command line is wrong\n"
          "  3   inconclusive: a limit was reached, the search was interrupted (Ctrl-C), or these\n"
          "      options cannot search this model\n"
          "  4   internal error (please report)\n"
          "Of several checks it is the worst: 4, then 2, 1, 3, 0.\n",
  };
}

void CheckCommand::declare(Arguments& arguments) {
  arguments.positionals("MODEL.cml", models_, "models; `-` is standard input");
  arguments.section("Options");
  arguments.values("-D", "NAME=value", definitions_,
                   "set a constant of the model's main file; may be repeated; `N=2..5` and "
                   "`N=2,4,8` are a check with each value");
  declare_imports(arguments, options_);
  arguments.choice("--format",
                   {{"text", Format::Text},
                    {"json", Format::Json},
                    {"html", Format::Html},
                    {"sarif", Format::Sarif},
                    {"junit", Format::Junit}},
                   options_.format,
                   "for people (the default), for programs, a page for a browser, in which one can "
                   "step through what happened, SARIF for code scanning, or JUnit's XML, with a "
                   "test case for each check");
  declare_report(arguments, options_);
  arguments.count("--jobs", jobs_,
                  "of several checks, so many at a time (one for each processor); they share the "
                  "memory, unless `--max-memory` says what each may have");
  arguments.flag("--stats", options_.stats, "say what the search and its reduction did");
  declare_coverage(arguments, options_);
  declare_search(arguments, options_);
}

ExitStatus CheckCommand::run(Console& console) {
  const auto wrong = [&console](const UsageError& error) {
    console.error(error.message, error.help);
    return ExitStatus::Wrong;
  };
  options_.has_usual_memory = options_.search.limits.max_memory == usual_memory_;
  if (const auto completed = complete_search(options_.search, options_.words); !completed)
    return wrong(completed.error());
  const auto ways = sweep(definitions_);
  if (!ways) return wrong(ways.error());
  std::vector<PlannedCheck> checks;
  for (const std::string& model : models_)
    for (const Chosen& way : *ways) {
      auto definitions = parse_definitions(way.definitions);
      if (!definitions) return wrong(definitions.error());
      checks.push_back({model, *std::move(definitions), way.varied});
    }
  const bool is_list = models_.size() > 1 || std::ranges::any_of(definitions_, is_sweep);
  if (is_list || options_.format == Format::Junit)
    return check_models(checks, options_, jobs_, console);
  options_.model = checks[0].model;
  options_.definitions = checks[0].definitions;
  return check_with_coverage(options_, console);
}

}  // namespace cml::app
