#include "app/replay.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/waiting_text.h"

namespace cml::app {
namespace {

/// Takes steps from where the walk stands, as many as there are.
std::size_t take(Walker& walker, const SavedSteps& steps) {
  std::size_t taken = walker.walk().path().size();
  for (; taken < steps.size(); ++taken) {
    const auto action = walker.action(steps[taken].step);
    if (!action) break;
    walker.walk().take(*action);
  }
  return taken;
}

/// The same, with as much room as it needs.
std::size_t take_with_room(Walker& walker, const SavedSteps& steps) {
  for (;;) {
    const std::size_t taken = take(walker, steps);
    const std::size_t rounds = walker.rounds();
    (void)walker.found();
    if (walker.rounds() == rounds) return taken;
  }
}

std::string why_not(Walker& walker, const NamedStep& step) {
  checker::Walk& walk = walker.walk();
  if (!walk.has_thread(step.thread)) return fmt::format("there is no thread {}", step.thread);
  const std::vector<ir::Action> actions = walk.actions_of(step.thread);
  if (actions.size() > 1 && !step.choice)
    return fmt::format("{} has {} ways to go on, and the trace does not say which", step.thread,
                       actions.size());
  if (!actions.empty())
    return fmt::format("{} has no way to go on with the number {}", step.thread,
                       step.choice.value_or(0));
  for (const checker::ThreadStatus& thread : walk.threads()) {
    if (thread.thread != step.thread) continue;
    if (!thread.blocked_on) return fmt::format("{} has {}", step.thread, thread.state);
    return fmt::format("{} {}", step.thread, report::waiting_text(thread));
  }
  return fmt::format("{} cannot go", step.thread);
}

}  // namespace

Followed follow(Walker& walker, const SavedTrace& saved) {
  Followed result;
  result.steps = take_with_room(walker, saved.steps);
  const bool is_whole = result.steps == saved.steps.size();
  if (!is_whole) result.why = why_not(walker, saved.steps[result.steps].step);
  // What objects of the heap are called depends on all of the trace.
  if (is_whole || walker.system().classes.empty()) {
    const std::vector<checker::TraceStep> trace = walker.walk().trace();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (trace[i].operation == saved.steps[i].operation) continue;
      result.why = fmt::format("{} does `{}`, and in the trace it does `{}`", trace[i].thread,
                               trace[i].operation, saved.steps[i].operation);
      result.is_another = true;
      result.steps = i;
      break;
    }
  }
  walker.walk().back(walker.walk().path().size() - result.steps);
  if (!result.why.empty()) return result;

  const checker::Path path = walker.walk().path();
  std::vector<checker::Path> others;
  for (const SavedSteps& other : saved.others) {
    walker.walk().back(walker.walk().path().size());
    (void)take(walker, other);
    others.push_back(walker.walk().path());
  }
  walker.walk().back(walker.walk().path().size());
  for (const ir::Action action : path)
    walker.walk().take(action);
  result.found = walker.walk().found(others);
  return result;
}

}  // namespace cml::app
