// Summaries from records, and the table of what commutes with what.
#include "checker/reduction/dependency.h"

#include <algorithm>
#include <xxhash.h>

#include "ir/analysis/confined_classes.h"
#include "ir/exec/rendezvous.h"
#include "support/mutation.h"

namespace cml::checker {

using ir::Effect;

namespace {

/// It changes who owns the lock, or how deeply.
bool is_lock_effect(Effect effect) { return ir::uses(effect).meets(Use::Take | Use::Give); }

}  // namespace

Dependency::Dependency(const ir::System& system, const ir::Layout& layout, const MethodCalls* calls,
                       Visits visits, bool keeps_order)
    : system_(system),
      layout_(layout),
      calls_(calls),
      keeps_order_(keeps_order),
      watched_(system, visits),
      decisions_(system, visits),
      keys_(system) {
  if (system.classes.empty() || CML_MUTATION("sleep-sets-are-not-renumbered")) return;
  const IdVector<ir::ClassId, bool> confined = ir::confined_classes(system);
  const auto is_confined = [&](ir::ObjectId id) {
    const ir::ClassId of = system.objects[id].owner;
    return of.valid() && confined[of];
  };
  for (const ir::ObjectId id : system.objects.ids())
    stands_for_.push_back(is_confined(id) ? kNothing : Keys::of(representative(system, id)));
  for (const ir::ObjectId id : system.objects.ids())
    stands_for_.push_back(is_confined(id) ? kNothing : keys_.wait_set(representative(system, id)));
}

// ---- summaries ---------------------------------------------------------------------------------

void Dependency::change(ir::ObjectId object, Use use) {
  add(Keys::of(object), use);
  change_properties(object);
}

void Dependency::change_properties(ir::ObjectId object) {
  if (CML_MUTATION("watched-properties-dropped")) return;
  for (const std::uint32_t property : watched_.by(object))
    add(keys_.property(property), Use::Write);
}

void Dependency::touch(const ir::Touch& touch, const std::uint8_t* before) {
  const ir::ObjectId object = touch.object;
  const ir::Uses uses = ir::uses(touch.effect);
  if (uses.empty()) return;
  const Use use = uses.greatest();  // an update is a write
  switch (ir::of(use)) {
    case ir::UseOf::Lock:
      return;  // locks() adds the net effect
    case ir::UseOf::WaitSet:
      return CML_MUTATION("wait-set-dropped") ? void() : add(keys_.wait_set(object), use);
    case ir::UseOf::Life:
      return use == Use::Spawn ? change(object, use) : add(Keys::of(object), use);
    case ir::UseOf::History:
      return change(object, use);
    case ir::UseOf::Variable:
    case ir::UseOf::Amount: {
      if (ir::changes(use)) return change(object, use);
      // The first access to a virgin object changes its initialisation status.
      const auto& status = layout_.object(object).init;
      const bool is_virgin =
          status && status->load(before) == static_cast<std::int32_t>(ir::InitStatus::Virgin);
      return add(Keys::of(object),
                 is_virgin && !CML_MUTATION("virgin-read-counts-as-a-read") ? Use::Write : use);
    }
    case ir::UseOf::Thread:
      return;  // of no object: summary() adds it
  }
}

// What a block may read before it decides (choice_dependence.h).
void Dependency::look(ir::ObjectUse use) {
  switch (ir::of(use.use)) {
    case ir::UseOf::Variable:
      return use.use == Use::Read ? add(Keys::of(use.object), Use::Read) : void();
    case ir::UseOf::Lock:
      return use.use == Use::Give ? void() : add(Keys::of(use.object), Use::Look);
    case ir::UseOf::WaitSet:
      return add(keys_.wait_set(use.object), Use::Notify);
    case ir::UseOf::Amount:
      return add(Keys::of(use.object), Use::Observe);
    case ir::UseOf::Life:     // which no block uses
    case ir::UseOf::History:  // on which no choice depends
    case ir::UseOf::Thread:
      return;
  }
}

// Whether the thread owned the lock before follows from the first effect, whether it owns it now
// from the state after.
void Dependency::lock_effect(ir::ObjectId lock, Effect first, ir::ThreadId thread, bool looked,
                             const std::uint8_t* after) {
  const bool held_at_end = layout_.owner(after, lock) == thread;
  if (first == Effect::Take)
    return held_at_end && !CML_MUTATION("kept-locks-count-as-passed")
               ? change(lock, Use::Take)
               : add(Keys::of(lock), Use::Pass);
  if (is_lock_effect(first)) {
    if (!held_at_end && !CML_MUTATION("give-dropped")) change(lock, Use::Give);
  } else if (looked && !CML_MUTATION("look-dropped")) {
    add(Keys::of(lock), Use::Look);
  }
}

void Dependency::locks(std::span<const ir::Touch> touches, ir::ThreadId thread,
                       const std::uint8_t* after) {
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const ir::ObjectId lock = touches[i].object;
    if (system_.objects[lock].kind != ir::ObjectKind::Lock) continue;
    const auto same = [lock](const ir::Touch& other) { return other.object == lock; };
    const auto end = touches.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(touches.begin(), end, same)) continue;  // seen already
    Effect first = Effect::Held;
    bool looked = false;
    for (const ir::Touch& other : touches.subspan(i)) {
      if (!same(other)) continue;
      looked = looked || other.effect == Effect::Look;
      if (first == Effect::Held && is_lock_effect(other.effect)) first = other.effect;
    }
    lock_effect(lock, first, thread, looked, after);
    // A tryAcquire that failed, and then perhaps one that succeeded: then both.
    if (looked && first == Effect::Take && !CML_MUTATION("look-dropped"))
      add(Keys::of(lock), Use::Look);
  }
}

SummaryId Dependency::summary(const ir::Record& record, Extent extent, const std::uint8_t* before,
                              const std::uint8_t* after, bool stops) {
  uses_.clear();
  if (stops) add(Keys::stop(), Use::Write);
  if (record.micros.empty()) return intern();
  const std::size_t partner = ir::partner_part(record);
  add_part(record, 0, partner, extent, before, after);
  if (partner < record.micros.size() && !CML_MUTATION("what-partners-do-is-dropped"))
    add_part(record, partner, record.micros.size(), extent, before, after);
  return intern();
}

void Dependency::add_part(const ir::Record& record, std::size_t from, std::size_t to, Extent extent,
                          const std::uint8_t* before, const std::uint8_t* after) {
  const auto touches_before = [&record](std::size_t micro) -> std::size_t {
    return micro < record.micros.size() ? record.micros[micro].touches : record.touches.size();
  };
  const ir::Micro& micro = record.micros[from];
  const ir::ThreadId thread = micro.action.thread;
  const bool first_only = extent == Extent::First && to - from > 1;
  const std::size_t begin = micro.touches;
  const std::size_t end = touches_before(first_only ? from + 1 : to);
  const std::span<const ir::Touch> touches(record.touches.data() + begin, end - begin);
  const MethodCalls::Call* const call = calls_ == nullptr ? nullptr : calls_->at(thread, micro.pc);
  const std::size_t of_first = touches_before(from + 1) - begin;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    if (call == nullptr || i >= of_first || !calls_->replaces(*call, touches[i].object))
      touch(touches[i], before);
    else if (ir::uses(touches[i].effect).contains(Use::Write))
      change_properties(touches[i].object);
  }
  if (call != nullptr)
    for (const CallUse use : call->uses)
      add(Keys::call(use.pair), use.use);
  if (first_only && !CML_MUTATION("responses-of-the-invisible-run-dropped")) {
    // What follows is invisible, and commutes by MLD′: all but the responses of calls.
    for (std::size_t i = end; i < touches_before(to); ++i)
      if (record.touches[i].effect == Effect::Respond) touch(record.touches[i], before);
  }
  if (first_only) {
    // A lock that it takes is held at the end of this micro-transition, whatever follows.
    for (const ir::Touch& one : touches) {
      if (one.effect == Effect::Take && !CML_MUTATION("take-dropped-from-first-micro-transitions"))
        change(one.object, Use::Take);
      if (one.effect == Effect::Give && CML_MUTATION("give-dropped-from-first-micro-transitions"))
        continue;
      if (one.effect == Effect::Look && CML_MUTATION("look-dropped-from-first-micro-transitions"))
        continue;
      if (one.effect == Effect::Give && !CML_MUTATION("give-dropped"))
        change(one.object, Use::Give);
      if (one.effect == Effect::Look && !CML_MUTATION("look-dropped"))
        add(Keys::of(one.object), Use::Look);
    }
  } else {
    locks(touches, thread, after);
  }
  for (const ir::ObjectUse use : decisions_.looks(thread, micro.pc))
    if (!CML_MUTATION("numbers-of-choices-do-not-move")) look(use);
  const ir::Location at = location(layout_, after, thread);
  for (const std::uint32_t property : watched_.at(thread, at))
    add(keys_.property(property), Use::Write);
  if (at == ir::kEnded && !CML_MUTATION("ends-are-not-watched"))
    for (const std::uint32_t property : watched_.at_end(thread))
      add(keys_.property(property), Use::Write);
}

SummaryId Dependency::pending(const ir::Record& record, ir::ThreadId thread, ir::Pc pc) {
  uses_.clear();
  const bool is_block =
      system_.threads[thread].code.instructions[pc].opcode() == ir::Opcode::Atomic;
  for (const ir::ObjectUse use : decisions_.looks(thread, pc))
    look(use);
  for (const ir::Touch& one : record.touches) {
    if (is_block || ir::uses(one.effect).empty()) continue;
    const Use use = ir::uses(one.effect).greatest();
    if (one.effect == Effect::Deepen) continue;  // the thread's own lock
    add(own_key({one.object, use}), use);
  }
  return intern();
}

void Dependency::add_use(ir::ObjectUse use) {
  if (!use.object.valid()) return;  // the end of the thread
  const bool is_initialised = system_.objects[use.object].init_by.has_value();  // reads write that
  if (is_initialised && use.use == Use::Read) use.use = Use::Write;
  if (ir::changes(use.use) && ir::of(use.use) != ir::UseOf::WaitSet)
    return change(use.object, use.use);
  add(own_key(use), use.use);
}

SummaryId Dependency::widened(SummaryId id, std::span<const ir::ObjectUse> uses,
                              bool same_objects) {
  const std::span<const KeyUse> known = this->uses(id);
  uses_.assign(known.begin(), known.end());
  for (const ir::ObjectUse use : uses)
    if (use.object.valid() &&
        (!same_objects || std::any_of(known.begin(), known.end(),
                                      [key = key(use)](KeyUse one) { return one.key == key; })))
      add_use(use);
  return intern();
}

SummaryId Dependency::intern() {
  std::sort(uses_.begin(), uses_.end());
  // Twice the same use of a semaphore or channel is "several"; so are two different ones.
  std::size_t out = 0;
  for (std::size_t i = 0; i < uses_.size();) {
    std::size_t end = i + 1;
    while (end < uses_.size() && uses_[end].key == uses_[i].key)
      ++end;
    if (end - i > 1 && ir::of(uses_[i].use) == ir::UseOf::Amount) {
      const bool look = std::all_of(uses_.begin() + static_cast<std::ptrdiff_t>(i),
                                    uses_.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](const KeyUse& one) { return ir::looks(one.use); });
      uses_[out++] = {uses_[i].key,
                      look ? uses_[end - 1].use  // the stronger one
                           : CML_MUTATED("several-counts-as-one", Use::Several, uses_[i].use)};
    } else {
      for (std::size_t k = i; k < end; ++k)
        if (k == i || uses_[k] != uses_[k - 1]) uses_[out++] = uses_[k];
    }
    i = end;
  }
  uses_.resize(out);

  std::uint64_t mask = 0;
  std::uint64_t hash = out;
  for (const KeyUse& use : uses_) {
    mask |= std::uint64_t{1} << (use.key % 64);
    const std::uint64_t packed = std::uint64_t{use.key} << 8 | static_cast<std::uint64_t>(use.use);
    hash = XXH3_64bits_withSeed(&packed, sizeof packed, hash);
  }
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const std::span<const KeyUse> known = uses(summaries_[it->second]);
    if (std::equal(known.begin(), known.end(), uses_.begin(), uses_.end())) return it->second;
  }
  const auto begin = static_cast<std::uint32_t>(pool_.size());
  pool_.insert(pool_.end(), uses_.begin(), uses_.end());
  const SummaryId id = summaries_.push({mask, begin, static_cast<std::uint32_t>(pool_.size())});
  by_hash_.emplace(hash, id);
  return id;
}

std::uint64_t Dependency::memory() const {
  return pool_.capacity() * sizeof(KeyUse) + summaries_.size() * (sizeof(Summary) + 40);
}

// ---- independence ------------------------------------------------------------------------------

bool Dependency::dependent(SummaryId a, SummaryId b, const std::uint8_t* state) const {
  const Summary& left = summaries_[a];
  const Summary& right = summaries_[b];
  if ((left.mask & right.mask) == 0) return false;
  const std::span<const KeyUse> xs = uses(left);
  const std::span<const KeyUse> ys = uses(right);
  std::size_t from = 0;
  for (const KeyUse& x : xs) {
    while (from < ys.size() && ys[from].key < x.key)
      ++from;
    for (std::size_t j = from; j < ys.size() && ys[j].key == x.key; ++j)
      if (conflict(x.key, x.use, ys[j].use, state) &&
          !(x.key == Keys::stop() && CML_MUTATION("stops-do-not-conflict")))
        return true;
  }
  return false;
}

/// With a mistake (support/mutation.h).
static bool commute_by_mistake(Use a, Use b) {
  const auto one_is = [a, b](Use use) { return a == use || b == use; };
  const auto both_are = [a, b](Use use) { return a == use && b == use; };
  return (one_is(Use::Pass) && CML_MUTATION("pass-conflicts-with-nothing")) ||
         (one_is(Use::Look) && CML_MUTATION("look-conflicts-with-nothing")) ||
         (one_is(Use::Close) && CML_MUTATION("close-conflicts-with-nothing")) ||
         (one_is(Use::Closed) && CML_MUTATION("closed-conflicts-with-nothing")) ||
         (one_is(Use::Observe) && CML_MUTATION("observe-conflicts-with-nothing")) ||
         (both_are(Use::Write) && CML_MUTATION("two-of-write-commute")) ||
         (both_are(Use::Take) && CML_MUTATION("two-of-take-commute")) ||
         (both_are(Use::Give) && CML_MUTATION("two-of-give-commute")) ||
         (both_are(Use::Notify) && CML_MUTATION("two-of-notify-commute")) ||
         (one_is(Use::Invoke) && one_is(Use::Respond) &&
          CML_MUTATION("invocations-and-responses-commute"));
}

bool leaves_an_order(Use a, Use b) {
  return (a == Use::Pass && b == Use::Pass) || (a == Use::Up && b == Use::Down) ||
         (a == Use::Down && b == Use::Up);
}

std::optional<bool> conflict_by_kind(Use a, Use b) {
  if (commute_by_mistake(a, b)) return false;
  return ir::conflict(a, b);
}

bool Dependency::conflict(std::uint32_t key, Use a, Use b, const std::uint8_t* state) const {
  if (keeps_order_ && leaves_an_order(a, b)) return true;
  if (const auto known = conflict_by_kind(a, b)) return *known;
  if (state == nullptr) return true;
  if (a > b) std::swap(a, b);
  const ir::ObjectId object(key);
  if (system_.objects[object].owner.valid()) return true;  // of any object of the class
  return system_.objects[object].kind == ir::ObjectKind::Semaphore
             ? semaphore_conflict(object, a, b, state)
             : channel_conflict(object, a, b, state);
}

bool Dependency::semaphore_conflict(ir::ObjectId object, Use a, Use b,
                                    const std::uint8_t* state) const {
  const std::int32_t value = layout_.object(object).fields[0].load(state);
  const std::int32_t max = layout_.object(object).fields[0].hi;
  if (a == Use::Up && b == Use::Up)
    return value > CML_MUTATED("two-ups-always-commute", max - 2, max);
  if (a == Use::Up && b == Use::Down)
    return !(0 < value && value < max) && !CML_MUTATION("up-and-down-always-commute");
  if (a == Use::Down && b == Use::Down)
    return value < 2 && !CML_MUTATION("two-downs-always-commute");
  return true;
}

bool Dependency::channel_conflict(ir::ObjectId object, Use a, Use b,
                                  const std::uint8_t* state) const {
  const std::int32_t count = layout_.object(object).fields[0].load(state);
  const auto capacity = static_cast<std::int32_t>(system_.objects[object].capacity);
  if (a == Use::Send && b == Use::Receive)
    return !(0 < count && count < capacity) && !CML_MUTATION("send-and-receive-always-commute");
  return true;
}

}  // namespace cml::checker
