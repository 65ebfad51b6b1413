#include "checker/finding/livelock_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace cml::checker {
namespace {

std::string where_now(const std::string& thread, const std::vector<ThreadStatus>& threads) {
  const auto status = std::find_if(threads.begin(), threads.end(),
                                   [&](const ThreadStatus& one) { return one.thread == thread; });
  if (status == threads.end()) return "has ended, or was not spawned";
  if (status->blocked_on) return "waits at " + *status->blocked_on;
  if (status->state == "running") return "goes on, and does not";
  return "has " + status->state;
}

}  // namespace

std::vector<ir::ObjectId> looked_at(const ir::System& system,
                                    const std::vector<ir::Touch>& touches) {
  std::vector<ir::ObjectId> result;
  for (const ir::Touch& touch : touches) {
    const ir::ObjectKind kind = system.objects[touch.object].kind;
    if (kind == ir::ObjectKind::Instance || touch.effect == ir::Effect::New) continue;
    if (std::find(result.begin(), result.end(), touch.object) == result.end())
      result.push_back(touch.object);
  }
  return result;
}

std::vector<LookedAt> who_could_change(const ir::Analyses& analyses, ir::ThreadId spinning,
                                       const std::vector<ir::ObjectId>& objects,
                                       const std::vector<ThreadStatus>& threads) {
  const ir::System& system = analyses.system();
  const ir::Accesses& accesses = analyses.accesses();
  std::vector<LookedAt> result;
  for (const ir::ObjectId object : objects) {
    LookedAt item;
    item.object = system.objects[object].name;
    for (const ir::ThreadId id : system.threads.ids()) {
      if (id == spinning) continue;
      const ir::ObjectId known = accesses.stands_for(id, object);
      const std::vector<ir::ObjectUse>& uses = accesses.all(id);
      if (std::none_of(uses.begin(), uses.end(), [&](const ir::ObjectUse& use) {
            return use.object == known && ir::changes(use.use) && accesses.ever_itself(id, use);
          }))
        continue;
      const std::string& name = system.threads[id].name;
      item.changed_by.emplace_back(name, where_now(name, threads));
    }
    result.push_back(std::move(item));
  }
  return result;
}

std::string livelock_message(const Violation& violation, bool is_something_changing) {
  std::string what;
  for (const LookedAt& item : violation.looks_at)
    what += (what.empty() ? "" : ", ") + item.object;
  if (what.empty() || is_something_changing)
    return fmt::format("{} spins for ever: it changes nothing any more, and never ends",
                       *violation.thread);
  return fmt::format("{} spins for ever at {}: nobody left can change what it looks at",
                     *violation.thread, what);
}

}  // namespace cml::checker
