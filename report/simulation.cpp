#include "report/simulation.h"

#include <fmt/format.h>

#include "report/counted.h"

namespace cml::report {

std::string_view name(checker::Scheduler scheduler) {
  return scheduler == checker::Scheduler::Pct ? "pct" : "uniform";
}

std::string simulation_text(const checker::WalkOptions& walks, const checker::WalkStatistics& told,
                            const TextStyle& style) {
  std::string text = fmt::format("\n{} from seed {}, {}", counted(told.runs, "random walk"),
                                 walks.seed, name(walks.scheduler));
  if (walks.scheduler == checker::Scheduler::Pct) text += fmt::format(" of depth {}", walks.depth);
  const std::string least =
      told.shortest == told.longest ? "" : fmt::format("{} to ", told.shortest);
  text += fmt::format(", {}{}:\n", least, counted(told.longest, "step"));
  const auto line = [&text](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("  {:>10}  {}\n", count, what);
  };
  line(told.ended, "came to the end of all threads");
  line(told.deadlocked, "came to a deadlock");
  line(told.stopped, "came to a state in which nobody could go, after a thread had stopped");
  line(told.found, "ended at the violation");
  line(told.cut, fmt::format("were cut after {}", counted(walks.steps, "step")));
  if (told.statements > 0)
    text +=
        fmt::format("  {} of {} reached\n", told.reached, counted(told.statements, "statement"));
  if (told.first_violated)
    text += "  " +
            wrapped(fmt::format("the walk of seed {} was the first that found something: `--seed "
                                "{} --runs 1` repeats it",
                                *told.first_violated, *told.first_violated),
                    style.width - 2, 2, 2) +
            "\n";
  else
    text += "  " +
            wrapped(
                "that nothing was found proves nothing: other walks may (`cml check` looks at "
                "all of them)",
                style.width - 2, 2, 2) +
            "\n";
  return text;
}

Json simulation_json(const checker::WalkOptions& walks, const checker::WalkStatistics& told) {
  return {
      {"scheduler", name(walks.scheduler)},
      {"pct_depth", walks.scheduler == checker::Scheduler::Pct ? Json(walks.depth) : Json(nullptr)},
      {"seed", walks.seed},
      {"max_runs", walks.runs},
      {"max_steps", walks.steps},
      {"runs", told.runs},
      {"ended", told.ended},
      {"deadlocked", told.deadlocked},
      {"stopped", told.stopped},
      {"found", told.found},
      {"cut", told.cut},
      {"shortest", told.shortest},
      {"longest", told.longest},
      {"statements", told.statements},
      {"reached_statements", told.reached},
      {"first_violated", told.first_violated ? Json(*told.first_violated) : Json(nullptr)}};
}

}  // namespace cml::report
