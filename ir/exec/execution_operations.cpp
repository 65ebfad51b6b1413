// What each opcode does, in the order of ir/system.h (docs/reference.md, "Shared state",
// "Statements").
#include <algorithm>
#include <variant>

#include "ir/describe.h"
#include "ir/exec/execution.h"
#include "ir/exec/free_calls.h"
#include "ir/exec/histories.h"
#include "support/mutation.h"

namespace cml::ir {

// ---- local -------------------------------------------------------------------------------------

Outcome Execution::execute(const Set& node) {
  const auto result = value(node.value);
  if (!result) return Outcome::Gone;
  if (*result < node.bounds.lo || *result > node.bounds.hi)
    return stop(FaultKind::Range, current().range);
  if (!assign(node.target, *result)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Jump& node) { return jump(node.target); }

Outcome Execution::execute(const Branch& node) {
  const auto condition = value(node.condition);
  if (!condition) return Outcome::Gone;
  return jump(*condition != 0 ? node.if_true : node.if_false);
}

Outcome Execution::execute(const Assert& node) {
  const auto condition = value(node.condition);
  if (!condition) return Outcome::Gone;
  if (*condition != 0) return next();
  if (current().kind == kMaxStack) {
    limit(LimitKind::Stack);
    return Outcome::Gone;
  }
  return stop(fault_kind(current()), current().range, node.message);
}

Outcome Execution::execute(const Assume& node) {
  const auto condition = value(node.condition);
  if (!condition) return Outcome::Gone;
  if (*condition != 0) return next();
  leave(kAssumed);
  return Outcome::Gone;
}

Outcome Execution::execute(const Mark& node) {
  record_->marks.push_back(node.point);
  return next();
}

// ---- variables ---------------------------------------------------------------------------------

void Execution::touch(ObjectId object, Effect effect, std::int32_t before) {
  Touch result;
  result.object = object;
  result.effect = effect;
  result.before = before;
  result.pc = pc_;
  record_->touches.push_back(result);
}

void Execution::access(ObjectId object, bool is_write) {
  touch(object, is_write ? Effect::Write : Effect::Read);
  if (!thread_.valid() || system_.objects[object].kind != ObjectKind::Shared) return;
  bool counted = true;
  if (const auto& field = layout_.object(object).init) {
    const auto status = static_cast<InitStatus>(field->load(state_));
    const bool is_initialiser = system_.objects[object].init_by == thread_;
    if (status == InitStatus::Virgin && is_initialiser) {
      field->store(state_, static_cast<std::int32_t>(InitStatus::Open));
      counted = false;
    } else if (status ==
               InitStatus::Virgin) {  // this access is the violation; later ones are checked
      field->store(state_, static_cast<std::int32_t>(InitStatus::Initialised));
      record_->events.push_back(
          {FaultKind::InitOrder, thread_, pc_, current().range, {}, object, {}});
      counted = false;
    } else if (status == InitStatus::Open && is_initialiser) {
      counted = false;
    }
  }
  if (const auto& window = layout_.object(object).window)
    counted = window->load(state_) != static_cast<std::int32_t>(thread_.index) + 1;
  if (is_claimed(object)) counted = false;
  if (!counted) return;
  record_->touches.back().counted = true;
  record_->touches.back().held = static_cast<std::uint32_t>(record_->held.size());
  record_->held.resize(record_->held.size() + layout_.lock_set_words());
  layout_.held(state_, thread_, record_->held.data() + record_->touches.back().held);
}

void Execution::store(ObjectId object, std::uint32_t word, std::int32_t value_to_store) {
  const Field& field = layout_.object(object).fields[word];
  if (watch_ != nullptr)
    if (const std::int32_t before = field.load(state_); before != value_to_store)
      watch_->changes.push_back({object, word, before, value_to_store});
  field.store(state_, value_to_store);
}

Outcome Execution::read(const Read& node, bool is_access) {
  const ObjectId object = resolve(node.place);
  if (gone_) return Outcome::Gone;
  if (is_access) access(object, false);
  const std::vector<Field>& fields = layout_.object(object).fields;
  for (std::size_t i = 0; i < node.targets.size(); ++i)
    if (!assign(node.targets[i], fields[node.word + i].load(state_))) return Outcome::Gone;
  return next();
}

Outcome Execution::write(const Write& node, bool is_access) {
  const ObjectId object = resolve(node.place);
  if (gone_) return Outcome::Gone;
  const std::vector<Field>& fields = layout_.object(object).fields;
  options_.clear();
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    const auto word = value(node.values[i]);
    if (!word) return Outcome::Gone;
    if (!fields[node.word + i].holds(*word)) return stop(FaultKind::Range, current().range);
    options_.push_back(static_cast<std::uint32_t>(*word));
  }
  if (is_access) access(object, true);
  for (std::uint32_t i = 0; i < options_.size(); ++i)
    store(object, node.word + i, static_cast<std::int32_t>(options_[i]));
  return next();
}

Outcome Execution::execute(const Read& node) { return read(node, true); }
Outcome Execution::execute(const Write& node) { return write(node, true); }
Outcome Execution::execute(const ReadConstant& node) { return read(node, false); }
Outcome Execution::execute(const WriteConstant& node) { return write(node, false); }

ObjectId Execution::instance_of(ObjectId field) const {
  const Object& object = system_.objects[field];
  return ObjectId(system_.classes[object.owner].first.index + object.position);
}

bool Execution::is_claimed(ObjectId field) const {
  const Object& object = system_.objects[field];
  return object.owner.valid() && system_.classes[object.owner].is_claimed &&
         layout_.object(instance_of(field)).fields[0].load(state_) != 0;
}

// The first thread that uses it may, if no thread has made it.
bool Execution::may_use_all() {
  if (!thread_.valid()) return true;
  bool may = true;
  ObjectId other;
  for_each_place(current(), [&](const Place& place, Effects) {
    const Object& object = system_.objects[place.base];
    if (!object.owner.valid() || !system_.classes[object.owner].is_claimed ||
        object.kind == ObjectKind::Instance)
      return;
    const ObjectId instance = instance_of(resolve(place));
    const Field& claim = layout_.object(instance).fields[0];
    const std::int32_t mine = static_cast<std::int32_t>(thread_.index) + 1;
    const std::int32_t now = claim.load(state_);
    if (now == claim.hi) claim.store(state_, mine);
    if (now == 0 || now == mine || now == claim.hi || !may) return;
    may = false;
    other = instance;
  });
  if (!may) stop(FaultKind::Unshared, current().range, {}, other);
  return may;
}

// What the thread refers to is put into the state, or is said where there is no thread.
Outcome Execution::execute(const New& node) {
  const ClassId of = system_.objects[node.object.base].owner;
  if (thread_.valid()) {
    const std::vector<Field>& slots = layout_.thread(thread_).slots;
    for (std::size_t i = 0; i < frame_.size(); ++i)
      slots[i].store(state_, frame_[i]);
  }
  held_.clear();
  for (std::size_t i = 0; !thread_.valid() && i < frame_.size(); ++i)
    if (const ClassId to = code_->slots[i].type.of; to.valid()) held_.push_back({to, frame_[i]});
  const std::uint32_t place = heap_.allocate(state_, of, thread_, held_);
  if (place == 0) {
    limit(LimitKind::Objects);
    return Outcome::Gone;
  }
  const ObjectId instance(system_.classes[of].first.index + place);
  touch(instance, Effect::New);
  if (system_.classes[of].is_claimed && node.unshared) {
    const Field& claim = layout_.object(instance).fields[0];
    claim.store(state_, thread_.valid() ? static_cast<std::int32_t>(thread_.index) + 1 : claim.hi);
  }
  if (!assign(node.target, static_cast<std::int32_t>(place))) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Update& node) {
  const ObjectId object = resolve(node.place);
  if (gone_) return Outcome::Gone;
  const std::vector<Field>& fields = layout_.object(object).fields;
  if (node.kind == Update::Kind::Cas) {
    bool equal = true;
    for (std::size_t i = 0; i < node.expected.size(); ++i) {
      const auto expected = value(node.expected[i]);
      if (!expected) return Outcome::Gone;
      equal = equal && fields[node.word + i].load(state_) == *expected;
    }
    if (!equal) {
      touch(object, Effect::Read);
      if (!node.targets.empty() && !assign(node.targets[0], 0)) return Outcome::Gone;
      return next();
    }
  }
  std::vector<std::int32_t> stored;
  std::vector<std::int32_t> old;
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    const auto operand = value(node.values[i]);
    if (!operand) return Outcome::Gone;
    old.push_back(fields[node.word + i].load(state_));
    std::int64_t result = *operand;
    if (node.kind == Update::Kind::Add) result += old.back();
    const bool overflows = result < INT32_MIN || result > INT32_MAX;
    if (overflows || result < node.bounds.lo || result > node.bounds.hi ||
        !fields[node.word + i].holds(static_cast<std::int32_t>(result))) {
      // Whether it fails depends on the old value, so the transition depends on writes to it.
      touch(object, Effect::Read);
      return stop(overflows ? FaultKind::Overflow : FaultKind::Range, current().range, {}, object);
    }
    stored.push_back(static_cast<std::int32_t>(result));
  }
  touch(object, Effect::Update);
  for (std::uint32_t i = 0; i < stored.size(); ++i)
    store(object, node.word + i, stored[i]);
  for (std::size_t i = 0; i < node.targets.size(); ++i)
    if (!assign(node.targets[i], node.kind == Update::Kind::Cas ? 1 : old[i])) return Outcome::Gone;
  return next();
}

// ---- locks -------------------------------------------------------------------------------------

Outcome Execution::take_or_limit(ObjectId lock, bool& taken) {
  const ThreadId owner = layout_.owner(state_, lock);
  taken = !owner.valid() || owner == thread_;
  if (!owner.valid()) {
    touch(lock, Effect::Take);
    layout_.set_owner(state_, lock, thread_, 1);
  } else if (owner == thread_) {
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
  touch(lock, Effect::EnterWait);
  touch(lock, Effect::Give);
  const ThreadFields& fields = layout_.thread(thread_);
  fields.wait->store(state_, static_cast<std::int32_t>(WaitStatus::Waiting));
  fields.depth->store(state_, layout_.lock_depth(state_, lock));
  layout_.set_free(state_, lock);
  return next();
}

Outcome Execution::execute(const Rewait& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  const ThreadFields& fields = layout_.thread(thread_);
  const WaitStatus status = layout_.wait_status(state_, thread_);
  const bool awake = status == WaitStatus::Notified || config_.spurious_wakeups;
  if (!awake || layout_.owner(state_, lock).valid()) return Outcome::Blocked;
  if (status == WaitStatus::Waiting) touch(lock, Effect::LeaveWait);
  touch(lock, Effect::Take);
  layout_.set_owner(state_, lock, thread_, fields.depth->load(state_));
  fields.wait->store(state_, static_cast<std::int32_t>(WaitStatus::None));
  fields.depth->store(state_, 0);
  return next();
}

void Execution::waiting_threads(ObjectId lock, std::vector<std::uint32_t>& out) {
  for (const ThreadId id : system_.threads.ids()) {
    if (layout_.wait_status(state_, id) != WaitStatus::Waiting) continue;
    const Code& code = system_.threads[id].code;
    const Pc pc = code.location_pc[location(layout_, state_, id)];
    const Place& place = std::get<Rewait>(code.instructions[pc].node).lock;
    std::uint32_t at = place.base.index;
    if (place.index) {
      const std::vector<Field>& slots = layout_.thread(id).slots;
      other_frame_.resize(slots.size());
      for (std::size_t i = 0; i < slots.size(); ++i)
        other_frame_[i] = slots[i].load(state_);
      EvaluationFault fault;
      at += place.stride *
            static_cast<std::uint32_t>(
                evaluate(system_, *place.index, other_frame_.data(), fault).value_or(0));
    }
    if (at == lock.index) out.push_back(id.index);
  }
}

std::uint32_t Execution::waiters(ObjectId lock) {
  options_.clear();
  waiting_threads(lock, options_);
  return static_cast<std::uint32_t>(options_.size());
}

Outcome Execution::execute(const Notify& node) {
  const ObjectId lock = resolve(node.lock);
  if (gone_) return Outcome::Gone;
  if (!owns(lock)) {
    touch(lock, Effect::Held);
    return stop(FaultKind::IllegalMonitor, current().range, {}, lock);
  }
  touch(lock, Effect::Notify, static_cast<std::int32_t>(waiters(lock)));
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
  field.store(state_, before + 1);
  return next();
}

Outcome Execution::execute(const Down& node) {
  const ObjectId semaphore = resolve(node.semaphore);
  if (gone_) return Outcome::Gone;
  const Field& field = layout_.object(semaphore).fields[0];
  const std::int32_t before = field.load(state_);
  if (before == 0 && !node.try_only) return Outcome::Blocked;
  touch(semaphore, before == 0 ? Effect::DownFailed : Effect::Down, before);
  if (before > 0) field.store(state_, before - 1);
  if (node.try_only && !assign(node.success, before > 0 ? 1 : 0)) return Outcome::Gone;
  return next();
}

void Execution::push_element(ObjectId channel, const std::vector<ExprId>& values) {
  const std::vector<Field>& fields = layout_.object(channel).fields;
  const std::int32_t before = count(channel);
  const std::size_t first = 1 + static_cast<std::size_t>(before) * values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto word = value(values[i]);
    if (!word) return;
    if (!fields[first + i].holds(*word)) {
      stop(FaultKind::Range, current().range, {}, channel);
      return;
    }
    fields[first + i].store(state_, *word);
  }
  fields[0].store(state_, before + 1);
}

Outcome Execution::pop_element(ObjectId channel, const std::vector<LocalPlace>& targets) {
  const std::vector<Field>& fields = layout_.object(channel).fields;
  const std::size_t words = system_.objects[channel].words.size();
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!assign(targets[i], fields[1 + i].load(state_))) return Outcome::Gone;
  const std::int32_t left = count(channel) - 1;
  const std::size_t used = static_cast<std::size_t>(left) * words;
  for (std::size_t i = 0; i < used; ++i)
    fields[1 + i].store(state_, fields[1 + i + words].load(state_));
  for (std::size_t i = used; i < used + words; ++i)  // zero bytes, whatever the range
    std::fill_n(state_ + fields[1 + i].offset, fields[1 + i].width, std::uint8_t{0});
  fields[0].store(state_, left);
  return Outcome::Next;
}

Outcome Execution::execute(const Send& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  const std::int32_t before = count(channel);
  const bool full = before == layout_.object(channel).fields[0].hi;
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
  const std::int32_t before = count(channel);
  if (before == 0 && !node.try_only) return Outcome::Blocked;
  touch(channel, before == 0 ? Effect::ReceiveFailed : Effect::Receive, before);
  if (before > 0 && pop_element(channel, node.targets) == Outcome::Gone) return Outcome::Gone;
  if (node.try_only && !assign(node.success, before > 0 ? 1 : 0)) return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Size& node) {
  const ObjectId channel = resolve(node.channel);
  if (gone_) return Outcome::Gone;
  touch(channel, Effect::Size, count(channel));
  if (!assign(node.target, count(channel))) return Outcome::Gone;
  return next();
}

// ---- threads -----------------------------------------------------------------------------------

// Of several, which one it is differs in nothing that can be seen: they have the same code, and the
// first was not used or is garbage.
Outcome Execution::execute(const Spawn& node) {
  ObjectId chosen;
  if (!node.any) {
    chosen = resolve(node.thread);
    if (gone_) return Outcome::Gone;
  } else {
    // A handle that only garbage has is none.
    if (!heap_.is_empty() && !CML_MUTATION("garbage-keeps-threads")) heap_.collect(state_);
    for (std::uint32_t i = 0; i < node.thread.count && !chosen.valid(); ++i) {
      const ObjectId object(node.thread.base.index + i);
      if (is_garbage(system_.objects[object].thread))
        chosen = object;
      else
        touch(object, Effect::Join);
    }
    if (!chosen.valid()) {
      limit(LimitKind::Threads);
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

// ---- histories ---------------------------------------------------------------------------------

bool Execution::words_of(const std::vector<ExprId>& values) {
  words_.clear();
  for (const ExprId expr : values) {
    const auto word = value(expr);
    if (!word) return false;
    words_.push_back(*word);
  }
  return true;
}

bool Execution::has_specification(std::uint32_t specification, std::uint32_t method) const {
  return system_.histories != nullptr && specification < system_.specifications.size() &&
         method < system_.specifications[specification].methods.size();
}

void Execution::record_call(ObjectId history, std::uint32_t specification, std::uint32_t method,
                            bool is_response) {
  if (!record_->wants_locals) return;
  CallEvent event;
  event.thread = thread_;
  event.history = history;
  event.pc = pc_;
  event.specification = specification;
  event.method = method;
  event.is_response = is_response;
  event.before = layout_.object(history).fields[0].load(state_);
  event.first = static_cast<std::uint32_t>(record_->call_words.size());
  event.count = static_cast<std::uint32_t>(words_.size());
  record_->calls.push_back(event);
  for (const std::int32_t word : words_)
    record_->call_words.push_back(word);
}

SpecificationCalls& Execution::specification_calls() {
  if (!specification_calls_)
    specification_calls_ = std::make_unique<SpecificationCalls>(system_, config_.stop_token);
  return *specification_calls_;
}

Outcome Execution::execute(const Construct& node) {
  const ObjectId object = resolve(node.history);
  if (gone_ || !words_of(node.arguments)) return Outcome::Gone;
  if (!has_specification(node.specification, 0)) return stop(FaultKind::Internal, current().range);
  const auto after = system_.histories->construct(specification_calls().of(node.specification),
                                                  system_, node.specification, words_);
  if (!after) {
    limit(system_.histories->limit());
    return Outcome::Gone;
  }
  layout_.object(object).fields[0].store(state_, *after);
  return next();
}

Outcome Execution::execute(const Enter&) { return next(); }

Outcome Execution::execute(const Invoke& node) {
  const ObjectId object = resolve(node.history);
  if (gone_ || !words_of(node.arguments)) return Outcome::Gone;
  if (!has_specification(node.specification, node.method))
    return stop(FaultKind::Internal, current().range);
  const Field& history = layout_.object(object).fields[0];
  touch(object, Effect::Invoke);
  record_call(object, node.specification, node.method, false);
  const auto after =
      system_.histories->invoke(specification_calls().of(node.specification), system_,
                                history.load(state_), caller(), node.method, words_);
  if (!after) {
    limit(system_.histories->limit());
    return Outcome::Gone;
  }
  history.store(state_, *after);
  return next();
}

Outcome Execution::execute(const Respond& node) {
  const ObjectId object = resolve(node.history);
  if (gone_ || !words_of(node.results)) return Outcome::Gone;
  if (!has_specification(node.specification, node.method))
    return stop(FaultKind::Internal, current().range);
  const Field& history = layout_.object(object).fields[0];
  touch(object, Effect::Respond);
  record_call(object, node.specification, node.method, true);
  const History before = history.load(state_);
  const History after = system_.histories->respond(before, caller(), words_);
  if (after == kNotLinearizable && before != kNotLinearizable)
    record_->events.push_back(
        {FaultKind::Linearizability, thread_, pc_, current().range, {}, object, {}});
  history.store(state_, after);
  return next();
}

// ---- choices and blocks ------------------------------------------------------------------------

Outcome Execution::execute(const Choose& node) {
  if (script_ == nullptr && choice_ == kTooManyChoices) {
    limit(LimitKind::Choices);
    return Outcome::Gone;
  }
  const auto lo = value(node.lo);
  const auto hi = value(node.hi);
  if (!lo || !hi) return Outcome::Gone;
  const std::int64_t options = std::int64_t{*hi} - *lo + 1;
  if (options < 1) return stop(FaultKind::Range, current().range);
  const std::uint32_t option = decide(static_cast<std::uint64_t>(options));
  if (!assign(node.target, static_cast<std::int32_t>(std::int64_t{*lo} + option)))
    return Outcome::Gone;
  return next();
}

Outcome Execution::execute(const Either& node) {
  return jump(node.targets[decide(node.targets.size())]);
}

bool Execution::ready(const Select::Case& item) {
  const ObjectId object = resolve(item.place);
  return has(state_, thread_, object, awaited(item.kind));
}

void Execution::ready_cases(const Select& node, std::vector<std::uint32_t>& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < node.cases.size(); ++i)
    if (ready(node.cases[i])) out.push_back(static_cast<std::uint32_t>(i));
  if (out.size() == before && node.otherwise)
    out.push_back(static_cast<std::uint32_t>(node.cases.size()));
}

Outcome Execution::execute(const Select& node) {
  options_.clear();
  ready_cases(node, options_);
  if (gone_) return Outcome::Gone;
  if (options_.empty()) return Outcome::Blocked;
  const std::uint32_t chosen = decide_among(options_);
  for (std::size_t i = 0; i < node.cases.size(); ++i) {  // the choice depends on all of them
    if (i == chosen) continue;
    const ObjectId object = resolve(node.cases[i].place);
    if (node.cases[i].kind == Select::Kind::Acquire) {
      touch(object, Effect::Look);
    } else {
      const std::int32_t before = layout_.object(object).fields[0].load(state_);
      touch(object, Effect::Ready, before);
    }
  }
  if (chosen == node.cases.size()) return jump(*node.otherwise);
  const Select::Case& item = node.cases[chosen];
  const ObjectId object = resolve(item.place);
  const Field& amount = layout_.object(object).fields[0];
  switch (item.kind) {
    case Select::Kind::Receive:
      touch(object, Effect::Receive, count(object));
      if (pop_element(object, item.targets) == Outcome::Gone) return Outcome::Gone;
      break;
    case Select::Kind::Send:
      touch(object, Effect::Send, count(object));
      push_element(object, item.values);
      if (gone_) return Outcome::Gone;
      break;
    case Select::Kind::Down:
      touch(object, Effect::Down, amount.load(state_));
      amount.store(state_, amount.load(state_) - 1);
      break;
    case Select::Kind::Acquire: {
      bool taken = false;
      if (take_or_limit(object, taken) == Outcome::Gone) return Outcome::Gone;
      break;
    }
  }
  return jump(item.next);
}

Outcome Execution::execute(const Atomic&) { return next(); }

Outcome Execution::execute(const Guard& node) {
  const auto condition = value(node.condition);
  if (!condition) return Outcome::Gone;
  return *condition != 0 ? next() : Outcome::Blocked;
}

Outcome Execution::execute(const AtomicEnd&) { return next(); }

Outcome Execution::execute(const End&) {
  leave(kEnded);
  return Outcome::Gone;
}

// ---- pending operations -------------------------------------------------------------------------

void Execution::pretend() {
  for_each_wait(current(), [this](const Place& place, std::initializer_list<Awaited> all) {
    const ObjectId object = resolve(place);
    for (const Awaited awaited : all) {
      const Effect effect = effect_of(awaited);
      const bool is_amount = of(uses(effect).greatest()) == UseOf::Amount;
      touch(object, effect == Effect::Take && owns(object) ? Effect::Deepen : effect,
            is_amount ? count(object) : 0);
    }
  });
}

bool Execution::has(const std::uint8_t* state, ThreadId thread, ObjectId object,
                    Awaited awaited) const {
  switch (awaited) {
    case Awaited::Lock: {
      const ThreadId owner = layout_.owner(state, object);
      return !owner.valid() || owner == thread;
    }
    case Awaited::Wakeup:
      return config_.spurious_wakeups || layout_.wait_status(state, thread) == WaitStatus::Notified;
    case Awaited::Unit:
    case Awaited::Value:
      return count(state, object) > 0;
    case Awaited::End:
      return count(state, object) == std::int32_t{kEnded};
    case Awaited::Room:
      break;
  }
  return count(state, object) < layout_.object(object).fields[0].hi;
}

std::optional<bool> Execution::is_enabled(const std::uint8_t* state, ThreadId thread,
                                          Location at) const {
  const LocationWait& wait = waits_[thread][at];
  if (!wait.is_known) return std::nullopt;
  return std::all_of(wait.all.begin(), wait.all.end(),
                     [&](Awaited awaited) { return has(state, thread, wait.object, awaited); });
}

template <class Node>
bool Execution::is_enabled(const Node& node) {
  bool waits = false;
  bool goes = false;
  for_each_wait(node, [&](const Place& place, std::initializer_list<Awaited> all) {
    const ObjectId object = resolve(place);
    waits = true;
    goes = goes || std::all_of(all.begin(), all.end(), [&](Awaited awaited) {
             return has(state_, thread_, object, awaited);
           });
  });
  return goes || !waits;
}

void Execution::choices(std::vector<Action>& out) {
  const auto add = [&](std::uint32_t choice) { out.push_back({thread_, choice}); };
  const auto add_options = [&] { std::for_each(options_.begin(), options_.end(), add); };
  options_.clear();
  std::visit(Cases{[&](const Choose& node) {
                     const auto lo = value(node.lo);
                     const auto hi = value(node.hi);
                     if (!lo || !hi) return;
                     const std::int64_t options = std::int64_t{*hi} - *lo + 1;
                     if (options > kMaxChoices) return add(kTooManyChoices);
                     for (std::int64_t i = 0; i < options; ++i)
                       add(static_cast<std::uint32_t>(i));
                   },
                   [&](const Either& node) {
                     for (std::size_t i = 0; i < node.targets.size(); ++i)
                       add(static_cast<std::uint32_t>(i));
                   },
                   [&](const Select& node) {
                     ready_cases(node, options_);
                     add_options();
                   },
                   [&](const Notify& node) {
                     const ObjectId lock = resolve(node.lock);
                     if (!node.all && owns(lock)) waiting_threads(lock, options_);
                     if (options_.size() < 2) return add(0);
                     add_options();
                   },
                   [&](const auto& node) {  // nothing to choose
                     if (is_enabled(node)) add(0);
                   }},
             current().node);
}

}  // namespace cml::ir
