// `cml watch`.
#include "app/watch_command.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "app/child_process.h"
#include "app/coverage_check.h"
#include "app/interruption.h"
#include "app/model_input.h"
#include "app/watched_files.h"

namespace cml::app {

CommandHelp WatchCommand::help() const {
  return {
      .summary = "check a model again whenever it changes",
      .arguments = "[options] MODEL.cml",
      .description =
          "Checks the model as `cml check` does, with the same options, and again when its file or "
          "one that it imports changes; a search that still runs then is given up. What was "
          "written "
          "stays. Ctrl-C ends it.",
      .examples =
          {
              {"cml watch m.cml", "in a terminal beside the editor"},
              {"cml watch --format html -o report.html m.cml", "a page to reload"},
          },
      .notes =
          "Exit status: that of the last check (`cml check --help`); 3, if it was interrupted.\n",
  };
}

void WatchCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model");
  arguments.section("Options");
  declare_definitions(arguments, definitions_, options_);
  declare_format(arguments, options_);
  declare_report(arguments, options_);
  arguments.flag("--stats", options_.stats, "say what the search and its reduction did");
  declare_coverage(arguments, options_);
  declare_search(arguments, options_);
}

ExitStatus WatchCommand::run(Console& console) {
  if (!take_definitions(definitions_, options_, console)) return ExitStatus::Wrong;
  if (const auto completed = complete_search(options_.search, options_.words); !completed) {
    console.error(completed.error().message, completed.error().help);
    return ExitStatus::Wrong;
  }
  if (options_.model == "-") {
    console.error("standard input does not change", "write the model to a file, and name that");
    return ExitStatus::Wrong;
  }
  const Interruption interruption;
  ExitStatus status = ExitStatus::Inconclusive;
  for (;;) {
    WatchedFiles files(options_);
    ChildOptions child;
    child.collects = false;
    child.is_over = [&files] { return files.have_changed(); };
    run_in_children(
        1, 1, [&](std::size_t) { return check_with_coverage(options_, console); },
        [&](std::size_t, const ChildResult& result) {
          status = result.status;
          if (!result.failure.empty())
            console.error(fmt::format("{}: {}", options_.model, result.failure));
        },
        child);
    files.begin_folder();
    while (!files.has_anything_changed())
      if (!wait_a_moment()) return status;
    if (!WatchedFiles::settle(options_)) return status;
    console.err(fmt::format(
        "\n{}  {} has changed\n\n",
        console.err_style().colours(report::Paint::Faint,
                                    fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)))),
        report::printable(options_.model)));
  }
}

}  // namespace cml::app
