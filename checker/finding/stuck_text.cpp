#include "checker/finding/stuck_text.h"

#include <fmt/format.h>
#include <map>

#include "checker/finding/operation_text.h"

namespace cml::checker {

std::vector<std::string> cycle_of(const std::vector<ThreadStatus>& threads) {
  std::map<std::string, std::string> waits_for;
  for (const ThreadStatus& status : threads) {
    if (!status.blocked_on) continue;
    if (status.waits_for)
      waits_for[status.thread] = *status.waits_for;
    else if (status.wakers.size() == 1)
      waits_for[status.thread] = status.wakers[0].thread;
  }
  for (const auto& [first, next] : waits_for) {
    std::vector<std::string> cycle{first};
    auto at = waits_for.find(next);
    while (at != waits_for.end() && at->first != first && cycle.size() <= waits_for.size()) {
      cycle.push_back(at->first);
      at = waits_for.find(at->second);
    }
    if (at != waits_for.end() && at->first == first && cycle.size() > 1) return cycle;
  }
  return {};
}

std::string stuck_message(const ir::System& system, const Finding& finding) {
  std::vector<std::string> names;
  for (const StuckThread& item : finding.stuck)
    names.push_back(system.threads[item.thread].name);
  const char* are = names.size() == 1 ? "is" : "are";
  if (finding.kind == ViolationKind::Deadlock)
    return fmt::format("no thread can move: {} {} blocked for ever", join(names), are);
  return fmt::format("{} {} blocked for ever, while other threads go on", join(names), are);
}

}  // namespace cml::checker
