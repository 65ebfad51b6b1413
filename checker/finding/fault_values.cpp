// Finds the expression at fault, and the words that it reads.
#include "checker/finding/fault_values.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <variant>

#include "checker/finding/local_text.h"
#include "checker/finding/operands.h"
#include "checker/finding/values.h"
#include "ir/cases.h"
#include "ir/describe.h"
#include "ir/value_text.h"

namespace cml::checker {
namespace {

bool is_inside(const SourceRange& inner, const SourceRange& outer) {
  return inner.file == outer.file && inner.file.valid() && outer.begin <= inner.begin &&
         inner.end <= outer.end;
}

class FaultExplainer {
 public:
  FaultExplainer(const TextContext& context, const ir::Code& code, const ir::Watch& watch,
                 const std::uint8_t* state, const ir::Event& event)
      : context_(context),
        system_(context.system),
        code_(code),
        watch_(watch),
        state_(state),
        event_(event),
        operands_(context, watch.frame),
        at_(code.instructions[event.pc]) {
    for (const ir::Watch::Store& store : watch.stores)
      if (store.thread == event.thread) origins_[store.slot] = store.pc;
  }

  FaultText run() {
    if (watch_.frame.size() != code_.slots.size()) return {};
    std::visit(ir::Cases{[this](const ir::Set& node) { set(node); },
                         [this](const ir::Assert& node) { assertion(node); },
                         [this](const ir::Update& node) { update(node); },
                         [this](const auto&) { failing_operand(); }},
               at_.node);
    return std::move(text_);
  }

 private:
  // ---- what is wrong ----

  void set(const ir::Set& node) {
    if (fails(node.value)) return;
    const std::int32_t value = operands_.value(node.value);
    std::string of = target_of(node.target);
    if (!of.empty()) of = ", the range of " + of;
    text_.message = fmt::format("{} is not in {}..{}{}", value, node.bounds.lo, node.bounds.hi, of);
    add_parts(node.value, at_.range);
  }

  void assertion(const ir::Assert& node) {
    if (fails(node.condition)) return;
    const ir::FaultKind kind = fault_kind(at_);
    if (kind == ir::FaultKind::Null) {
      text_.message = context_.source(at_.range, "the reference") + " is null";
    } else if (kind == ir::FaultKind::Range) {
      const ir::Expr& condition = system_.exprs[node.condition];
      if (condition.b.valid() && system_.exprs[condition.b].op == ir::ExprOp::CountBits)
        text_.message = "nothing can be chosen from an empty set";
      else if (condition.b.valid())
        text_.message = fmt::format(
            "nothing can be chosen from {}{}{}", operands_.value(condition.a),
            condition.op == ir::ExprOp::Less ? "..<" : "..", operands_.value(condition.b));
      add_parts(node.condition, at_.range);
    } else if (kind == ir::FaultKind::Assertion) {
      if (!is_decided(node.condition)) add_parts(node.condition, at_.range);
      add_reads_inside(at_.range);
    }
  }

  /// A condition with `&&` or `||` whose operands were evaluated one by one: its value says
  /// nothing.
  [[nodiscard]] bool is_decided(ir::ExprId condition) const {
    const ir::Expr& expr = system_.exprs[condition];
    if (expr.op != ir::ExprOp::Local) return false;
    const auto origin = origins_.find(static_cast<ir::Slot>(expr.value));
    if (origin == origins_.end()) return false;
    const auto* set = std::get_if<ir::Set>(&code_.instructions[origin->second].node);
    return set != nullptr && !set->target.name.valid();
  }

  void update(const ir::Update& node) {
    for (const ir::ExprId value : node.values)
      if (fails(value)) return;
    const ir::ObjectId object = operands_.object(node.place);
    const std::vector<ir::Field>& fields = context_.layout.object(object).fields;
    for (std::size_t i = 0; i < node.values.size(); ++i) {
      const std::int64_t old = fields[node.word + i].load(state_);
      std::int64_t stored = operands_.value(node.values[i]);
      if (node.kind == ir::Update::Kind::Add) stored += old;
      if (stored >= node.bounds.lo && stored <= node.bounds.hi) continue;
      const std::string name = operands_.part(node.place, node.word, node.values.size());
      if (event_.kind == ir::FaultKind::Overflow) {
        text_.message = fmt::format("{} is no 32-bit integer", stored);
      } else {
        text_.message = fmt::format("{} is not in {}..{}, the range of {}", stored, node.bounds.lo,
                                    node.bounds.hi, name);
      }
      text_.values.push_back({name, number(static_cast<std::int32_t>(old))});
    }
  }

  /// An operand of an operation that fails by itself: the lowering leaves only conditions so.
  void failing_operand() {
    struct Reads : ir::Description {
      std::vector<ir::ExprId> exprs;
      void reads(ir::ExprId expr) { exprs.push_back(expr); }
    } all;
    ir::describe(at_, all);
    for (const ir::ExprId expr : all.exprs)
      if (fails(expr)) return;
  }

  /// Whether the evaluation fails; then that is what is told.
  bool fails(ir::ExprId expr) {
    ir::EvaluationFault fault;
    if (ir::evaluate(system_, expr, watch_.frame.data(), fault)) return false;
    const ir::Expr& at = system_.exprs[fault.where];
    const std::int32_t a = at.a.valid() ? operands_.value(at.a) : 0;
    const std::int32_t b = at.b.valid() ? operands_.value(at.b) : 0;
    switch (at.op) {
      case ir::ExprOp::Bound:
        text_.message = fmt::format("index {} is not in 0..{}{}", a, at.value - 1, array_text(at));
        break;
      case ir::ExprOp::Divide:
      case ir::ExprOp::Remainder:
        text_.message = fmt::format("{} {} {}", a, at.op == ir::ExprOp::Divide ? '/' : '%', b);
        text_.message += b == 0 ? " has no value" : " is no 32-bit integer";
        break;
      case ir::ExprOp::Singleton:
        text_.message = fmt::format("{} is not in 0..{}, what the set can hold", a, at.value - 1);
        break;
      case ir::ExprOp::Negate:
        text_.message = fmt::format("-({}) is no 32-bit integer", a);
        break;
      default:
        text_.message = fmt::format("{} {} {} is no 32-bit integer", a, sign(at.op), b);
    }
    if (at.op == ir::ExprOp::ShiftLeft || at.op == ir::ExprOp::ShiftRight) {
      const std::string_view shift = at.op == ir::ExprOp::ShiftLeft ? "<<" : ">>";
      text_.message = fmt::format("{} {} {} is no 32-bit integer", a, shift, b);
      if (b < 0 || b > 31)
        text_.message = fmt::format("{} {} {} shifts by other than 0 to 31 bits", a, shift, b);
    }
    add_parts(fault.where, at.range.file.valid() ? at.range : at_.range);
    return true;
  }
  static char sign(ir::ExprOp op) {
    if (op == ir::ExprOp::Add) return '+';
    return op == ir::ExprOp::Subtract ? '-' : '*';
  }

  /// ", the indices of a": the text in front of the bracket.
  [[nodiscard]] std::string array_text(const ir::Expr& bound) const {
    const SourceRange& range = bound.range;
    if (!range.file.valid() || range.file.index >= context_.sources.size()) return {};
    const std::string_view text = context_.sources.file(range.file).text();
    std::size_t end = range.begin;
    while (end > 0 && text[end - 1] == ' ')
      --end;
    if (end == 0 || text[end - 1] != '[') return {};
    std::size_t begin = --end;
    for (int depth = 0; begin > 0; --begin) {
      const char c = text[begin - 1];
      if (c == ']') ++depth;
      if (c == '[' && --depth < 0) break;
      const bool is_name = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                           c == '.' || c == ']' || c == '[';
      if (!is_name && depth == 0) break;
    }
    const std::string_view name = text.substr(begin, end - begin);
    return name.empty() ? "" : fmt::format(", the indices of {}", name);
  }

  // ---- what the words of the frame are called ----

  [[nodiscard]] std::string local_name(const ir::LocalPlace& place, ir::Pc pc) const {
    if (!place.name.valid()) return {};
    const auto index = place.index ? operands_.value(*place.index) : 0;
    const std::string label = local_label(system_, place.name, static_cast<std::uint32_t>(index));
    // Which word of it: the words before it were stored directly before.
    std::size_t word = 0;
    while (pc > word) {
      const auto* before = std::get_if<ir::Set>(&code_.instructions[pc - word - 1].node);
      if (before == nullptr || before->target.name != place.name) break;
      ++word;
    }
    return label + part_of_local(system_, place.name, word);
  }

  /// What the word that a Set stores is for: itself, or what the next operation does with it.
  [[nodiscard]] std::string target_of(const ir::LocalPlace& target) const {
    if (target.name.valid()) return local_name(target, event_.pc);
    for (ir::Pc pc = event_.pc + 1; pc < code_.instructions.size(); ++pc) {
      const ir::Instruction& next = code_.instructions[pc];
      if (const auto* write = std::get_if<ir::Write>(&next.node)) return stored_by(*write, target);
      if (const auto* constant = std::get_if<ir::WriteConstant>(&next.node))
        return stored_by(*constant, target);
      if (const auto* update = std::get_if<ir::Update>(&next.node))
        return reads(update->values, target)
                   ? operands_.part(update->place, update->word, update->values.size())
                   : "";
      if (const auto* send = std::get_if<ir::Send>(&next.node))
        return reads(send->values, target) ? "the values of " + operands_.name(send->channel) : "";
      if (next.opcode() != ir::Opcode::Set && next.opcode() != ir::Opcode::Assert) return {};
    }
    return {};
  }
  [[nodiscard]] std::string stored_by(const ir::Write& write, const ir::LocalPlace& target) const {
    for (std::size_t i = 0; i < write.values.size(); ++i)
      if (reads({write.values[i]}, target))
        return operands_.part(write.place, write.word + static_cast<std::uint32_t>(i), 1);
    return {};
  }
  [[nodiscard]] bool reads(const std::vector<ir::ExprId>& exprs,
                           const ir::LocalPlace& target) const {
    return std::any_of(exprs.begin(), exprs.end(), [&](ir::ExprId id) {
      const ir::Expr& expr = system_.exprs[id];
      return expr.op == ir::ExprOp::Local && static_cast<ir::Slot>(expr.value) == target.slot;
    });
  }

  /// The local, or the source inside the statement, that a word of the frame stands for.
  [[nodiscard]] std::string label_of(ir::Slot slot, const SourceRange& statement) const {
    const auto origin = origins_.find(slot);
    if (origin == origins_.end()) return {};
    const ir::Instruction& by = code_.instructions[origin->second];
    const ir::LocalPlace* const place = assigned_place(by, slot);
    if (place != nullptr && place->name.valid())
      return place->index ? local_label(system_, place->name, slot - place->slot)
                          : local_name(*place, origin->second);
    return is_inside(by.range, statement) ? context_.source(by.range, "") : "";
  }
  void add(const std::string& name, Value value) {
    const auto same = [&name](const NamedValue& one) { return one.name == name; };
    const bool is_known = std::any_of(text_.values.begin(), text_.values.end(), same);
    if (!name.empty() && !is_known) text_.values.push_back({name, std::move(value)});
  }
  /// The last one counts.
  void set_value(const std::string& name, Value value) {
    for (NamedValue& one : text_.values)
      if (one.name == name) one.value = value;
    add(name, std::move(value));
  }
  [[nodiscard]] Value word(ir::Slot slot, std::int32_t value) const {
    return word_value(context_, code_.slots[slot].type, value);
  }

  /// The words that an expression reads.
  void add_parts(ir::ExprId id, const SourceRange& statement) {
    const ir::Expr& expr = system_.exprs[id];
    for (const ir::ExprId operand : {expr.a, expr.b, expr.c})
      if (operand.valid()) add_parts(operand, statement);
    auto slot = static_cast<ir::Slot>(expr.value);
    if (expr.op == ir::ExprOp::LocalAt) {
      slot += static_cast<ir::Slot>(operands_.value(expr.a));
    } else if (expr.op != ir::ExprOp::Local) {
      return;
    }
    if (slot >= watch_.frame.size()) return;
    const auto origin = origins_.find(slot);
    const bool is_owner = origin != origins_.end() && add_owner(origin->second, watch_.frame[slot]);
    if (!is_owner) add(label_of(slot, statement), word(slot, watch_.frame[slot]));
  }

  /// Of `m.free` and `m.owner == T` the owner is what was read. False: something else was.
  bool add_owner(ir::Pc pc, std::int32_t read) {
    const auto* const owner = std::get_if<ir::Owner>(&code_.instructions[pc].node);
    if (owner == nullptr) return false;
    const std::string name = operands_.name(owner->lock);
    if (read > 0 && static_cast<std::size_t>(read) <= system_.threads.size()) {
      const std::string& thread =
          system_.threads[ir::ThreadId(static_cast<std::uint32_t>(read - 1))].name;
      add(name + ".owner", {thread, {thread}});
    } else {
      add(name + ".free", truth(true));
    }
    return true;
  }

  /// What was read or called for the statement and is not in the frame any more: in a part that
  /// was decided.
  void add_reads_inside(const SourceRange& statement) {
    const bool is_known = statement.file.valid() && statement.file.index < context_.sources.size();
    const std::string_view text = is_known ? context_.sources.text(statement) : std::string_view();
    for (const ir::Watch::Store& store : watch_.stores) {
      if (store.thread != event_.thread) continue;  // it has other code
      const auto* set = std::get_if<ir::Set>(&code_.instructions[store.pc].node);
      if (set == nullptr || !set->target.name.valid()) continue;
      const std::string name = local_label(system_, set->target.name, 0);
      if (name.find('(') == std::string::npos || text.find(name) == std::string_view::npos)
        continue;
      set_value(name, word(store.slot, store.value));
    }
    std::map<ir::Pc, ir::Watch::Store> last;
    for (const ir::Watch::Store& store : watch_.stores)
      if (store.thread == event_.thread &&
          ir::is_operation(code_.instructions[store.pc].opcode()) &&
          is_inside(code_.instructions[store.pc].range, statement))
        last[store.pc] = store;
    for (const auto& [pc, store] : last)
      if (!add_owner(pc, store.value))
        add(context_.source(code_.instructions[pc].range, ""), word(store.slot, store.value));
  }

  const TextContext& context_;
  const ir::System& system_;
  const ir::Code& code_;
  const ir::Watch& watch_;
  const std::uint8_t* state_;
  const ir::Event& event_;
  Operands operands_;
  const ir::Instruction& at_;
  std::map<ir::Slot, ir::Pc> origins_;  // who stored a word last
  FaultText text_;
};

}  // namespace

FaultText fault_text(const TextContext& context, const ir::Code& code, const ir::Watch& watch,
                     const std::uint8_t* state, const ir::Event& event) {
  return FaultExplainer(context, code, watch, state, event).run();
}

}  // namespace cml::checker
