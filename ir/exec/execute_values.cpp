// What the opcodes do that compute and keep values: locals, jumps and assertions, variables,
// objects of the heap (docs/reference.md, "Shared state", "Statements").
#include "ir/describe.h"
#include "ir/exec/execution.h"
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
  if (watch_ != nullptr && watch_->wants_branches)
    watch_->branches.push_back({thread_, pc_, *condition != 0});
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

void Execution::store(const Field& field, ObjectId object, std::uint32_t word,
                      std::int32_t value_to_store) {
  const std::int32_t before = field.load(state_);
  field.store(state_, value_to_store);
  note_change(object, word, before, value_to_store);
}

void Execution::note_change(ObjectId object, std::uint32_t word, std::int32_t before,
                            std::int32_t after) {
  if (watch_ != nullptr && watch_->only_changes && before != after)
    watch_->changes.push_back({object, word, before, after});
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
    store(fields[node.word + i], object, node.word + i, static_cast<std::int32_t>(options_[i]));
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
    if (CML_MUTATED("sums-of-atomics-do-not-wrap", node.wraps, false))
      result = modulo(result, node.bounds.hi);
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
    store(fields[node.word + i], object, node.word + i, stored[i]);
  for (std::size_t i = 0; i < node.targets.size(); ++i)
    if (!assign(node.targets[i], node.kind == Update::Kind::Cas ? 1 : old[i])) return Outcome::Gone;
  return next();
}

}  // namespace cml::ir
