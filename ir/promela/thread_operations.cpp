// What each operation does to the variables, in the order of ir/system.h; its guard has been
// tested.
#include <algorithm>
#include <fmt/format.h>
#include <variant>

#include "ir/describe.h"
#include "ir/promela/thread.h"

namespace cml::ir::promela {
namespace {

constexpr std::int64_t kFewOptions = 16;  // more are chosen by a loop

bool overlaps(const Place& place, const std::vector<bool>& objects) {
  bool found = false;
  for_each_object(place, [&](ObjectId id) { found = found || objects[id.index]; });
  return found;
}

}  // namespace

// ---- locals ------------------------------------------------------------------------------------

Value ThreadWriter::value(ExprId expr) const { return promela::value(system_, expr, frame_); }

std::string ThreadWriter::target(const LocalPlace& place, const Frame& frame) const {
  if (!place.index) return frame_.slots[place.slot].value.text;
  const Value index = promela::value(system_, *place.index, frame);
  const Frame::Slot& first = frame_.slots[place.slot];
  return fmt::format("{}[{}]", first.array, sum(index, constant(first.position)).text);
}

void ThreadWriter::assign(const LocalPlace& place, const Value& stored) {
  assign(place, stored, frame_);
}

void ThreadWriter::assign(const LocalPlace& place, const Value& stored, const Frame& frame) {
  std::string text = stored.text;
  if (code_.slots[place.slot].type.kind == WordType::Kind::Bool && stored.constant())
    text = *stored.constant() != 0 ? "true" : "false";
  out_.line(fmt::format("{} = {};", target(place, frame), text));
}

Frame ThreadWriter::keep(const std::vector<LocalPlace>& targets,
                         const std::vector<ExprId>& needed) {
  Frame frame = frame_;
  for (const LocalPlace& place : targets) {
    const Slot end = place.slot + (place.index ? place.count : 1);
    for (Slot slot = place.slot; slot < end; ++slot) {
      const bool is_needed =
          std::ranges::any_of(needed, [&](ExprId expr) { return reads(system_, expr, slot); });
      if (!is_needed || !frame.slots[slot].is_variable) continue;
      if (kept_ == kept_names_.size())
        kept_names_.push_back(names_.unique(fmt::format("kept{}", kept_)));
      const std::string& name = kept_names_[kept_++];
      out_.line(fmt::format("{} = {};", name, frame_.slots[slot].value.text));
      frame.slots[slot].value.text = name;
      frame.slots[slot].is_variable = false;
    }
  }
  return frame;
}

void ThreadWriter::drop_kept() {
  while (kept_ > 0)
    out_.line(kept_names_[--kept_] + " = 0;");
}

// Of all that has none of its own below.
template <class Other>
bool ThreadWriter::effect(const Instruction& instruction, const Other&) {
  if (const std::optional<Seen> seen = objects_.seen(instruction, frame_)) {
    assign(*seen->target, seen->value);
    return true;
  }
  context_.refuse(fmt::format("`{}` has no counterpart in Promela", mnemonic(instruction.opcode())),
                  instruction.range);
  return false;
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Set& node) {
  if (!check(faults_of(node.value), instruction.range)) return false;
  const Value result = value(node.value);
  if (!check(outside(result, node.bounds.lo, node.bounds.hi), FaultKind::Range, instruction.range))
    return false;
  assign(node.target, result);
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Assert& node) {
  if (!check(faults_of(node.condition), instruction.range)) return false;
  return check(negated(value(node.condition)), fault_kind(instruction), instruction.range);
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Assume& node) {
  if (!check(faults_of(node.condition), instruction.range)) return false;
  const Value fails = negated(value(node.condition));
  const auto known = fails.constant();
  if (known && *known == 0) return true;
  may_assume_ = true;
  if (!known) out_.begin_if(fails.text);
  leave("ASSUMED");
  make_checks(body_.checks);
  if (known) return false;
  out_.next_option("else");
  ++opened_;
  return true;
}

// ---- variables ---------------------------------------------------------------------------------

template <>
bool ThreadWriter::effect(const Instruction&, const Read& node) {
  std::vector<ExprId> needed;
  if (node.place.index && node.targets.size() > 1) needed.push_back(*node.place.index);
  const Frame frame = keep(node.targets, needed);
  for (std::uint32_t i = 0; i < node.targets.size(); ++i)
    assign(node.targets[i], objects_.word(node.place, frame, node.word + i), frame);
  drop_kept();
  return true;
}

/// Whether values may be stored there: else the violation `range`, under the condition `when`.
bool ThreadWriter::fits(const Place& place, std::uint32_t word, const std::vector<ExprId>& values,
                        const Value& when, SourceRange range) {
  Value fails = constant(0);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const WordType type = objects_.common_type(place, word + i);
    fails = any(fails, outside(value(values[i]), type.lo, type.hi));
  }
  return check(both(when, fails), FaultKind::Range, range);
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Write& node) {
  if (!fits(node.place, node.word, node.values, constant(1), instruction.range)) return false;
  for (std::uint32_t i = 0; i < node.values.size(); ++i)
    out_.line(fmt::format("{} = {};", objects_.reference(node.place, frame_, node.word + i),
                          value(node.values[i]).text));
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Update& node) {
  const auto reference = [&](const Frame& frame, std::uint32_t i) {
    return objects_.reference(node.place, frame, node.word + i);
  };
  const auto word = [&](const Frame& frame, std::uint32_t i) {
    return objects_.word(node.place, frame, node.word + i);
  };
  if (node.kind == Update::Kind::Cas) {
    Value equal = constant(1);
    for (std::uint32_t i = 0; i < node.expected.size(); ++i) {
      const Value wanted = value(node.expected[i]);
      equal = both(equal,
                   condition(fmt::format("{} == {}", word(frame_, i).operand(), wanted.operand())));
    }
    Value fails = constant(0);
    for (const ExprId expr : node.values)
      fails = any(fails, outside(value(expr), node.bounds.lo, node.bounds.hi));
    if (!check(both(equal, fails), FaultKind::Range, instruction.range)) return false;
    if (!fits(node.place, node.word, node.values, equal, instruction.range)) return false;
    out_.begin_if(equal.text);
    for (std::uint32_t i = 0; i < node.values.size(); ++i)
      out_.line(fmt::format("{} = {};", reference(frame_, i), value(node.values[i]).text));
    if (!node.targets.empty()) assign(node.targets[0], constant(1));
    out_.next_option("else");
    if (node.targets.empty()) {
      out_.line("skip;");
    } else {
      assign(node.targets[0], constant(0));
    }
    out_.fi();
    return true;
  }
  const auto stored = [&](const Frame& frame, const Value& old, std::uint32_t i) {
    const Value operand = promela::value(system_, node.values[i], frame);
    if (node.wraps) return sum_modulo(old, operand, node.bounds.hi);
    return node.kind == Update::Kind::Add ? sum(old, operand) : operand;
  };
  for (std::uint32_t i = 0; i < node.values.size(); ++i) {
    const Value old = word(frame_, i);
    if (node.kind == Update::Kind::Add && !node.wraps &&
        !check(sum_overflows(old, value(node.values[i])), FaultKind::Overflow, instruction.range))
      return false;
    const WordType type = objects_.common_type(node.place, node.word + i);
    const auto lo = std::max(type.lo, node.bounds.lo);
    const auto hi = std::min(type.hi, node.bounds.hi);
    if (!check(outside(stored(frame_, old, i), lo, hi), FaultKind::Range, instruction.range))
      return false;
  }
  std::vector<ExprId> needed = node.values;
  if (node.place.index) needed.push_back(*node.place.index);
  const Frame frame = keep(node.targets, needed);
  for (std::uint32_t i = 0; i < node.targets.size(); ++i)
    assign(node.targets[i], word(frame, i), frame);
  for (std::uint32_t i = 0; i < node.values.size(); ++i)
    out_.line(fmt::format("{} = {};", reference(frame, i), stored(frame, word(frame, i), i).text));
  drop_kept();
  return true;
}

// ---- locks -------------------------------------------------------------------------------------

template <>
bool ThreadWriter::effect(const Instruction&, const Acquire& node) {
  out_.line(fmt::format("acquire({});", objects_.reference(node.lock, frame_)));
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction&, const TryAcquire& node) {
  const std::string lock = objects_.reference(node.lock, frame_);
  const bool is_mutex = system_.objects[node.lock.base].is_mutex;
  out_.begin_if(fmt::format("{}({})", is_mutex ? "free" : "available", lock));
  out_.line(fmt::format("acquire({});", lock));
  if (node.target) assign(*node.target, constant(1));
  out_.next_option("else");
  if (node.target) {
    assign(*node.target, constant(0));
  } else {
    out_.line("skip;");
  }
  out_.fi();
  return true;
}

// Where the thread certainly owns the lock, the inline asserts that it does.
bool ThreadWriter::must_own(const Instruction& instruction, const Place& lock) {
  const auto pc = static_cast<Pc>(&instruction - code_.instructions.data());
  if (!lock.index && context_.analyses.held().certainly(id_, pc, lock.base)) return true;
  const Value owns{fmt::format("mine({})", objects_.reference(lock, frame_)), 0, 1, Level::Atom};
  return check(negated(owns), FaultKind::IllegalMonitor, instruction.range);
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Release& node) {
  if (!must_own(instruction, node.lock)) return false;
  out_.line(fmt::format("release({});", objects_.reference(node.lock, frame_)));
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Wait& node) {
  if (!must_own(instruction, node.lock)) return false;
  const std::string lock = objects_.reference(node.lock, frame_);
  out_.line(
      fmt::format("{}[{}] = {};", context_.waits_for, id_.index,
                  objects_.set_number(node.condition ? *node.condition : node.lock, frame_).text));
  out_.line(fmt::format("{}[{}] = {}.depth;", context_.depth_of, id_.index, lock));
  out_.line(fmt::format("release_all({});", lock));
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction&, const TimeOut& node) {
  const std::string waits_for = fmt::format("{}[{}]", context_.waits_for, id_.index);
  if (node.target) assign(*node.target, condition(fmt::format("{} == NOTIFIED", waits_for)));
  out_.line(fmt::format("{} = NOTIFIED;", waits_for));
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction&, const Rewait& node) {
  const std::string lock = objects_.reference(node.lock, frame_);
  out_.line(fmt::format("{}.owner = me;", lock));
  out_.line(fmt::format("{}.depth = {}[{}];", lock, context_.depth_of, id_.index));
  out_.line(fmt::format("{}[{}] = 0;", context_.waits_for, id_.index));
  out_.line(fmt::format("{}[{}] = 0;", context_.depth_of, id_.index));
  return true;
}

/// The other threads with a `wait` that may be in this set; this one runs.
std::vector<ThreadId> ThreadWriter::possible_waiters(const Place& set) const {
  std::vector<bool> meant(system_.objects.size(), false);
  for_each_object(set, [&](ObjectId id) { meant[id.index] = true; });
  std::vector<ThreadId> found;
  for (const ThreadId id : system_.threads.ids()) {
    if (id == id_) continue;
    const auto& instructions = system_.threads[id].code.instructions;
    const bool waits = std::ranges::any_of(instructions, [&](const Instruction& instruction) {
      const auto* wait = std::get_if<Wait>(&instruction.node);
      return wait != nullptr && overlaps(wait->condition ? *wait->condition : wait->lock, meant);
    });
    if (waits) found.push_back(id);
  }
  return found;
}

bool ThreadWriter::is_choice(const Instruction& instruction) const {
  return std::visit(
      Cases{[&](const Notify& node) { return !node.all && possible_waiters(node.set).size() > 1; },
            [](const Select& node) { return node.cases.size() > 1; },
            [&](const auto&) { return chooses(instruction); }},
      instruction.node);
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Notify& node) {
  if (!node.of_condition && !must_own(instruction, node.set)) return false;
  const std::vector<ThreadId> others = possible_waiters(node.set);
  if (others.empty()) return true;
  const std::string set = objects_.set_number(node.set, frame_).operand();
  const auto waits = [&](ThreadId id) {
    return fmt::format("{}[{}] == {}", context_.waits_for, id.index, set);
  };
  const auto wake = [&](ThreadId id) {
    out_.line(fmt::format("{}[{}] = NOTIFIED;", context_.waits_for, id.index));
  };
  if (node.all) {
    for (const ThreadId id : others) {
      out_.begin_if(waits(id));
      wake(id);
      out_.next_option("else");
      out_.line("skip;");
      out_.fi();
    }
    return true;
  }
  out_.line("if");
  out_.in();
  for (const ThreadId id : others) {
    out_.out();
    out_.option(waits(id));
    wake(id);
  }
  out_.next_option("else");
  out_.line("skip;");
  out_.fi();
  return true;
}

template <>
bool ThreadWriter::effect(const Instruction&, const Held& node) {
  if (node.target)
    assign(*node.target, condition(fmt::format("mine({})", objects_.reference(node.lock, frame_))));
  return true;
}

// ---- semaphores and channels -------------------------------------------------------------------

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Up& node) {
  const std::string semaphore = objects_.reference(node.semaphore, frame_);
  const WordType type = objects_.joined_type(node.semaphore, 0);
  const Value full = condition(fmt::format("{} == {}", semaphore, type.hi));
  if (system_.objects[node.semaphore.base].max) {
    if (!check(full, FaultKind::SemaphoreMax, instruction.range)) return false;
  } else {
    out_.line(fmt::format("assert({} < {});", semaphore, type.hi));  // a limit of the tool
  }
  out_.line(fmt::format("{0} = {0} + 1;", semaphore));
  return true;
}

// Ends an `if` in whose first branch the operation has succeeded; in the other it fails.
void ThreadWriter::or_fails(const std::optional<LocalPlace>& success) {
  if (success) assign(*success, constant(1));
  out_.next_option("else");
  if (success) {
    assign(*success, constant(0));
  } else {
    out_.line("skip;");
  }
  out_.fi();
}

template <>
bool ThreadWriter::effect(const Instruction&, const Down& node) {
  const std::string semaphore = objects_.reference(node.semaphore, frame_);
  if (node.try_only) out_.begin_if(semaphore + " > 0");
  out_.line(fmt::format("{0} = {0} - 1;", semaphore));
  if (node.try_only) or_fails(node.success);
  return true;
}

void ThreadWriter::send(const Place& channel, const std::vector<ExprId>& values) {
  const std::string size = objects_.reference(channel, frame_) + ".size";
  for (std::uint32_t i = 0; i < values.size(); ++i)
    out_.line(
        fmt::format("{} = {};", objects_.item(channel, frame_, i, size), value(values[i]).text));
  out_.line(fmt::format("{0} = {0} + 1;", size));
}

template <>
bool ThreadWriter::effect(const Instruction& instruction, const Send& node) {
  const Value room = condition(fmt::format("{}.size < {}", objects_.reference(node.channel, frame_),
                                           objects_.capacity(node.channel)));
  if (!fits(node.channel, 0, node.values, node.try_only ? room : constant(1), instruction.range))
    return false;
  if (node.try_only) out_.begin_if(room.text);
  send(node.channel, node.values);
  if (node.try_only) or_fails(node.success);
  return true;
}

void ThreadWriter::receive(const Place& channel, const std::vector<LocalPlace>& targets) {
  std::vector<ExprId> needed;
  if (channel.index) needed.push_back(*channel.index);
  const Frame frame = keep(targets, needed);
  for (std::uint32_t i = 0; i < targets.size(); ++i) {
    const WordType type = system_.objects[channel.base].words[i];
    assign(targets[i],
           {objects_.item(channel, frame, i, "0"), type.lo, std::max(type.hi, type.lo + 1),
            Level::Atom},
           frame);
  }
  out_.line(fmt::format("{}({});", objects_.drop(channel), objects_.reference(channel, frame)));
  drop_kept();
}

template <>
bool ThreadWriter::effect(const Instruction&, const Receive& node) {
  if (node.try_only) out_.begin_if(objects_.reference(node.channel, frame_) + ".size > 0");
  receive(node.channel, node.targets);
  if (node.try_only) or_fails(node.success);
  return true;
}

// ---- choices -----------------------------------------------------------------------------------

template <>
bool ThreadWriter::effect(const Instruction&, const Choose& node) {
  if (node.among) return choose_among(node);
  const Value lo = value(node.lo);
  const Value hi = value(node.hi);
  if (lo.constant() && hi.constant() && hi.lo - lo.lo < kFewOptions) {
    out_.line("if");
    for (std::int64_t option = lo.lo; option <= hi.lo; ++option) {
      out_.line(fmt::format(":: {} = {};", target(node.target, frame_), constant(option).text));
    }
    out_.line("fi;");
    return true;
  }
  std::vector<ExprId> needed{node.hi};
  if (node.target.index) needed.push_back(*node.target.index);
  const Frame frame = keep({node.target}, needed);
  assign(node.target, lo, frame);
  const std::string chosen = target(node.target, frame);
  out_.line("do");
  out_.line(fmt::format(":: {0} < {1} -> {0} = {0} + 1;", chosen,
                        promela::value(system_, node.hi, frame).operand()));
  out_.line(":: break;");
  out_.line("od;");
  drop_kept();
  return true;
}

/// An option for each element.
bool ThreadWriter::choose_among(const Choose& node) {
  const Value set = value(*node.among);
  std::vector<ExprId> needed{*node.among};
  if (node.target.index) needed.push_back(*node.target.index);
  const Frame frame = keep({node.target}, needed);
  const Value kept = promela::value(system_, *node.among, frame);
  out_.line("if");
  for (std::int64_t i = 0; std::int64_t{1} << i <= set.hi; ++i)
    out_.line(fmt::format(":: ({} >> {} & 1) == 1 -> {} = {};", kept.operand(), i,
                          target(node.target, frame), i));
  out_.line("fi;");
  drop_kept();
  return true;
}

bool ThreadWriter::select_case(const Select::Case& item) {
  switch (item.kind) {
    case Select::Kind::Receive:
      receive(item.place, item.targets);
      break;
    case Select::Kind::Send:
      if (!fits(item.place, 0, item.values, constant(1), item.range)) return false;
      send(item.place, item.values);
      break;
    case Select::Kind::Down:
      out_.line(fmt::format("{0} = {0} - 1;", objects_.reference(item.place, frame_)));
      break;
    case Select::Kind::Acquire:
      out_.line(fmt::format("acquire({});", objects_.reference(item.place, frame_)));
      break;
    case Select::Kind::Await:  // stands beside a rendezvous, which is refused
      break;
  }
  return true;
}

bool ThreadWriter::effect(const Instruction& instruction) {
  return std::visit([&](const auto& node) { return effect(instruction, node); }, instruction.node);
}

// ---- invariants --------------------------------------------------------------------------------

std::vector<const Check*> ThreadWriter::checks_of(const Place& place) const {
  std::vector<const Check*> found;
  for (const Check& check : context_.checks)
    if (overlaps(place, check.reads)) found.push_back(&check);
  return found;
}

std::vector<const Check*> ThreadWriter::checks_of(const Instruction& instruction) const {
  std::vector<const Check*> found;
  if (!changes_objects(instruction)) return found;
  for_each_place(instruction, [&](const Place& place, Effects) {
    for (const Check* check : checks_of(place))
      if (std::ranges::find(found, check) == found.end()) found.push_back(check);
  });
  return found;
}

}  // namespace cml::ir::promela
