#include "report/statistics_text.h"

#include <fmt/format.h>

#include "checker/combinations.h"

namespace cml::report {
namespace {

std::string search_line(const checker::Options& options) {
  std::string line = options.granularity == checker::Granularity::Access
                         ? "granularity access"
                         : fmt::format("granularity sync, {}", checker::name(options.composition));
  line += fmt::format(", reduction {}", checker::name(options.reduction));
  if (options.store == checker::Store::Stateless)
    return line + fmt::format(", stateless (undo by {})",
                              checker::name(options.undo.value_or(checker::Undo::Checkpoint)));
  line += options.order == checker::Order::BreadthFirst ? ", breadth-first" : ", depth-first";
  if (options.order == checker::Order::Random) line += " in random order";
  return line + (options.state_form == checker::StateForm::Bits ? ", packed" : "");
}

std::string reduction_lines(const checker::ReductionStatistics& stats, bool has_sets, bool sleeps) {
  std::string text;
  if (has_sets && stats.sets > 0) {
    const auto sets = static_cast<double>(stats.sets);
    text += fmt::format(
        "  sets         {:.2f} of {:.2f} transitions on average where there was a choice "
        "({} states); {} single, largest {}\n",
        static_cast<double>(stats.chosen) / sets, static_cast<double>(stats.enabled) / sets,
        stats.sets, stats.single, stats.largest);
    text += fmt::format(
        "  expanded     fully all the same: {} so that nothing is ignored, {} because a thread "
        "stopped, {} since sets had left out next to nothing\n",
        stats.full_by_proviso, stats.full_by_stop, stats.skipped);
  } else if (has_sets) {
    text += "  sets         no state had a choice\n";
  }
  if (sleeps) text += fmt::format("  slept        {} transitions\n", stats.slept);
  return text;
}

}  // namespace

std::string statistics_text(const checker::Options& options, const checker::Statistics& stats) {
  std::string text = "\nStatistics\n";
  text += fmt::format("  search       {}\n", search_line(options));
  text += reduction_lines(stats.reduction, options.reduction.sets != checker::Sets::None,
                          options.reduction.sleep);
  if (options.store == checker::Store::Stateless) {
    text += fmt::format("  executions   {}, and {} that ended because all that could go slept\n",
                        stats.executions, stats.blocked_executions);
  } else {
    text += fmt::format("  states       {}, {:.0f} bytes each\n", stats.states, stats.state_bytes);
  }
  text += fmt::format("  transitions  {}, depth {}\n", stats.transitions, stats.max_depth);
  text += fmt::format("  memory       {:.1f} MB for states, stack and queue\n",
                      static_cast<double>(stats.peak_memory_bytes) / 1e6);
  if (stats.liveness_states != 0)
    text +=
        fmt::format("  properties   decided on {} states and {} transitions, in {:.3f} seconds\n",
                    stats.liveness_states, stats.liveness_transitions, stats.seconds_liveness);
  text += fmt::format(
      "  seconds      {:.3f} in all, {:.3f} reading, {:.3f} searching, {:.3f} looking for lost "
      "threads\n",
      stats.seconds_total, stats.seconds_front, stats.seconds_search, stats.seconds_hangs);
  return text;
}

}  // namespace cml::report
