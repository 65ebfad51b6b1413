// `cml check`.
#include "app/check_command.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>

#include "app/definitions.h"
#include "app/model_input.h"
#include "app/progress.h"
#include "checker/check.h"
#include "ir/lower.h"
#include "report/result_json.h"
#include "report/result_text.h"
#include "report/statistics_text.h"

namespace cml::app {
namespace {

// Set by the first signal; the search then ends with what it knows. A second one ends the program.
// SIGTERM is what `timeout` and CI systems send, SIGHUP comes when the terminal goes away.
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  for (const int signal : kSignals)
    std::signal(signal, SIG_DFL);
}

/// Lowers and explores. What cannot be run yet is a result, too: an inconclusive one that says so.
checker::Result explore(const LoadedModel& input, const CheckOptions& options, Console& console,
                        double front_seconds) {
  checker::Result result;
  const auto system = ir::lower(input.model, input.sources);
  if (!system) {
    result.unsupported = checker::Unsupported{system.error().message, system.error().range};
    result.stats.complete = false;
  } else {
    for (const int signal : kSignals)
      std::signal(signal, interrupt);
    checker::Context context;
    context.stop = &interrupted;
    ProgressLine progress(options, console.err_is_terminal(), console.err_style().width);
    context.progress = progress.listener();
    result = checker::check(*system, input.sources, options.search, context);
    for (const int signal : kSignals)
      std::signal(signal, SIG_DFL);
  }
  if (!result.stats.jit_failure.empty())
    console.warning("no native code: " + result.stats.jit_failure,
                    "the interpreter has done the work, more slowly");
  result.stats.seconds_front = front_seconds;
  result.stats.seconds_total += front_seconds;
  return result;
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
              {"cml check --max-time 60 --all m.cml", "everything that a minute finds"},
              {"cat m.cml | cml check -", "a model from standard input"},
          },
      .notes =
          "Exit status:\n"
          "  0   verified: nothing can go wrong\n"
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
  arguments.choice("--format", {{"text", Format::Text}, {"json", Format::Json}}, options_.format,
                   "for people (the default) or for programs");
  arguments.value("-o,--output", "FILE", options_.output,
                  "write the result to FILE instead of standard output");
  arguments.flag("-q,--quiet", options_.quiet,
                 "print errors only; the exit status tells the verdict");
  arguments.choice(
      "--progress",
      {{"auto", ProgressMode::Auto}, {"never", ProgressMode::Never}, {"json", ProgressMode::Json}},
      options_.progress,
      "how a long search goes on: a line on a terminal (the default), nothing, or "
      "lines of JSON on standard error");
  arguments.flag("--stats", options_.stats, "say what the search and its reduction did");
  declare_search(arguments, options_.search, options_.words);
}

ExitStatus CheckCommand::run(Console& console) {
  auto definitions = parse_definitions(definitions_);
  if (!definitions) {
    console.error(definitions.error().message, definitions.error().help);
    return ExitStatus::Wrong;
  }
  options_.definitions = *std::move(definitions);
  if (const auto completed = complete_search(options_.search, options_.words); !completed) {
    console.error(completed.error().message, completed.error().help);
    return ExitStatus::Wrong;
  }

  const auto started = std::chrono::steady_clock::now();
  const auto loaded = load(options_, console);
  if (!loaded) return loaded.error();
  const LoadedModel& input = **loaded;
  const double front_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();

  const checker::Result result = explore(input, options_, console, front_seconds);
  if (result.internal_error) {
    console.error("internal error: " + *result.internal_error,
                  "this is a mistake of cml, not of the model; please report it with the model");
    return ExitStatus::Internal;
  }

  std::string text;
  if (options_.format == Format::Json) {
    text = report::json_text(report::result_json(input.sources, options_.model, input.model,
                                                 input.warnings, options_.search, result));
  } else if (!options_.quiet) {
    const report::TextStyle plain;
    text = report::result_text(input.sources, options_.model, result,
                               options_.output ? plain : console.out_style());
    if (options_.stats) text += report::statistics_text(options_.search, result.stats);
  }
  if (!deliver(text, options_, console)) return ExitStatus::Wrong;
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

}  // namespace cml::app
