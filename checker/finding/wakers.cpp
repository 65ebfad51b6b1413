// Objects that are waited for, one by one.
#include "checker/finding/wakers.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "checker/finding/operation_text.h"
#include "checker/stopped.h"
#include "ir/effects.h"

namespace cml::checker {
namespace {

/// "sends to c", of one or of several.
std::string deed(ir::Use use, const std::string& object, bool one) {
  const char* s = one ? "s" : "";
  switch (use) {
    case ir::Use::Send:
      return fmt::format("send{} to {}", s, object);
    case ir::Use::Receive:
      return fmt::format("receive{} from {}", s, object);
    case ir::Use::Close:
      return fmt::format("close{} {}", s, object);
    case ir::Use::Up:
      return fmt::format("up{} {}", s, object);
    case ir::Use::Down:
      return fmt::format("down{} {}", s, object);
    case ir::Use::Notify:
      return fmt::format("notif{} {}", one ? "ies" : "y", object);
    case ir::Use::Write:
      return fmt::format("write{} {}", s, object);
    default:
      return fmt::format("change{} {}", s, object);
  }
}

/// Who looks at the size of a semaphore or a channel waits for what changes that of either.
bool can_have(ir::ObjectKind kind, ir::Use use) {
  if (use == ir::Use::Up || use == ir::Use::Down) return kind == ir::ObjectKind::Semaphore;
  if (use == ir::Use::Send || use == ir::Use::Receive || use == ir::Use::Close)
    return kind == ir::ObjectKind::Channel;
  return true;
}

constexpr const char* kEnded = "has ended";
constexpr const char* kStopped = "has stopped";
constexpr const char* kPast = "does not come to that any more";
constexpr const char* kWaits = "waits itself";
constexpr const char* kRuns = "goes on";
constexpr const char* kAbsent = "was not spawned";

/// The same of several threads.
const char* plural(const std::string& why) {
  if (why == kEnded) return "have ended";
  if (why == kStopped) return "have stopped";
  if (why == kPast) return "do not come to that any more";
  if (why == kWaits) return "wait themselves";
  if (why == kAbsent) return "were not spawned";
  return "go on";
}

}  // namespace

bool Wakers::could(ir::ThreadId thread, ir::ObjectUse use) const {
  return accesses_.ever_itself(thread, use);
}

bool Wakers::has_begun(ir::ThreadId thread) const {
  const ir::Thread& of = context_.system.threads[thread];
  return !of.is_spawned || std::any_of(steps_.begin(), steps_.end(), [&of](const TraceStep& step) {
    return step.thread == of.name;
  });
}

std::string Wakers::why_not(ir::ThreadId thread, ir::ObjectUse use) const {
  const ir::Location at = location(context_.layout, state_, thread);
  if (at == ir::kEnded) return has_begun(thread) ? kEnded : kAbsent;
  if (at < ir::kFirstLocation) return kStopped;
  if (!accesses_.itself(thread, at, use)) return kPast;
  std::vector<ir::Action> actions;
  interpreter_.enabled(state_, thread, actions);
  return actions.empty() ? kWaits : kRuns;
}

void Wakers::tell(ir::ThreadId thread, ThreadStatus& status) {
  ir::Record record;
  interpreter_.pending(state_, thread, record);
  const bool is_notified = context_.layout.wait_status(state_, thread) == ir::WaitStatus::Notified;
  std::set<ir::ObjectUse> told;
  for (const ir::Touch& touch : record.touches) {
    if (touch.effect == ir::Effect::LeaveWait) {
      if (is_notified) continue;
      tell_notifies(thread, touch.object, status);
    }
    const ir::Uses uses = ir::uses(touch.effect);
    if (uses.empty() || context_.system.objects[touch.object].read_of) continue;
    const ir::ObjectKind kind = context_.system.objects[touch.object].kind;
    ir::enabling(uses.greatest()).for_each([&](ir::Use by) {
      const ir::ObjectUse use{touch.object, by};
      const bool is_owner_known = by == ir::Use::Give;  // a lock has an owner, a thread itself
      if (by == ir::Use::Finish) {
        status.waits_for =
            context_.system.threads[context_.system.objects[touch.object].thread].name;
      } else if (!is_owner_known && can_have(kind, by) && told.insert(use).second) {
        tell_object(thread, use, status);
      }
    });
  }
}

void Wakers::tell_object(ir::ThreadId thread, ir::ObjectUse by, ThreadStatus& status) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::size_t count = 0;
  for (const ir::ThreadId other : context_.system.threads.ids()) {
    if (other == thread || !could(other, by)) continue;
    Waker waker{context_.system.threads[other].name, why_not(other, by)};
    by_reason[waker.why_not].push_back(waker.thread);
    status.wakers.push_back(std::move(waker));
    ++count;
  }
  const std::string object = context_.name(by.object);
  if (count == 0 && by.use == ir::Use::Close) return;  // most channels are never closed
  if (count == 0) {
    status.notes.push_back(fmt::format("no other thread ever {}", deed(by.use, object, true)));
    return;
  }
  std::string text;
  std::vector<std::string> names;
  for (const auto& [why, threads] : by_reason) {
    const bool one = threads.size() == 1;
    std::string who = count == 1 ? "it" : join(threads);
    if (by_reason.size() == 1 && count > 1) who = "they";
    text += fmt::format("{} {} {}", text.empty() ? ";" : ",", who, one ? why : plural(why));
    names.insert(names.end(), threads.begin(), threads.end());
  }
  std::sort(names.begin(), names.end());
  status.notes.push_back(
      fmt::format("only {} {}{}", join(names), deed(by.use, object, count == 1), text));
}

void Wakers::tell_notifies(ir::ThreadId thread, ir::ObjectId set, ThreadStatus& status) const {
  const auto last = [&](bool notifies) -> const WaitStep* {
    const auto found = std::find_if(waits_.rbegin(), waits_.rend(), [&](const WaitStep& one) {
      return one.set == set && one.notifies == notifies && (notifies || one.thread == thread);
    });
    return found == waits_.rend() ? nullptr : &*found;
  };
  const WaitStep* const notify = last(true);
  const WaitStep* const wait = last(false);
  if (notify == nullptr || wait == nullptr) return;
  const char* const name = notify->is_all ? "notifyAll" : "notify";
  const bool has_waited = std::any_of(waits_.begin(), waits_.end(), [&](const WaitStep& one) {
    return one.set == set && !one.notifies && one.thread == thread && one.step < notify->step;
  });
  status.notes.push_back(notify->step < wait->step
                             ? fmt::format("the last {} came before {}", name,
                                           has_waited ? "it waited again" : "the wait")
                             : fmt::format("the last {} woke another thread", name));
}

}  // namespace cml::checker
