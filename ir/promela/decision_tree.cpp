#include "ir/promela/decision_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "ir/describe.h"

namespace cml::ir::promela {
namespace {

constexpr std::size_t kMaxSteps = 20'000;
constexpr std::size_t kMaxText = 20'000;    // of one expression
constexpr std::size_t kMaxSize = 60'000;    // of the whole
constexpr std::size_t kMaxDepth = 250;      // of nested `if`s: SPIN crashes at 400
constexpr std::size_t kMaxBranches = 1000;  // on a path

/// Where a path begins, and with what.
std::string key(Pc pc, const Frame& frame) {
  std::string text = std::to_string(pc);
  for (const Frame::Slot& slot : frame.slots)
    text += fmt::format("\n{} {} {} {}", slot.value.lo, slot.value.hi, slot.is_variable,
                        slot.value.text);
  return text;
}

Value has(Awaited awaited, const Place& place, const Objects& objects, const Frame& frame) {
  const std::string object = objects.reference(place, frame);
  switch (awaited) {
    case Awaited::Value:
      return condition(object + ".size > 0");
    case Awaited::Room:
      return condition(fmt::format("{}.size < {}", object, objects.capacity(place)));
    case Awaited::Unit:
      return condition(object + " > 0");
    case Awaited::Lock:
      return {fmt::format("{}({})", objects.is_mutex(place) ? "free" : "available", object), 0, 1,
              Level::Atom};
    case Awaited::Wakeup:
    case Awaited::End:  // refused, and so are
    case Awaited::Sender:
    case Awaited::Receiver:
      break;
  }
  return constant(1);  // which thread waits is asked where it waits
}

}  // namespace

Value ready(const Select::Case& item, const Objects& objects, const Frame& frame) {
  return has(awaited(item), item.place, objects, frame);
}

Value enabled(const Instruction& instruction, const Objects& objects, const Frame& frame) {
  bool waits = false;
  Value result = constant(0);
  for_each_wait(instruction, [&](const Place& place, std::initializer_list<Awaited> needed) {
    waits = true;
    Value all = constant(1);
    for (const Awaited one : needed)
      all = both(all, has(one, place, objects, frame));
    result = any(result, all);
  });
  return waits ? result : constant(1);
}

// ---- trees -------------------------------------------------------------------------------------

Decisions::Tree Decisions::only(Decision decision) {
  std::string what = fmt::format("{} {} {} {} {} {} {}", static_cast<int>(decision.kind),
                                 static_cast<int>(decision.fault), decision.range.file.index,
                                 decision.range.begin, fmt::ptr(decision.yes.get()),
                                 fmt::ptr(decision.no.get()), decision.condition.text);
  Tree& known = made_[std::move(what)];
  if (!known) known = std::make_shared<const Decision>(std::move(decision));
  return known;
}

Decisions::Tree Decisions::leaf(Decision::Kind kind, Value condition) {
  Decision result;
  result.kind = kind;
  result.size = condition.text.size();
  result.condition = std::move(condition);
  return only(std::move(result));
}

Decisions::Tree Decisions::fault(FaultKind kind, SourceRange range) {
  Decision result;
  result.kind = Decision::Kind::Fault;
  result.condition = constant(1);
  result.fault = kind;
  result.range = range;
  return only(std::move(result));
}

Decisions::Tree Decisions::branch(const Value& condition, const Tree& yes, const Tree& no) {
  if (const auto known = condition.constant()) return *known != 0 ? yes : no;
  if (yes == no) return yes;
  Decision result;
  result.kind = Decision::Kind::Branch;
  result.size = std::min(condition.text.size() + yes->size + no->size, kMaxSize + 1);
  result.depth = 1 + std::max(yes->depth, no->depth);
  result.condition = condition;
  result.yes = yes;
  result.no = no;
  return only(std::move(result));
}

namespace {

/// Joins two nested branches that have a target in common to one, with a condition made of both;
/// `yes` and `no` become its targets. Evaluation stays lazy: the second condition may have no value
/// where the first decides.
bool join(Value& condition, std::shared_ptr<const Decision>& yes,
          std::shared_ptr<const Decision>& no) {
  if (no->kind == Decision::Kind::Branch && (no->yes == yes || no->no == yes)) {
    const bool is_same = no->yes == yes;
    condition = any(condition, is_same ? no->condition : negated(no->condition));
    no = std::shared_ptr<const Decision>(is_same ? no->no : no->yes);
    return true;
  }
  if (yes->kind == Decision::Kind::Branch && (yes->no == no || yes->yes == no)) {
    const bool is_same = yes->no == no;
    condition = both(condition, is_same ? yes->condition : negated(yes->condition));
    yes = std::shared_ptr<const Decision>(is_same ? yes->yes : yes->no);
    return true;
  }
  return false;
}

}  // namespace

// Joins at the root first, because the trees below are shared; then again, as they have changed.
Decisions::Tree Decisions::joined(const Tree& tree) {
  if (tree->kind != Decision::Kind::Branch) return tree;
  if (const auto known = joined_.find(tree); known != joined_.end()) return known->second;
  Value condition = tree->condition;
  Tree yes = tree->yes;
  Tree no = tree->no;
  while (yes != no && condition.text.size() < kMaxSize && join(condition, yes, no)) {
  }
  yes = joined(yes);
  no = joined(no);
  while (yes != no && condition.text.size() < kMaxSize && join(condition, yes, no)) {
  }
  Tree result = branch(condition, yes, no);
  joined_.emplace(tree, result);
  return result;
}

Decisions::Tree Decisions::refuse(std::string message, SourceRange range) {
  if (!refused_) refused_ = Unsupported{std::move(message), range};
  return leaf(Decision::Kind::Done);
}

Decisions::Tree Decisions::give_up() {
  return refuse(question_.what + " is too long a formula for Promela", question_.range);
}

// ---- the walk ----------------------------------------------------------------------------------

Expected<Decisions::Tree, Unsupported> Decisions::from(Pc pc, Frame frame) {
  Tree result = walk({pc, std::move(frame), 0, {}});
  if (!refused_) result = joined(result);
  if (!refused_ && (result->size > kMaxSize || result->depth > kMaxDepth)) result = give_up();
  if (refused_) return Unexpected(*refused_);
  return result;
}

// The tree of a path is kept for each point where it began, or passed a branch whose condition was
// constant: `begins`, with the number of exits before that point.
Decisions::Tree Decisions::walk(Path path) {
  std::vector<std::pair<std::string, std::size_t>> begins;
  Tree result;
  for (bool begin = true; !result;) {
    if (refused_) return leaf(Decision::Kind::Done);
    if (++steps_ > kMaxSteps || path.depth + path.exits.size() > kMaxBranches) return give_up();
    if (begin) {
      steps_ += path.frame.slots.size() / 16;
      begins.emplace_back(key(path.pc, path.frame), path.exits.size());
      const auto known = walked_.find(begins.back().first);
      if (known != walked_.end()) {
        result = known->second;
        break;
      }
    }
    const Instruction& instruction = code_.instructions[path.pc++];
    begin = instruction.opcode() == Opcode::Branch;
    result = visit(instruction, path);
  }
  for (;;) {
    for (; !begins.empty() && begins.back().second == path.exits.size(); begins.pop_back())
      walked_.insert_or_assign(std::move(begins.back().first), result);
    if (path.exits.empty()) return result;
    const Exit& last = path.exits.back();
    result = last.if_true ? branch(last.condition, last.end, result)
                          : branch(last.condition, result, last.end);
    path.exits.pop_back();
  }
}

Decisions::Tree Decisions::visit(const Instruction& instruction, Path& path) {
  return std::visit(
      Cases{
          [&](const Set& node) { return assign(instruction, node, path); },
          [&](const Jump& node) {
            path.pc = node.target;
            return Tree();
          },
          [&](const Branch& node) { return fork(instruction, node, path); },
          [&](const Assert& node) {
            return demand(instruction, node.condition,
                          fault(fault_kind(instruction), instruction.range), path);
          },
          [&](const Assume& node) {
            return demand(instruction, node.condition, leaf(Decision::Kind::Done), path);
          },
          [&](const Guard& node) {
            return demand(instruction, node.condition, leaf(Decision::Kind::Blocked), path);
          },
          [&](const Read& node) { return read(node, path); },
          [&](const Held& node) { return held(instruction, node, path); },
          [&](const AnyOf<AtomicEnd, End> auto&) { return leaf(Decision::Kind::Done); },
          [](const Mark&) { return Tree(); },
          [&](const auto&) {
            if (const std::optional<Seen> seen = objects_.seen(instruction, path.frame))
              return store(path, *seen->target, seen->value);
            if (only_looks(instruction)) return refused(instruction);
            return effect(instruction, enabled(instruction, objects_, path.frame));
          },
          [&](const AnyOf<Wait, TimeOut, Rewait, Atomic> auto&) { return refused(instruction); },
      },
      instruction.node);
}

Decisions::Tree Decisions::refused(const Instruction& instruction) {
  return refuse(fmt::format("`{}` inside of something indivisible has no counterpart in Promela",
                            mnemonic(instruction.opcode())),
                instruction.range);
}

Decisions::Tree Decisions::assign(const Instruction& instruction, const Set& node, Path& path) {
  const Value result = checked(node.value, instruction.range, path);
  Value is_outside = outside(result, node.bounds.lo, node.bounds.hi);
  if (is_outside.constant() != 0)
    path.exits.push_back({std::move(is_outside), true, fault(FaultKind::Range, instruction.range)});
  return store(path, node.target, result);
}

Decisions::Tree Decisions::fork(const Instruction& instruction, const Branch& node, Path& path) {
  const Value when = checked(node.condition, instruction.range, path);
  if (const auto known = when.constant()) {
    path.pc = *known != 0 ? node.if_true : node.if_false;
    return {};
  }
  Path yes{node.if_true, path.frame, path.depth + 1, {}};
  Path no{node.if_false, std::move(path.frame), path.depth + 1, {}};
  // Behind a branch on a local, the value of the local is known.
  const Expr& expr = system_.exprs[node.condition];
  if (expr.op == ExprOp::Local) {
    const auto slot = static_cast<Slot>(expr.value);
    yes.frame.slots[slot].value = constant(1);
    no.frame.slots[slot].value = constant(0);
    yes.frame.slots[slot].is_variable = no.frame.slots[slot].is_variable = false;
  }
  const Tree if_true = walk(std::move(yes));
  return branch(when, if_true, walk(std::move(no)));
}

Decisions::Tree Decisions::demand(const Instruction& instruction, ExprId condition, Tree otherwise,
                                  Path& path) {
  Value when = checked(condition, instruction.range, path);
  if (when.constant() == 0) return otherwise;
  if (!when.constant()) path.exits.push_back({std::move(when), false, std::move(otherwise)});
  return {};
}

Decisions::Tree Decisions::read(const Read& node, Path& path) {
  std::vector<Value> words;
  for (std::uint32_t i = 0; i < node.targets.size(); ++i)
    words.push_back(objects_.word(node.place, path.frame, node.word + i));
  for (std::size_t i = 0; i < words.size(); ++i)
    if (Tree end = store(path, node.targets[i], words[i])) return end;
  return {};
}

Decisions::Tree Decisions::held(const Instruction& instruction, const Held& node, Path& path) {
  if (question_.kind == Question::Kind::Property)
    return refuse("no thread asks here, so nobody can hold the lock for `held`", instruction.range);
  const Value mine{fmt::format("mine({})", objects_.reference(node.lock, path.frame)), 0, 1,
                   Level::Atom};
  return node.target ? store(path, *node.target, mine) : Tree();
}

Decisions::Tree Decisions::effect(const Instruction& instruction, Value can_go) {
  if (question_.kind == Question::Kind::Property)
    return refuse(fmt::format("`{}` in an invariant or `finally`, which may only read",
                              mnemonic(instruction.opcode())),
                  instruction.range);
  return leaf(Decision::Kind::Done, std::move(can_go));
}

Value Decisions::checked(ExprId expr, SourceRange range, Path& path) {
  std::vector<Fault> found;
  faults(system_, expr, path.frame, found);
  for (Fault& one : found)
    path.exits.push_back({std::move(one.condition), true,
                          fault(one.kind, one.range.file.valid() ? one.range : range)});
  return value(system_, expr, path.frame);
}

Decisions::Tree Decisions::store(Path& path, const LocalPlace& target, const Value& stored) {
  const auto put = [&](Slot slot, Value word) {
    if (word.text.size() > kMaxText) return give_up();
    path.frame.slots[slot].value = std::move(word);
    path.frame.slots[slot].is_variable = false;
    return Tree();
  };
  if (!target.index) return put(target.slot, stored);
  const Value index = value(system_, *target.index, path.frame);
  if (const auto known = index.constant())
    return put(target.slot + static_cast<Slot>(*known), stored);
  for (std::uint32_t i = 0; i < target.count; ++i) {
    const Slot slot = target.slot + i;
    if (Tree end =
            put(slot, choice(equal(index, constant(i)), stored, path.frame.slots[slot].value)))
      return end;
  }
  return {};
}

Value is_enabled(const Decision& decision) {
  switch (decision.kind) {
    case Decision::Kind::Branch:
      return choice(decision.condition, is_enabled(*decision.yes), is_enabled(*decision.no));
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
