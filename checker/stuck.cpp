// The greatest fixed point over blocked threads, and what each of them waits for.
#include "checker/stuck.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace cml::checker {

using ir::Effect;
using ir::ThreadId;

bool is_stopped(ir::Location location) {
  return location == ir::kStopped || location == ir::kAssumed || location == ir::kDiverged;
}

StuckMonitor::StuckMonitor(ir::Step& step, const ir::Accesses& accesses, bool spurious_wakeups)
    : step_(step),
      system_(step.system()),
      layout_(step.layout()),
      spurious_wakeups_(spurious_wakeups),
      accesses_(accesses),
      stuck_(step.system().threads.size()) {
  for (const ir::Thread& thread : system_.threads) {
    std::vector<ir::ObjectId> locks(thread.code.location_pc.size());
    for (std::size_t at = ir::kFirstLocation; at < locks.size(); ++at) {
      const auto& node = thread.code.instructions[thread.code.location_pc[at]].node;
      const auto* acquire = std::get_if<ir::Acquire>(&node);
      if (acquire != nullptr && !acquire->lock.index) locks[at] = acquire->lock.base;
    }
    awaited_lock_.push(std::move(locks));
  }
}

bool StuckMonitor::all_ended(const std::uint8_t* state) const {
  for (const ThreadId id : system_.threads.ids())
    if (!system_.threads[id].is_daemon && location(layout_, state, id) != ir::kEnded) return false;
  return true;
}

bool StuckMonitor::any_stopped(const std::uint8_t* state, const Enabled& enabled) {
  for (const ThreadId id : system_.threads.ids())
    if (is_stopped(location(layout_, state, id))) return true;
  for (const ThreadId id : system_.threads.ids()) {
    if (!enabled[id.index] || step_.visible(state, id)) continue;
    scratch_.assign(state, state + layout_.size());
    record_.clear();
    step_.run_invisible(scratch_.data(), id, record_);
    if (is_stopped(location(layout_, scratch_.data(), id))) return true;
  }
  return false;
}

std::optional<Finding> StuckMonitor::look(const std::uint8_t* state, const Enabled& enabled) {
  left_ = 0;
  bool nothing_moves = true;
  for (const ThreadId id : system_.threads.ids()) {
    const bool can_go = enabled[id.index] != 0;
    const bool is_blocked = !can_go && location(layout_, state, id) >= ir::kFirstLocation;
    stuck_[id.index] = is_blocked ? 1 : 0;
    left_ += is_blocked ? 1 : 0;
    nothing_moves = nothing_moves && !can_go;
  }
  for (bool changed = !nothing_moves; changed && left_ > 0;) {
    changed = false;
    for (const ThreadId id : system_.threads.ids()) {
      if (stuck_[id.index] == 0 || !may_be_enabled(state, id)) continue;
      stuck_[id.index] = 0;
      --left_;
      changed = true;
    }
  }
  if (left_ == 0) return std::nullopt;
  Finding finding;
  finding.kind = nothing_moves ? ViolationKind::Deadlock : ViolationKind::PartialDeadlock;
  bool only_daemons = true;
  for (const ThreadId id : system_.threads.ids())
    only_daemons = only_daemons && (stuck_[id.index] == 0 || system_.threads[id].is_daemon);
  if (only_daemons || any_stopped(state, enabled)) return std::nullopt;
  for (const ThreadId id : system_.threads.ids())
    if (stuck_[id.index] != 0) finding.stuck.push_back(describe(state, id));
  return finding;
}

bool StuckMonitor::outsider_may(const std::uint8_t* state, ir::Access what,
                                ir::ObjectId object) const {
  for (const ThreadId id : system_.threads.ids())
    if (stuck_[id.index] == 0 && accesses_.future(id, location(layout_, state, id), {object, what}))
      return true;
  return false;
}

bool StuckMonitor::owner_may_free(const std::uint8_t* state, ir::ObjectId lock) const {
  const ThreadId owner = layout_.owner(state, lock);
  if (!owner.valid()) return true;
  return stuck_[owner.index] == 0 &&
         accesses_.future(owner, location(layout_, state, owner), {lock, ir::Access::Give});
}

bool StuckMonitor::may_be_enabled(const std::uint8_t* state, ThreadId thread) {
  const ir::ObjectId awaited = awaited_lock_[thread][location(layout_, state, thread)];
  if (awaited.valid()) return owner_may_free(state, awaited);
  record_.clear();
  step_.pending(state, thread, record_);
  for (const ir::Touch& touch : record_.touches) {
    bool may = false;
    switch (touch.effect) {
      case Effect::Take: {
        const bool waits = layout_.wait_status(state, thread) == ir::WaitStatus::Waiting;
        may =
            owner_may_free(state, touch.object) &&
            (!waits || spurious_wakeups_ || outsider_may(state, ir::Access::Notify, touch.object));
        break;
      }
      case Effect::Read:
        may = outsider_may(state, ir::Access::Write, touch.object);
        break;
      case Effect::Size:
        may = outsider_may(state, ir::Access::Send, touch.object) ||
              outsider_may(state, ir::Access::Receive, touch.object);
        break;
      case Effect::Down:
        may = outsider_may(state, ir::Access::Up, touch.object);
        break;
      case Effect::Send:
        may = outsider_may(state, ir::Access::Receive, touch.object);
        break;
      case Effect::Receive:
        may = outsider_may(state, ir::Access::Send, touch.object);
        break;
      default:
        break;
    }
    if (may) return true;
  }
  return false;
}

StuckThread StuckMonitor::describe(const std::uint8_t* state, ThreadId thread) {
  StuckThread result;
  result.thread = thread;
  const ir::Code& code = system_.threads[thread].code;
  result.operation = code.instructions[code.location_pc[location(layout_, state, thread)]].opcode();
  record_.clear();
  step_.pending(state, thread, record_);
  for (const ir::Touch& touch : record_.touches)
    result.objects.push_back(touch.object);
  std::sort(result.objects.begin(), result.objects.end());
  result.objects.erase(std::unique(result.objects.begin(), result.objects.end()),
                       result.objects.end());
  return result;
}

}  // namespace cml::checker
