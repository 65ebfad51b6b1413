// Numbers for points and for the touches of instructions.
#include "ir/analysis/news.h"

#include <variant>

#include "ir/visibility.h"

namespace cml::ir {
namespace {

constexpr News::Number kNothing = 0;  // heard from the beginning
constexpr std::size_t kMaxNumbers = 1U << 20;
constexpr std::uint32_t kMaxEach = 1U << 12;  // objects that one instruction can mean

bool all_exact(const System& system, const HeldLocks& held, ThreadId thread) {
  for (Pc pc = 0; pc < system.threads[thread].code.instructions.size(); ++pc)
    if (!held.is_exact(thread, pc)) return false;
  return true;
}

}  // namespace

News::News(const System& system, const HeldLocks& held, const IdVector<ObjectId, bool>& in_state,
           bool joins)
    : arrivals_(system), heard_(1 + system.points.size(), 0) {
  heard_[kNothing] = 1;
  for (const ThreadId thread : system.threads.ids()) {
    const std::vector<Instruction>& code = system.threads[thread].code.instructions;
    std::vector<Touches> touches(code.size());
    const bool is_exact = all_exact(system, held, thread);
    Pc region_end = 0;
    for (Pc pc = 0; pc < code.size(); ++pc) {
      if (const auto* atomic = std::get_if<Atomic>(&code[pc].node)) region_end = atomic->end;
      const bool locks_are_followed = !is_exact && (joins || pc < region_end);
      if (held.is_exact(thread, pc))
        touches[pc] = number(system, code[pc], locks_are_followed, in_state);
    }
    touches_.push(std::move(touches));
    const Code& all = system.threads[thread].code;
    arrivals_.at(thread, kEnded) = end(held, thread, all);
    for (Location at = kFirstLocation; at < all.location_pc.size(); ++at) {
      const Pc pc = all.location_pc[at];
      arrivals_.at(thread, at) = arrival(held, thread, pc, code[pc]);
    }
  }
}

News::Touches News::end(const HeldLocks& held, ThreadId thread, const Code& code) {
  bool may_hold = false;
  for (Pc pc = 0; pc < code.instructions.size(); ++pc)
    if (code.instructions[pc].opcode() == Opcode::End)
      held.for_each(thread, pc,
                    [&](ObjectId, LockDepth depth) { may_hold = may_hold || depth.greatest > 0; });
  Touches result;
  if (!may_hold) result.first = kNothing;
  return result;
}

News::Touches News::arrival(const HeldLocks& held, ThreadId thread, Pc pc,
                            const Instruction& instruction) {
  Touches nothing;
  nothing.first = kNothing;
  const auto* acquire = std::get_if<Acquire>(&instruction.node);
  if (acquire == nullptr) return nothing;
  if (!held.is_exact(thread, pc)) return {};
  if (held.certainly(thread, pc).empty()) return nothing;
  return new_numbers(&acquire->lock);
}

News::Touches News::new_numbers(const Place* each) {
  Touches result;
  result.first = static_cast<Number>(heard_.size());
  if (each != nullptr) {
    result.base = each->base.index;
    result.stride = each->index ? each->stride : 1;
    result.count = each->index ? each->count : 1;
    if (result.count > kMaxEach) return {};
  }
  if (heard_.size() + result.count > kMaxNumbers) return {};
  heard_.resize(heard_.size() + result.count, 0);
  return result;
}

News::Touches News::number(const System& system, const Instruction& instruction,
                           bool locks_are_followed, const IdVector<ObjectId, bool>& in_state) {
  const auto variable = [&](const Place& place) {
    if (system.objects[place.base].kind != ObjectKind::Shared) return new_numbers(nullptr);
    bool always = false;
    for_each_object(place, [&](ObjectId id) {
      always = always || in_state[id] || system.objects[id].init_by.has_value();
    });
    return always ? Touches() : new_numbers(&place);
  };
  switch (instruction.opcode()) {
    case Opcode::Read:
      return variable(std::get<Read>(instruction.node).place);
    case Opcode::Write:
      return variable(std::get<Write>(instruction.node).place);
    case Opcode::Acquire:
    case Opcode::TryAcquire:
    case Opcode::Release:
    case Opcode::Rewait:
    case Opcode::Held: {
      if (locks_are_followed) return {};
      Touches nothing;
      nothing.first = kNothing;
      return nothing;
    }
    case Opcode::Wait:
      if (locks_are_followed) return {};
      return new_numbers(&std::get<Wait>(instruction.node).lock);
    case Opcode::Notify:
      return new_numbers(&std::get<Notify>(instruction.node).lock);
    case Opcode::Update:
    case Opcode::Up:
    case Opcode::Down:
    case Opcode::Send:
    case Opcode::Receive:
    case Opcode::Size:
      return new_numbers(nullptr);
    case Opcode::Select:
      return locks_are_followed ? Touches() : new_numbers(nullptr);
    default:  // no touches
      return {};
  }
}

}  // namespace cml::ir
