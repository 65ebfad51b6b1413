// Numbers for points and for the touches of instructions.
#include "ir/exec/observations.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ir/describe.h"
#include "ir/expression_value.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

constexpr Observations::Number kNothing = 0;  // counts as recorded from the beginning
constexpr std::size_t kMaxNumbers = 1U << 20;
constexpr std::uint64_t kMaxEach = 1U << 14;  // of one instruction

bool all_exact(const System& system, const HeldLocks& held, ThreadId thread) {
  for (Pc pc = 0; pc < system.threads[thread].code.instructions.size(); ++pc)
    if (!held.is_exact(thread, pc)) return false;
  return true;
}

/// Has instructions other than operations that touch objects: a transition may end with one.
bool makes_objects(const Code& code) {
  return std::any_of(code.instructions.begin(), code.instructions.end(),
                     [](const Instruction& it) { return it.opcode() == Opcode::New; });
}

}  // namespace

Observations::Observations(const System& system, const HeldLocks& held,
                           const IdVector<ObjectId, bool>& in_state, bool joins)
    : arrivals_(system), recorded_(1 + system.points.size(), 0) {
  recorded_[kNothing] = 1;
  for (const ThreadId thread : system.threads.ids()) {
    const Code& code = system.threads[thread].code;
    std::vector<Touches> touches;
    const bool is_exact = all_exact(system, held, thread);
    const bool is_joined =
        joins || (makes_objects(code) && !CML_MUTATION("locks-are-not-followed-to-new-objects"));
    Pc region_end = 0;
    for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
      if (const auto* atomic = std::get_if<Atomic>(&code.instructions[pc].node))
        region_end = atomic->end;
      const bool locks_are_followed =
          !is_exact && (is_joined || pc < region_end) && !CML_MUTATION("locks-are-never-followed");
      touches.push_back(number({system, held, thread, pc}, locks_are_followed, in_state));
    }
    touches_.push(std::move(touches));
    arrivals_.at(thread, kStopped).first = kNothing;
    arrivals_.at(thread, kEnded) = end(held, thread, code);
    for (Location at = kFirstLocation; at < code.location_pc.size(); ++at)
      arrivals_.at(thread, at) = arrival({system, held, thread, code.location_pc[at]});
  }
}

// A fault while the condition is evaluated is another violation, unless it cannot be distinguished.
Observations::Number Observations::of(const System& system, const Event& event) const {
  if (!event.thread.valid()) return Touches::kAlways;
  const Instruction& instruction = system.threads[event.thread].code.instructions[event.pc];
  const bool is_its_own =
      instruction.opcode() == Opcode::Assert &&
      (CML_MUTATION("an-assertion-that-failed-hides-what-its-condition-does") ||
       (event.range == instruction.range && event.kind == fault_kind(instruction))) &&
      event.kind != FaultKind::Internal && !event.object.valid();
  return is_its_own ? touches(event.thread, event.pc).first : Touches::kAlways;
}

Observations::Touches Observations::end(const HeldLocks& held, ThreadId thread, const Code& code) {
  bool may_hold = false;
  for (Pc pc = 0; pc < code.instructions.size(); ++pc)
    if (code.instructions[pc].opcode() == Opcode::End)
      held.for_each(thread, pc,
                    [&](ObjectId, LockDepth depth) { may_hold = may_hold || depth.greatest > 0; });
  Touches result;
  if (!may_hold || CML_MUTATION("ends-are-never-observed")) result.first = kNothing;
  return result;
}

Observations::Touches Observations::arrival(const At& at) {
  Touches nothing;
  nothing.first = kNothing;
  const Operation& node = at.system.threads[at.thread].code.instructions[at.pc].node;
  const auto* acquire = std::get_if<Acquire>(&node);
  if (acquire == nullptr) return nothing;
  if (at.held.is_exact(at.thread, at.pc) && at.held.certainly(at.thread, at.pc).empty())
    return nothing;
  if (CML_MUTATION("arrivals-are-never-observed")) return nothing;
  return new_numbers(CML_MUTATED("arrivals-are-observed-for-one-lock", &acquire->lock, nullptr),
                     &at);
}

Observations::Touches Observations::new_numbers(const Place* each, const At* held) {
  Touches result;
  if (each != nullptr) {
    result.base = each->base.index;
    result.stride = each->index ? each->stride : 1;
    result.count = each->index ? each->count : 1;
    if (CML_MUTATION("all-objects-of-an-access-have-one-number")) {
      result.stride = 0;
      result.count = 1;
    }
  }
  std::uint64_t all = result.count;
  if (held != nullptr) {
    if (!held->held.is_determined(held->thread, held->pc) &&
        !CML_MUTATION("accesses-with-unknown-locks-are-observed-once"))
      return {};
    for (const ChosenLock& lock : held->held.chosen(held->thread, held->pc)) {
      result.choices.push_back(
          {lock, CML_MUTATED("all-that-is-chosen-has-one-number", static_cast<Number>(all), 0)});
      all *= lock.place.count;
      if (all > kMaxEach) return {};
    }
    if (!result.choices.empty()) result.certain = held->held.certainly(held->thread, held->pc);
  }
  if (all > kMaxEach || recorded_.size() + all > kMaxNumbers) return {};
  result.first = static_cast<Number>(recorded_.size());
  result.all = static_cast<Number>(all);
  recorded_.resize(recorded_.size() + all, 0);
  return result;
}

// What depends on the slots that choose locks is read by the transition:
// jit/location_dependencies.cpp, tells_locks.
Observations::Touches Observations::number(const At& at, bool locks_are_followed,
                                           const IdVector<ObjectId, bool>& in_state) {
  const Touches nothing = [] {
    Touches result;
    result.first = kNothing;
    return result;
  }();
  const auto variable = [&](const Place& place) {
    if (at.system.objects[place.base].kind != ObjectKind::Shared) return new_numbers(nullptr, &at);
    bool always = false;
    for_each_object(place, [&](ObjectId id) {
      always =
          always || (in_state[id] && !CML_MUTATION("what-is-kept-in-each-state-is-observed-once"));
    });
    return always ? Touches() : new_numbers(&place, &at);
  };
  const Instruction& instruction = at.system.threads[at.thread].code.instructions[at.pc];
  if (instruction.opcode() == Opcode::Assert) return new_numbers(nullptr, nullptr);
  const auto* wait = std::get_if<Wait>(&instruction.node);
  if (instruction.opcode() == Opcode::Select || (wait != nullptr && wait->condition))
    return locks_are_followed ? Touches() : new_numbers(nullptr, &at);
  Touches result;  // where there are none
  for_each_place(instruction, [&](const Place& place, Effects effects) {
    switch (at.system.objects[place.base].kind) {
      case ObjectKind::Shared:
      case ObjectKind::Atomic:
        result = variable(place);
        return;
      case ObjectKind::Lock:
        if (effects.contains(Effect::Notify)) {
          result = new_numbers(&place, nullptr);
        } else if (!locks_are_followed) {
          result = effects.contains(Effect::EnterWait) ? new_numbers(&place, nullptr) : nothing;
        }
        return;
      case ObjectKind::Condition:
        if (effects.contains(Effect::Notify))
          result = new_numbers(nullptr, &at);
        else if (!locks_are_followed)
          result = nothing;
        return;
      case ObjectKind::Semaphore:
      case ObjectKind::Channel:
        result = new_numbers(nullptr, &at);
        return;
      case ObjectKind::Life:
      case ObjectKind::History:
        result = nothing;
        return;
      case ObjectKind::Instance:  // in every record: with it the candidates begin anew
        return;
    }
  });
  return result;
}

}  // namespace cml::ir
