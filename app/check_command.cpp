// `cml check`.
#include "app/check_command.h"

#include <chrono>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "app/explore.h"
#include "app/model_input.h"
#include "report/result_html.h"
#include "report/result_json.h"
#include "report/result_text.h"
#include "report/statistics_text.h"

namespace cml::app {

CommandHelp CheckCommand::help() const {
  return {
      .summary = "explore all executions of a model and report what can go wrong",
      .arguments = "[options] MODEL.cml",
      .examples =
          {
              {"cml check philosophers.cml", "is there a deadlock, a race, a failed assertion?"},
              {"cml check -D N=7 philosophers.cml", "with another value for its constant N"},
              {"cml check --format json m.cml | jq .verdict", "the result for a program"},
              {"cml check --max-time 60 --all m.cml", "everything that a minute finds"},
              {"cat m.cml | cml check -", "a model from standard input"},
          },
      .notes =
          "Exit status:\n"
          "  0   verified: no execution of the model, with these constants, has one of the\n"
          "      violations that `cml explain` lists; that all threads end is not checked\n"
          "  1   violated\n"
          "  2   the model or the command line is wrong\n"
          "  3   inconclusive: a limit was reached, or the search was interrupted (Ctrl-C)\n"
          "  4   internal error (please report)\n",
  };
}

void CheckCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model; `-` is standard input");
  arguments.section("Options");
  arguments.values("-D", "NAME=value", definitions_,
                   "set a constant of the model's main file; may be repeated");
  declare_imports(arguments, options_);
  arguments.choice("--format",
                   {{"text", Format::Text},
                    {"json", Format::Json},
                    {"html", Format::Html},
                    {"sarif", Format::Sarif}},
                   options_.format,
                   "for people (the default), for programs, a page for a browser, in which one can "
                   "step through what happened, or SARIF for code scanning");
  arguments.value("-o,--output", "FILE", options_.output,
                  "write the result to FILE instead of standard output");
  arguments.flag(
      "-q,--quiet", options_.quiet,
      "no report for people; the exit status tells the verdict (what `--format` asks for is "
      "written all the same)");
  arguments.choice(
      "--progress",
      {{"auto", ProgressMode::Auto}, {"never", ProgressMode::Never}, {"json", ProgressMode::Json}},
      options_.progress,
      "how the progress of a long search is shown: a line on a terminal (the default), nothing, or "
      "lines of JSON on standard error");
  arguments.count("--width", options_.width,
                  "columns of the report, in which the rows of its tables fit (those of the "
                  "terminal; in files and pipes 100 for sentences, and a row is a line)");
  arguments.flag("--stats", options_.stats, "say what the search and its reduction did");
  declare_search(arguments, options_);
}

ExitStatus CheckCommand::run(Console& console) {
  if (!take_definitions(definitions_, options_, console)) return ExitStatus::Wrong;
  if (const auto completed = complete_search(options_.search, options_.words); !completed) {
    console.error(completed.error().message, completed.error().help);
    return ExitStatus::Wrong;
  }

  return check(console);
}

// Where memory runs out, what was found by then is the result: inconclusive or violated.
ExitStatus CheckCommand::check(Console& console) const {
  const auto started = std::chrono::steady_clock::now();
  std::unique_ptr<LoadedModel> input;
  checker::Result result;
  try {
    auto loaded = load(options_, console);
    if (!loaded) return loaded.error();
    input = *std::move(loaded);
    const double front_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    result = explore(*input, options_, console, front_seconds);
    warn_of_interpreter(result, console);
  } catch (const std::bad_alloc&) {
    result.run_out_of_memory();
    input = std::make_unique<LoadedModel>();
  }
  if (result.internal_error) {
    console.error("internal error: " + *result.internal_error,
                  "this is a mistake of cml, not of the model; please report it with the model");
    return ExitStatus::Internal;
  }
  if (!deliver_result(*input, result, console)) return ExitStatus::Wrong;
  switch (result.verdict) {
    case checker::Verdict::Verified:
      return ExitStatus::Verified;
    case checker::Verdict::Violated:
      return ExitStatus::Violated;
    case checker::Verdict::Inconclusive:
      break;
  }
  return ExitStatus::Inconclusive;
}

bool CheckCommand::deliver_result(const LoadedModel& input, checker::Result& result,
                                  Console& console) const {
  std::string text;
  try {
    text = result_text(input, result, console);
  } catch (const std::bad_alloc&) {
    // The traces are what is large.
    for (checker::Violation& violation : result.violations)
      violation.lose_trace();
    text = result_text(input, result, console);
  }
  return deliver(text, options_, console);
}

std::string CheckCommand::result_text(const LoadedModel& input, const checker::Result& result,
                                      const Console& console) const {
  if (options_.format != Format::Text) {
    const report::Json document = report::result_json(input.sources, options_.model, input.model,
                                                      input.warnings, options_.search, result);
    return options_.format == Format::Html ? report::result_html(input.sources, document)
                                           : document_text(document, options_.format);
  }
  if (options_.quiet) return {};
  report::TextStyle style = options_.writes_file() ? report::TextStyle() : console.out_style();
  style.lists_alike = options_.lists_alike;
  if (options_.width > 0) {
    style.width = report_width(options_.width);
    style.fits_tables = true;
  }
  std::string text = report::result_text(input.sources, options_.model, result, style);
  if (options_.stats) text += report::statistics_text(options_.search, result.stats);
  return text;
}

}  // namespace cml::app
