// The greatest fixed point over blocked threads, and what each of them waits for.
#include "checker/monitor/stuck.h"

#include <algorithm>
#include <span>
#include <utility>

#include "checker/stopped.h"
#include "ir/analysis/meeting_places.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {

using ir::ThreadId;
using ir::Use;

StuckMonitor::StuckMonitor(ir::Step& step, const ir::Analyses& analyses, const Options& options)
    : step_(step),
      system_(step.system()),
      layout_(step.layout()),
      spurious_wakeups_(options.spurious_wakeups),
      may_use_filter_(options.static_analyses && !options.spurious_wakeups &&
                      !ir::has_rendezvous(system_)),
      filter_(system_, analyses, options.composes()),
      awaited_(system_),
      enabled_(system_.threads.size()),
      stuck_(system_.threads.size()),
      blocked_(system_.threads.size()) {
  for (const ThreadId id : system_.threads.ids()) {
    const ir::Code& code = system_.threads[id].code;
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
      awaited_.at(id, at) = awaited(code.instructions[code.location_pc[at]]);
  }
}

StuckMonitor::Awaited StuckMonitor::awaited(const ir::Instruction& instruction) {
  using Kind = Awaited::Kind;
  Awaited result;
  bool is_one = true;
  ir::for_each_wait(instruction,
                    [&](const ir::Place& place, std::initializer_list<ir::Awaited> all) {
                      is_one = is_one && !result.object.valid() &&
                               (!place.index || CML_MUTATION("an-awaited-lock-with-an-index"));
                      result.object = place.base;
                      for (const ir::Awaited one : all) {
                        const Use use = ir::uses(ir::effect_of(one)).greatest();
                        const ir::Uses by = ir::enabling(use);
                        is_one = is_one && by.size() == 1;
                        if (ir::of(use) == ir::UseOf::Lock && result.kind == Kind::Waiter) continue;
                        result.use = by.greatest();
                        result.kind = ir::of(use) == ir::UseOf::WaitSet ? Kind::Waiter
                                      : ir::of(use) == ir::UseOf::Lock  ? Kind::Lock
                                                                        : Kind::Other;
                      }
                    });
  result.set = result.object;
  if (const ir::Place* const set = ir::wait_set(instruction.node)) {
    is_one = is_one && (!set->index || CML_MUTATION("an-awaited-condition-with-an-index"));
    result.set = CML_MUTATED("waiters-for-a-condition-wait-at-its-lock", set->base, result.object);
  }
  return is_one ? result : Awaited();
}

bool StuckMonitor::all_ended(const std::uint8_t* state) const {
  for (const ThreadId id : system_.threads.ids())
    if (!system_.threads[id].is_daemon && location(layout_, state, id) != ir::kEnded) return false;
  return true;
}

bool StuckMonitor::any_stopped(const std::uint8_t* state, const ThreadSet& enabled) {
  for (const ThreadId id : system_.threads.ids())
    if (is_stopped(location(layout_, state, id))) return true;
  for (const ThreadId id : system_.threads.ids()) {
    if (!enabled.contains(id) || step_.visible(state, id)) continue;
    scratch_.assign(state, state + layout_.size());
    record_.clear();
    step_.run_invisible(scratch_.data(), id, record_);
    if (is_stopped(location(layout_, scratch_.data(), id)) &&
        !CML_MUTATION("a-thread-about-to-stop-counts-as-one-that-runs"))
      return true;
  }
  return false;
}

const StuckMonitor::May* StuckMonitor::may(Use what, ir::ObjectId object) {
  if (may_.empty()) may_.resize(system_.objects.size() * ir::kUses);
  std::unique_ptr<const May>& known =
      may_[std::size_t{object.index} * ir::kUses + static_cast<std::size_t>(what)];
  if (known == nullptr) {
    auto made = std::make_unique<May>(system_);
    for (const ThreadId id : system_.threads.ids()) {
      const std::size_t locations = system_.threads[id].code.location_pc.size();
      for (ir::Location at = ir::kFirstLocation; at < locations; ++at)
        made->at(id, at) = filter_.may(id, at, {object, what}) ? 1 : 0;
    }
    known = std::move(made);
  }
  return known.get();
}

inline bool StuckMonitor::outsider_may(const std::uint8_t* state, const May& may) const {
  return stuck_.any_outside([&](ThreadId id) { return may[place(state, id)] != 0; });
}

inline bool StuckMonitor::owner_may_free(const std::uint8_t* state, ir::ObjectId lock,
                                         const May& may_free) const {
  const ThreadId owner = layout_.owner(state, lock);
  return !owner.valid() || (!stuck_.contains(owner) && may_free[place(state, owner)] != 0);
}

bool StuckMonitor::are_met(const std::uint8_t* state, std::span<const ir::Action> actions,
                           std::span<const ir::ObjectUse> obligations) {
  return std::all_of(obligations.begin(), obligations.end(), [&](ir::ObjectUse need) {
    const May& may = *this->may(need.use, need.object);
    return std::any_of(actions.begin(), actions.end(), [&](const ir::Action& action) {
      return may[place(state, action.thread)] != 0 ||
             CML_MUTATION("obligations-are-met-by-whoever-can-go");
    });
  });
}

bool StuckMonitor::waits_for_enabled(const std::uint8_t* state, std::span<const ir::Action> actions,
                                     ThreadId thread) {
  if (location(layout_, state, thread) < ir::kFirstLocation) return false;
  const Awaited& awaited = awaited_[place(state, thread)];
  if (awaited.kind == Awaited::Kind::Other) {
    const ir::ObjectUse need{awaited.object, awaited.use};
    return are_met(state, actions, {&need, 1});
  }
  if (awaited.kind != Awaited::Kind::Lock) return false;
  const ThreadId owner = layout_.owner(state, awaited.object);
  return owner.valid() &&
         (can_go(actions, owner) || CML_MUTATION("filter-behind-an-owner-who-cannot-go")) &&
         (*may(Use::Give, awaited.object))[place(state, owner)] != 0;
}

inline bool StuckMonitor::waiter_may_go(const std::uint8_t* state, ThreadId thread,
                                        ir::ObjectId lock, ir::ObjectId set, const May& may_notify,
                                        const May& may_free) {
  if (lock != free_) {
    if (!owner_may_free(state, lock, may_free)) return false;
    free_ = lock;
  }
  if (set == notified_) return true;
  if (layout_.wait_status(state, thread) != ir::WaitStatus::Waiting) return true;
  if (!outsider_may(state, may_notify)) return false;
  notified_ = CML_MUTATED("whom-may-be-notified-is-asked-for-another-lock", set, free_);
  return true;
}

inline bool StuckMonitor::may_be_enabled(const std::uint8_t* state, ThreadId thread) {
  Awaited& awaited = awaited_[place(state, thread)];
  if (awaited.may == nullptr && awaited.kind != Awaited::Kind::Unknown) {
    awaited.may = may(awaited.use, awaited.set);
    if (awaited.kind == Awaited::Kind::Waiter) awaited.may_free = may(Use::Give, awaited.object);
  }
  switch (awaited.kind) {
    case Awaited::Kind::Lock:
      if (awaited.object == free_) return true;
      if (!owner_may_free(state, awaited.object, *awaited.may)) return false;
      free_ = awaited.object;
      return true;
    case Awaited::Kind::Waiter:
      return waiter_may_go(state, thread, awaited.object, awaited.set, *awaited.may,
                           *awaited.may_free);
    case Awaited::Kind::Other:
      return outsider_may(state, *awaited.may);
    case Awaited::Kind::Unknown:
      break;
  }
  record_.clear();
  step_.pending(state, thread, record_);
  // To acquire a reader-writer lock is a block that goes when all that it looks at are free.
  const ir::Code& code = system_.threads[thread].code;
  const ir::Instruction& at = code.instructions[code.location_pc[location(layout_, state, thread)]];
  const auto* const block = std::get_if<ir::Atomic>(&at.node);
  const bool needs_all = block != nullptr && block->of.has_value();
  bool waits_for_lock = false;
  for (const ir::Touch& touch : record_.touches) {
    if (!needs_all && !CML_MUTATION("a-select-waits-for-all-of-its-locks")) break;
    if (touch.effect != ir::Effect::Look || !layout_.owner(state, touch.object).valid()) continue;
    waits_for_lock = true;
    if (!owner_may_free(state, touch.object, *may(Use::Give, touch.object))) return false;
  }
  if (waits_for_lock) return true;
  return std::any_of(record_.touches.begin(), record_.touches.end(),
                     [&](const ir::Touch& touch) { return may_go(state, thread, touch); });
}

bool StuckMonitor::may_go(const std::uint8_t* state, ThreadId thread, const ir::Touch& waits) {
  if (waits.effect == ir::Effect::Look && !CML_MUTATION("free-locks-are-waited-for")) {
    // of a select with guards, or at a lock that is free
    const ThreadId owner = layout_.owner(state, waits.object);
    return owner.valid() && owner != thread &&
           owner_may_free(state, waits.object, *may(Use::Give, waits.object));
  }
  bool result = false;
  ir::uses(waits.effect).for_each([&](Use use) {
    switch (ir::of(use)) {
      case ir::UseOf::Lock: {
        const auto& touches = record_.touches;
        const auto at = std::find_if(touches.begin(), touches.end(), [](const ir::Touch& touch) {
          return touch.effect == ir::Effect::LeaveWait;
        });
        const ir::ObjectId set = at == touches.end() ? waits.object : at->object;
        result = result || waiter_may_go(state, thread, waits.object, set, *may(Use::Notify, set),
                                         *may(Use::Give, waits.object));
        return;
      }
      case ir::UseOf::WaitSet:  // it waits for the lock besides, above
      case ir::UseOf::History:
      case ir::UseOf::Thread:
        return;
      case ir::UseOf::Variable:
      case ir::UseOf::Amount:
      case ir::UseOf::Life:
        ir::enabling(use).for_each(
            [&](Use by) { result = result || outsider_may(state, by, waits.object); });
        return;
    }
  });
  return result;
}

void StuckMonitor::state(const std::uint8_t* state, std::span<const ir::Action> actions,
                         const Where& where) {
  if (!CML_MUTATION("enabled-in-the-state-before")) enabled_.clear();
  for (const ir::Action action : actions)
    if (!is_spurious(state, action.thread)) enabled_.insert(action.thread);
  if (auto found = look(state, enabled_)) {
    deadlocked_ += found->kind == ViolationKind::Deadlock ? 1 : 0;
    where.report(std::move(*found));
  }
}

void StuckMonitor::join(const StuckMonitor& other) {
  may_use_filter_ = may_use_filter_ && other.may_use_filter_;
  looks_ = std::max(looks_, other.looks_);
  uses_filter_ = may_use_filter_ && looks_ >= kLooksBeforeFilter;
}

std::optional<Finding> StuckMonitor::look(const std::uint8_t* state, const ThreadSet& enabled) {
  if (++looks_ == kLooksBeforeFilter) uses_filter_ = may_use_filter_;
  left_ = 0;
  if (!CML_MUTATION("what-may-become-free-is-not-forgotten")) free_ = notified_ = ir::ObjectId();
  stuck_.clear();
  (void)enabled.any_outside([&](ThreadId id) {
    if (location(layout_, state, id) < ir::kFirstLocation) return false;
    stuck_.insert(id);
    blocked_[left_++] = id;
    return false;
  });
  if (left_ == 0) return std::nullopt;
  const bool nothing_moves = enabled.empty();
  const std::span<const ThreadId> blocked(blocked_.data(), left_);
  for (bool changed = !nothing_moves; changed && left_ > 0;) {
    changed = false;
    for (const ThreadId id : blocked) {
      if (!stuck_.contains(id) || !may_be_enabled(state, id)) continue;
      stuck_.erase(id);
      --left_;
      changed = true;
    }
  }
  if (left_ == 0 || (!nothing_moves && CML_MUTATION("partial-deadlocks-are-none")))
    return std::nullopt;
  if (are_daemons() && !CML_MUTATION("stuck-daemons-are-reported")) return std::nullopt;
  if (!nothing_moves && !CML_MUTATION("filtered-though-somebody-was-stuck"))
    may_use_filter_ = uses_filter_ = false;
  return finding(state, enabled, nothing_moves);
}

bool StuckMonitor::are_daemons() const {
  const auto ids = system_.threads.ids();
  return std::all_of(ids.begin(), ids.end(), [this](ThreadId id) {
    return !stuck_.contains(id) || system_.threads[id].is_daemon;
  });
}

std::optional<Finding> StuckMonitor::finding(const std::uint8_t* state, const ThreadSet& enabled,
                                             bool nothing_moves) {
  Finding result;
  result.kind = nothing_moves ? ViolationKind::Deadlock : ViolationKind::PartialDeadlock;
  if (any_stopped(state, enabled)) return std::nullopt;
  for (const ThreadId id : system_.threads.ids())
    if (stuck_.contains(id)) result.stuck.push_back(describe(state, id));
  return result;
}

StuckThread StuckMonitor::describe(const std::uint8_t* state, ThreadId thread) {
  StuckThread result;
  result.thread = thread;
  const ir::Code& code = system_.threads[thread].code;
  result.operation = code.instructions[code.location_pc[location(layout_, state, thread)]].opcode();
  record_.clear();
  step_.pending(state, thread, record_);
  for (const ir::Touch& touch : record_.touches)
    if (touch.effect != ir::Effect::Invoke)  // the call begins, and waits for something else
      result.objects.push_back(representative(system_, touch.object));
  std::sort(result.objects.begin(), result.objects.end());
  result.objects.erase(std::unique(result.objects.begin(), result.objects.end()),
                       result.objects.end());
  return result;
}

}  // namespace cml::checker
