#include "report/waiting_text.h"

#include <algorithm>

#include "report/terminal_text.h"

namespace cml::report {

std::string waiting_text(const checker::ThreadStatus& thread, std::string_view place) {
  const std::string& at = thread.blocked_on.value();
  std::string text = "waits at " + printable(at) + std::string(place);
  // Who joins a thread says whom it waits for; who waits for itself has a note.
  const bool is_join = at.starts_with("join ");
  if (thread.waits_for && !is_join && thread.waits_for != thread.thread)
    text += ", which " + printable(*thread.waits_for) + " holds";
  return text;
}

// A lock that is taken once more changes, too; who has it then had it before, so the first step
// behind the last one that gives it is meant.
const checker::TraceStep* taken_at(const std::vector<checker::TraceStep>& trace,
                                   const std::string& thread, const std::string& lock) {
  const checker::TraceStep* found = nullptr;
  for (const checker::TraceStep& step : trace) {
    const auto change =
        std::find_if(step.changes.begin(), step.changes.end(),
                     [&lock](const checker::NamedValue& one) { return one.name == lock; });
    if (change == step.changes.end()) continue;
    if (step.thread != thread || !change->value.text.starts_with(thread))
      found = nullptr;
    else if (found == nullptr)
      found = &step;
  }
  return found;
}

}  // namespace cml::report
