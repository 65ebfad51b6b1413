#include "ir/promela/decisions.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

namespace cml::ir::promela {
namespace {

constexpr unsigned kMaxSteps = 5000;
constexpr std::size_t kMaxText = 20'000;

}  // namespace

Value ready(const Select::Case& item, const Objects& objects, const Frame& frame) {
  const std::string object = objects.reference(item.place, frame);
  switch (item.kind) {
    case Select::Kind::Receive:
      return condition(object + ".size > 0");
    case Select::Kind::Send:
      return condition(fmt::format("{}.size < {}", object, objects.capacity(item.place)));
    case Select::Kind::Down:
      return condition(object + " > 0");
    case Select::Kind::Acquire:
      break;
  }
  return {fmt::format("available({})", object), 0, 1, Level::Atom};
}

Value enabled(const Instruction& instruction, const Objects& objects, const Frame& frame) {
  Select::Case single;
  const auto can = [&](Select::Kind kind, const Place& place) {
    single.kind = kind;
    single.place = place;
    return ready(single, objects, frame);
  };
  if (const auto* acquire = std::get_if<Acquire>(&instruction.node))
    return can(Select::Kind::Acquire, acquire->lock);
  if (const auto* down = std::get_if<Down>(&instruction.node))
    return down->try_only ? constant(1) : can(Select::Kind::Down, down->semaphore);
  if (const auto* send = std::get_if<Send>(&instruction.node))
    return send->try_only ? constant(1) : can(Select::Kind::Send, send->channel);
  if (const auto* receive = std::get_if<Receive>(&instruction.node))
    return receive->try_only ? constant(1) : can(Select::Kind::Receive, receive->channel);
  const auto* select = std::get_if<Select>(&instruction.node);
  if (select == nullptr || select->otherwise) return constant(1);
  Value result = constant(0);
  for (const Select::Case& item : select->cases)
    result = any(result, ready(item, objects, frame));
  return result;
}

std::unique_ptr<Decision> Decisions::leaf(Decision::Kind kind, Value condition) {
  auto result = std::make_unique<Decision>();
  result->kind = kind;
  result->condition = std::move(condition);
  return result;
}

std::unique_ptr<Decision> Decisions::fault(FaultKind kind, SourceRange range) {
  auto result = leaf(Decision::Kind::Fault);
  result->fault = kind;
  result->range = range;
  return result;
}

std::unique_ptr<Decision> Decisions::branch(Value condition, std::unique_ptr<Decision> yes,
                                            std::unique_ptr<Decision> no) {
  if (const auto known = condition.constant()) return *known != 0 ? std::move(yes) : std::move(no);
  if (condition.text.size() > kMaxText) too_large_ = true;
  auto result = leaf(Decision::Kind::Branch, std::move(condition));
  result->yes = std::move(yes);
  result->no = std::move(no);
  return result;
}

std::unique_ptr<Decision> Decisions::from(Pc pc, Frame frame) {
  auto result = walk(pc, std::move(frame));
  if (too_large_) return nullptr;
  return result;
}

template <class Rest>
std::unique_ptr<Decision> Decisions::checked(ExprId expr, Frame& frame, SourceRange range,
                                             Rest rest) {
  std::vector<Fault> found;
  faults(system_, expr, frame, found);
  std::unique_ptr<Decision> result = rest();
  for (; !found.empty(); found.pop_back()) {
    const Fault& last = found.back();
    result = branch(last.condition, fault(last.kind, last.range.file.valid() ? last.range : range),
                    std::move(result));
  }
  return result;
}

bool Decisions::store(Frame& frame, const LocalPlace& target, Value stored) {
  std::size_t slot = target.slot;
  if (target.index) {
    const auto index = value(system_, *target.index, frame).constant();
    if (!index) return false;
    slot += static_cast<std::size_t>(*index);
  }
  if (stored.text.size() > kMaxText) return false;
  frame.slots[slot].value = std::move(stored);
  frame.slots[slot].is_variable = false;
  return true;
}

std::unique_ptr<Decision> Decisions::walk(Pc pc, Frame frame) {
  for (;; ++pc) {
    if (too_large_ || ++steps_ > kMaxSteps) return give_up();
    const Instruction& instruction = code_.instructions[pc];
    const auto of = [&](ExprId expr) { return value(system_, expr, frame); };
    if (const auto* jump = std::get_if<Jump>(&instruction.node)) {
      pc = jump->target - 1;
    } else if (const auto* read = std::get_if<Read>(&instruction.node)) {
      std::vector<Value> words;
      for (std::uint32_t i = 0; i < read->targets.size(); ++i)
        words.push_back(objects_.word(read->place, frame, read->word + i));
      for (std::size_t i = 0; i < words.size(); ++i)
        if (!store(frame, read->targets[i], words[i])) return give_up();
    } else if (const auto* set = std::get_if<Set>(&instruction.node)) {
      return checked(set->value, frame, instruction.range, [&] {
        const Value result = of(set->value);
        const Value is_outside = outside(result, set->bounds.lo, set->bounds.hi);
        if (!store(frame, set->target, result)) return give_up();
        return branch(is_outside, fault(FaultKind::Range, instruction.range),
                      walk(pc + 1, std::move(frame)));
      });
    } else if (const auto* fork = std::get_if<Branch>(&instruction.node)) {
      return checked(fork->condition, frame, instruction.range, [&] {
        const Value when = of(fork->condition);
        if (const auto known = when.constant())
          return walk(*known != 0 ? fork->if_true : fork->if_false, std::move(frame));
        auto yes = walk(fork->if_true, frame);
        return branch(when, std::move(yes), walk(fork->if_false, std::move(frame)));
      });
    } else if (const auto* assertion = std::get_if<Assert>(&instruction.node)) {
      return checked(assertion->condition, frame, instruction.range, [&] {
        const Value when = of(assertion->condition);
        return branch(when, walk(pc + 1, std::move(frame)),
                      fault(fault_kind(instruction), instruction.range));
      });
    } else if (const auto* assume = std::get_if<Assume>(&instruction.node)) {
      return checked(assume->condition, frame, instruction.range, [&] {
        const Value when = of(assume->condition);
        return branch(when, walk(pc + 1, std::move(frame)), leaf(Decision::Kind::Done));
      });
    } else if (const auto* guard = std::get_if<Guard>(&instruction.node)) {
      return checked(guard->condition, frame, instruction.range, [&] {
        const Value when = of(guard->condition);
        return branch(when, walk(pc + 1, std::move(frame)), leaf(Decision::Kind::Blocked));
      });
    } else if (!std::holds_alternative<Mark>(instruction.node)) {
      return leaf(Decision::Kind::Done, enabled(instruction, objects_, frame));
    }
  }
}

Value may_go(const Decision& decision) {
  switch (decision.kind) {
    case Decision::Kind::Branch:
      return choice(decision.condition, may_go(*decision.yes), may_go(*decision.no));
    case Decision::Kind::Blocked:
      return constant(0);
    case Decision::Kind::Fault:
      return constant(1);
    case Decision::Kind::Done:
      break;
  }
  return decision.condition;
}

}  // namespace cml::ir::promela
