// `cml simulate`.
#include "app/simulate_command.h"

#include <fmt/format.h>
#include <utility>

#include "app/check_model.h"
#include "app/model_input.h"
#include "app/stepper.h"
#include "app/walker.h"
#include "checker/combinations.h"
#include "report/simulation.h"

namespace cml::app {

SimulateCommand::SimulateCommand() {
  options_.search.granularity = checker::Granularity::Access;
  options_.search.order = checker::Order::DepthFirst;
  options_.search.hang_check = false;
}

CommandHelp SimulateCommand::help() const {
  return {
      .summary = "walk through a model at random, or by hand",
      .arguments = "[options] MODEL.cml",
      .description =
          "Each walk begins in the initial state and ends where nobody can go on, or after "
          "--steps. "
          "What it comes across is reported as `cml check` does, but a model is never verified so: "
          "there are walks that were not made.",
      .examples =
          {
              {"cml simulate philosophers.cml", "a thousand walks"},
              {"cml simulate --scheduler pct --seed 7 m.cml", "with priorities; other walks"},
              {"cml simulate --all --runs 100k --max-time 60 m.cml", "all that a minute finds"},
              {"cml simulate --interactive m.cml", "say who goes next"},
          },
      .notes =
          "Exit status:\n"
          "  0   of a walk by hand: it has met no violation\n"
          "  1   violated\n"
          "  2   the model or the command line is wrong\n"
          "  3   inconclusive: nothing was found, which proves nothing\n"
          "  4   internal error (please report)\n",
  };
}

void SimulateCommand::declare(Arguments& arguments) {
  using namespace checker;
  arguments.positional("MODEL.cml", options_.model, "the model; `-` is standard input");
  arguments.section("Options");
  arguments.flag("-i,--interactive", is_interactive_,
                 "walk by hand: shows what can happen, and asks what does");
  arguments.count("--runs", walks_.runs, "walks (1k)");
  arguments.count("--steps", walks_.steps, "of each walk, at most (1k)");
  arguments.count("--seed", walks_.seed,
                  "of the first walk, the next one has the next number (1); the same number is the "
                  "same walk");
  arguments.choice("--scheduler", {{"uniform", Scheduler::Uniform}, {"pct", Scheduler::Pct}},
                   walks_.scheduler,
                   "each thread that can go is as likely as another (the default), or by random "
                   "priorities that change at a few points, which finds rare orders more often");
  arguments.count("--pct-depth", walks_.depth,
                  "of `pct`: how many orders must be as they are for the violation (3)");
  declare_definitions(arguments, definitions_, options_);
  declare_format(arguments, options_);
  declare_report(arguments, options_);
  arguments.section("What is explored");
  arguments.flag("--all", options_.search.all,
                 "make all walks, and report all violations; else the first one is the end");
  arguments.choice("--granularity", values<Granularity>(), options_.search.granularity,
                   "where threads can be interleaved: at every access (the default), or at "
                   "synchronisation");
  arguments.choice("--discipline", values<Discipline>(), options_.search.discipline,
                   "locks must protect shared objects over all walks together (the default), "
                   "within each, or not at all");
  arguments.flag("--spurious-wakeups", options_.search.spurious_wakeups,
                 "a `wait` may end without a notify, as in Java and POSIX");
  arguments.section("Limits");
  arguments.count("--max-states", options_.search.limits.max_states, "states that differ");
  declare_limits(arguments, options_.search.limits);
}

ExitStatus SimulateCommand::run(Console& console) {
  if (!take_definitions(definitions_, options_, console)) return ExitStatus::Wrong;
  const bool is_sync = options_.search.granularity == checker::Granularity::Sync;
  options_.search.composition =
      is_sync ? checker::Composition::Composed : checker::Composition::None;
  for (const auto& [count, option] :
       {std::pair(walks_.runs, "--runs"), {walks_.steps, "--steps"}, {walks_.depth, "--pct-depth"}})
    if (count == 0) {
      console.error(fmt::format("`{}` must be at least 1", option));
      return ExitStatus::Wrong;
    }
  if (is_interactive_) return walk_by_hand(console);
  checker::WalkStatistics told;
  Exploration how;
  how.run = [&](const ir::System& system, const SourceSet& sources, const checker::Options& options,
                const checker::Context& context) {
    return checker::simulate(system, sources, options, walks_, told, context);
  };
  how.add_members = [&](report::Json& document) {
    document["simulation"] = report::simulation_json(walks_, told);
  };
  how.more_text = [&](const report::TextStyle& style) {
    return report::simulation_text(walks_, told, style);
  };
  return check_model(options_, console, how);
}

ExitStatus SimulateCommand::walk_by_hand(Console& console) const {
  if (options_.model == "-") {
    console.error(
        "standard input is what the walk is chosen by, so the model cannot be read from it",
        "write the model to a file, and name that");
    return ExitStatus::Wrong;
  }
  if (options_.format != Format::Text || options_.writes_file()) {
    console.error("a walk by hand has no result to write",
                  "leave `--format` and `--output` out, or `--interactive`");
    return ExitStatus::Wrong;
  }
  const auto input = load(options_, console);
  if (!input) return input.error();
  Walker walker(**input, options_.search);
  if (const auto begun = walker.begin(); !begun) return refuse(**input, begun.error(), console);
  return Stepper(**input, walker, console, walks_.seed).run();
}

}  // namespace cml::app
