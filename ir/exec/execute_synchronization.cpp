// What the opcodes do that threads wait for each other with: locks, conditions, semaphores,
// channels, threads that others spawn and join (docs/reference.md, "Shared state").
#include <algorithm>
#include <variant>

#include "ir/exec/execution.h"
#include "support/mutation.h"

namespace cml::ir {

// ---- locks -------------------------------------------------------------------------------------

Outcome Execution::take_or_limit(ObjectId lock, bool& taken) {
  const ThreadId owner = layout_.owner(state_, lock);
  taken = !owner.valid() || owner == thread_;
  if (!owner.valid()) {
    touch(lock, Effect::Take);
    layout_.set_owner(state_, lock, thread_, 1);
  } else if (taken && system_.objects[lock].is_mutex && !CML_MUTATION("a-mutex-is-reentrant")) {
    taken = false;
  } else if (taken) {
    touch(lock, Effect::Deepen);
    const std::int32_t depth = layout_.lock_depth(state_, lock);
    const std::int32_t greatest = layout_.object(lock).fields[1].hi;
    if (depth == greatest) {
      // The layout relies on HeldLocks: a contradiction is an internal error.
      if (greatest < kMaxLockDepth) return stop(FaultKind::Internal, current().range, {}, lock);
      limit(LimitKind::LockDepth);
      return Outcome::Gone;
    }
    layout_.set_owner(state_, lock, thread_, depth + 1);
  }
  return Outcome::Next;
}

Outcome Execution::execute(const Acquire& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  bool taken = false;
  if (take_or_limit(lock, taken) == Outcome::Gone) return Outcome::Gone;
  return taken ? next() : Outcome::Blocked;
}

Outcome Execution::execute(const TryAcquire& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  bool taken = false;
  if (take_or_limit(lock, taken) == Outcome::Gone) return Outcome::Gone;
  if (!taken) touch(lock, Effect::Look);
  if (!assign(node.target, taken ? 1 : 0)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Release& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  if (!owns(lock)) {
    touch(lock, Effect::Held);
    return stop(FaultKind::IllegalMonitor, current().range, {}, lock);
  }
  const std::int32_t depth = layout_.lock_depth(state_, lock);
  if (depth == 1) {
    touch(lock, Effect::Give);
    layout_.set_free(state_, lock);
  } else {
    touch(lock, Effect::Lessen);
    layout_.set_owner(state_, lock, thread_, depth - 1);
  }
  return next();
}

Outcome Execution::execute(const Wait& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  if (!owns(lock)) {
    touch(lock, Effect::Held);
    return stop(FaultKind::IllegalMonitor, current().range, {}, lock);
  }
  const ObjectId set = node.condition ? resolve(*node.condition) : lock;
  if (gone_) return Outcome::Gone;
  touch(set, Effect::EnterWait);
  touch(lock, Effect::Give);
  const ThreadFields& fields = layout_.thread(thread_);
  fields.wait->store(state_, static_cast<std::int32_t>(WaitStatus::Waiting));
  fields.depth->store(state_, layout_.lock_depth(state_, lock));
  layout_.set_free(state_, lock);
  return next();
}

// Whoever is woken, by whatever, waits for the lock as one that was notified.
Outcome Execution::execute(const TimeOut& node) {
  const ObjectId set = resolve(node.condition ? *node.condition : node.lock);
  if (gone_) return Outcome::Gone;
  const bool is_notified = layout_.wait_status(state_, thread_) == WaitStatus::Notified;
  if (!is_notified) {
    touch(set, Effect::LeaveWait);
    layout_.thread(thread_).wait->store(state_, static_cast<std::int32_t>(WaitStatus::Notified));
  }
  if (!assign(node.target, is_notified ? 1 : 0)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Rewait& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  const ThreadFields& fields = layout_.thread(thread_);
  const WaitStatus status = layout_.wait_status(state_, thread_);
  const bool awake = status == WaitStatus::Notified || config_.spurious_wakeups;
  if (!awake || layout_.owner(state_, lock).valid()) return Outcome::Blocked;
  if (status == WaitStatus::Waiting)
    touch(node.condition ? resolve(*node.condition) : lock, Effect::LeaveWait);
  touch(lock, Effect::Take);
  layout_.set_owner(state_, lock, thread_, fields.depth->load(state_));
  fields.wait->store(state_, static_cast<std::int32_t>(WaitStatus::None));
  fields.depth->store(state_, 0);
  return next();
}

void Execution::waiting_threads(ObjectId set, std::vector<std::uint32_t>& out) {
  for (const ThreadId id : system_.threads.ids()) {
    if (layout_.wait_status(state_, id) != WaitStatus::Waiting) continue;
    const Code& code = system_.threads[id].code;
    const Pc pc = code.location_pc[location(layout_, state_, id)];
    if (resolve_for(id, *wait_set(code.instructions[pc].node)) == set) out.push_back(id.index);
  }
}

void Execution::load_other_frame(ThreadId thread) {
  const std::vector<Field>& slots = layout_.thread(thread).slots;
  other_frame_.resize(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i)
    other_frame_[i] = slots[i].load(state_);
}

ObjectId Execution::resolve_for(ThreadId thread, const Place& place) {
  if (!place.index) return place.base;
  load_other_frame(thread);
  EvaluationFault fault;
  const auto index = evaluate(system_, *place.index, other_frame_.data(), fault).value_or(0);
  return ObjectId(place.base.index + place.stride * static_cast<std::uint32_t>(index));
}

std::uint32_t Execution::waiters(ObjectId set) {
  options_.clear();
  waiting_threads(set, options_);
  return static_cast<std::uint32_t>(options_.size());
}

Outcome Execution::execute(const Notify& node) {
  const ObjectId set = resolve(node.set);
  if (gone_) return Outcome::Gone;
  if (!may_notify(node, set)) {
    touch(set, Effect::Held);
    return stop(FaultKind::IllegalMonitor, current().range, {}, set);
  }
  touch(set, Effect::Notify, static_cast<std::int32_t>(waiters(set)));
  const auto wake = [this](std::uint32_t thread) {
    layout_.thread(ThreadId(thread))
        .wait->store(state_, static_cast<std::int32_t>(WaitStatus::Notified));
  };
  if (node.all) {
    std::for_each(options_.begin(), options_.end(), wake);
  } else if (options_.size() == 1) {
    wake(options_[0]);
  } else if (options_.size() > 1) {
    wake(decide_among(options_));
  }
  return next();
}

Outcome Execution::execute(const Held& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  touch(lock, Effect::Held);
  if (!assign(node.target, owns(lock) ? 1 : 0)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Owner& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  touch(lock, Effect::Look);
  const ThreadId owner = layout_.owner(state_, lock);
  const std::int32_t number = owner.valid() ? static_cast<std::int32_t>(owner.index) + 1 : 0;
  if (!assign(node.target, number)) return Outcome::Gone;
  return next();
}

// ---- semaphores and channels -------------------------------------------------------------------

Outcome Execution::execute(const Up& node) {
  const ObjectId semaphore = resolve(node.semaphore);
  if (gone_) return Outcome::Gone;
  const Field& field = layout_.object(semaphore).fields[0];
  const std::int32_t before = field.load(state_);
  touch(semaphore, Effect::Up, before);
  if (before == field.hi) {
    if (system_.objects[semaphore].max)
      return stop(FaultKind::SemaphoreMax, current().range, {}, semaphore);
    limit(LimitKind::SemaphoreValue);
    return Outcome::Gone;
  }
  store(field, semaphore, 0, before + 1);
  return next();
}

Outcome Execution::execute(const Down& node) {
  const ObjectId semaphore = resolve(node.semaphore);
  if (gone_) return Outcome::Gone;
  const Field& field = layout_.object(semaphore).fields[0];
  const std::int32_t before = field.load(state_);
  if (before == 0 && !node.try_only) return Outcome::Blocked;
  touch(semaphore, before == 0 ? Effect::DownFailed : Effect::Down, before);
  if (before > 0) store(field, semaphore, 0, before - 1);
  if (node.try_only && !assign(node.success, before > 0 ? 1 : 0)) return Outcome::Gone;
  return next();
}

void Execution::push_element(ObjectId channel, const std::vector<ExprId>& values) {
  const std::vector<Field>& fields = layout_.object(channel).fields;
  const std::int32_t before = count(channel);  // it is open
  const auto first =
      static_cast<std::uint32_t>(1 + static_cast<std::size_t>(before) * values.size());
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const auto word = value(values[i]);
    if (!word) return;
    if (!fields[first + i].holds(*word)) {
      stop(FaultKind::Range, current().range, {}, channel);
      return;
    }
    store(fields[first + i], channel, first + i, *word);
  }
  store(fields[0], channel, 0, before + 1);
}

Outcome Execution::pop_element(ObjectId channel, const std::vector<LocalPlace>& targets) {
  const std::vector<Field>& fields = layout_.object(channel).fields;
  const auto words = static_cast<std::uint32_t>(system_.objects[channel].words.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!assign(targets[i], fields[1 + i].load(state_))) return Outcome::Gone;
  const std::int32_t left = content(channel).count - 1;
  const std::uint32_t used = static_cast<std::uint32_t>(left) * words;
  for (std::uint32_t i = 0; i < used; ++i)
    store(fields[1 + i], channel, 1 + i, fields[1 + i + words].load(state_));
  for (std::uint32_t i = 1 + used; i <= used + words; ++i) {  // zero bytes, whatever the range
    const std::int32_t before = fields[i].load(state_);
    std::fill_n(state_ + fields[i].offset, fields[i].width, std::uint8_t{0});
    note_change(channel, i, before, fields[i].load(state_));
  }
  store(fields[0], channel, 0, count(channel) - 1);
  return Outcome::Next;
}

Outcome Execution::violate_closed(ObjectId channel) {
  touch(channel, Effect::Closed);
  return stop(FaultKind::ClosedChannel, current().range, {}, channel);
}

/// Of a channel that is closed and empty.
Outcome Execution::receive_nothing(ObjectId channel, const std::vector<LocalPlace>& targets) {
  touch(channel, Effect::Closed);
  const std::vector<std::int32_t>& words = system_.objects[channel].initial;
  for (std::size_t i = 0; i < targets.size() && i < words.size(); ++i)
    if (!assign(targets[i], words[i])) return Outcome::Gone;
  return Outcome::Next;
}

Outcome Execution::execute(const Send& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  if (handed_ != nullptr) {
    if (meet(channel, true, {}) == Outcome::Gone || !assign(node.success, 1)) return Outcome::Gone;
    return next();
  }
  const std::int32_t before = count(channel);
  if (is_closed(channel)) return violate_closed(channel);
  const bool full = before == capacity(channel);
  if (full && !node.try_only) return Outcome::Blocked;
  touch(channel, full ? Effect::SendFailed : Effect::Send, before);
  if (!full) push_element(channel, node.values);
  if (gone_) return Outcome::Gone;
  if (node.try_only && !assign(node.success, full ? 0 : 1)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Receive& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  if (handed_ != nullptr) {
    if (meet(channel, false, node.targets) == Outcome::Gone || !assign(node.success, 1))
      return Outcome::Gone;
    return next();
  }
  const std::int32_t before = count(channel);
  if (before == 0 && !node.try_only) return Outcome::Blocked;
  const bool comes = content(channel).count > 0;
  if (is_closed(channel) && !comes) {
    const std::vector<LocalPlace> none;
    const bool is_told = node.success.has_value() || node.try_only;
    if (receive_nothing(channel, is_told ? none : node.targets) == Outcome::Gone)
      return Outcome::Gone;
  } else {
    touch(channel, comes ? Effect::Receive : Effect::ReceiveFailed, before);
    if (comes && pop_element(channel, node.targets) == Outcome::Gone) return Outcome::Gone;
  }
  if (!assign(node.success, comes ? 1 : 0)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Close& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  if (is_closed(channel)) return violate_closed(channel);
  const std::int32_t before = count(channel);
  touch(channel, Effect::Close, before);
  store(layout_.object(channel).fields[0], channel, 0, before + capacity(channel) + 1);
  return next();
}

Outcome Execution::execute(const Closed& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  touch(channel, Effect::Closed);
  if (!assign(node.target, is_closed(channel) ? 1 : 0)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Size& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  touch(channel, Effect::Size, count(channel));
  const bool is_channel = system_.objects[channel].kind == ObjectKind::Channel;
  if (!assign(node.target, is_channel ? content(channel).count : count(channel)))
    return Outcome::Gone;
  return next();
}

// ---- threads -----------------------------------------------------------------------------------

// Of several, which one it is differs in nothing that can be seen: they have the same code, and the
// first was not used or is garbage.
Outcome Execution::execute(const Spawn& node) {
  ObjectId chosen;
  // A handle that only garbage has is none.
  const bool asks = node.any || system_.has_more_places;
  if (asks && !heap_.is_empty() && !CML_MUTATION("garbage-keeps-threads")) heap_.collect(state_);
  if (system_.has_more_places && !has_room_for_thread()) {
    limit(LimitKind::Threads);
    return Outcome::Gone;
  }
  if (!node.any) {
    chosen = resolve(node.thread);
    if (gone_) return Outcome::Gone;
  } else {
    for (std::uint32_t i = 0; i < node.thread.count && !chosen.valid(); ++i) {
      const ObjectId object(node.thread.base.index + i);
      if (is_garbage(system_.objects[object].thread))
        chosen = object;
      else
        touch(object, Effect::Join);
    }
    if (!chosen.valid()) {
      limit(has_room_for_thread() ? LimitKind::Places : LimitKind::Threads);
      return Outcome::Gone;
    }
  }
  const std::vector<Field>& fields = layout_.object(chosen).fields;
  const ThreadId thread = system_.objects[chosen].thread;
  options_.clear();
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    const auto word = value(node.values[i]);
    if (!word) return Outcome::Gone;
    if (!fields[1 + i].holds(*word)) return stop(FaultKind::Range, current().range);
    options_.push_back(static_cast<std::uint32_t>(*word));
  }
  touch(chosen, Effect::Spawn);
  fields[0].store(state_, static_cast<std::int32_t>(system_.threads[thread].code.pc_location[0]));
  for (std::size_t i = 0; i < options_.size(); ++i)
    fields[1 + i].store(state_, static_cast<std::int32_t>(options_[i]));
  if (!assign(node.target, static_cast<std::int32_t>(thread.index) + 1)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Begin& node) {
  const std::vector<Field>& fields = layout_.object(node.thread.base).fields;
  touch(node.thread.base, Effect::Begin);
  for (std::size_t i = 0; i < node.targets.size(); ++i)
    if (!assign(node.targets[i], fields[1 + i].load(state_))) return Outcome::Gone;
  for (std::size_t i = 1; i < fields.size() && !CML_MUTATION("arguments-stay-in-the-state"); ++i)
    fields[i].store(state_, 0);
  return next();
}

Outcome Execution::execute(const Finish& node) {
  touch(node.thread.base, Effect::Finish);
  return next();
}

Outcome Execution::execute(const Join& node) {
  const ObjectId object = resolve(node.thread);
  if (gone_) return Outcome::Gone;
  if (!has(state_, thread_, object, Awaited::End)) return Outcome::Blocked;
  touch(object, Effect::Join);
  return next();
}

}  // namespace cml::ir
