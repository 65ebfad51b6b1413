#include "ir/lower/join_invocations.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "ir/cases.h"
#include "ir/describe.h"

namespace cml::ir::lowering {
namespace {

constexpr std::size_t kMostCopied = 200;  // instructions, for one call

class Joiner {
 public:
  Joiner(const System& system, Code& code) : system_(system), code_(code) {}

  void run() {
    Pc inside_until = 0;
    const Pc end = static_cast<Pc>(code_.instructions.size());
    for (Pc pc = 0; pc < end; ++pc) {
      if (const auto* atomic = std::get_if<Atomic>(&code_.instructions[pc].node))
        inside_until = atomic->end;
      if (pc >= inside_until && code_.instructions[pc].opcode() == Opcode::Enter) join(pc);
    }
  }

 private:
  void join(Pc enter) {
    enter_ = code_.instructions[enter];
    invoke_ = code_.instructions[enter + 1];
    given_.clear();
    is_known_ = true;
    for_each_expr(invoke_, [this](ExprId expr) { find_given(expr); });
    const std::size_t before = code_.instructions.size();
    limit_ = before + kMostCopied;
    path_.clear();
    if (!is_known_ || !copy(enter + 2)) {
      code_.instructions.resize(before);
      return;
    }
    const Instruction jump{Jump{static_cast<Pc>(before)}, enter_.range, {}};
    code_.instructions[enter] = jump;
    code_.instructions[enter + 1] = jump;
  }

  void find_given(ExprId id) {
    const Expr& expr = system_.exprs[id];
    if (expr.op == ExprOp::Local) given_.push_back(static_cast<Slot>(expr.value));
    is_known_ = is_known_ && expr.op != ExprOp::LocalAt;
    for (const ExprId part : {expr.a, expr.b, expr.c})
      if (part.valid()) find_given(part);
  }

  bool changes_given(const Instruction& instruction) const {
    bool result = false;
    for_each_assigned(instruction, [&](Slot slot) {
      result = result || std::find(given_.begin(), given_.end(), slot) != given_.end();
    });
    return result;
  }

  bool append(Instruction instruction) {
    code_.instructions.push_back(std::move(instruction));
    return code_.instructions.size() < limit_;
  }
  bool append_jump(Pc to) { return append({Jump{to}, invoke_.range, {}}); }

  /// Copies what follows up to the first operation on each way; false: that cannot be done.
  bool copy(Pc pc) {
    const std::size_t depth = path_.size();
    for (;;) {
      if (std::find(path_.begin(), path_.end(), pc) != path_.end()) return false;
      path_.push_back(pc);
      const Instruction from = code_.instructions[pc];
      if (const auto* jump = std::get_if<Jump>(&from.node)) {
        pc = jump->target;
        continue;
      }
      if (const auto* branch = std::get_if<Branch>(&from.node)) {
        const bool copied = copy_branch(from, *branch);
        path_.resize(depth);
        return copied;
      }
      if (is_plain(from)) {
        if (changes_given(from) || !append(from)) return false;
        ++pc;
        continue;
      }
      path_.resize(depth);
      if (!joins(from)) return append(enter_) && append(invoke_) && append_jump(pc);
      if (changes_given(from)) return false;
      Instruction operation = from;
      if (auto* acquire = std::get_if<Acquire>(&operation.node)) acquire->begins_call = true;
      return append(std::move(operation)) && append(invoke_) && append_jump(pc + 1);
    }
  }

  bool copy_branch(const Instruction& from, const Branch& branch) {
    const std::size_t at = code_.instructions.size();
    if (!append(from)) return false;
    const Pc if_true = static_cast<Pc>(code_.instructions.size());
    if (!copy(branch.if_true)) return false;
    const Pc if_false = static_cast<Pc>(code_.instructions.size());
    if (!copy(branch.if_false)) return false;
    auto& copied = std::get<Branch>(code_.instructions[at].node);
    copied.if_true = if_true;
    copied.if_false = if_false;
    return true;
  }

  /// Local computation that goes on with the next instruction.
  static bool is_plain(const Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::Set:
      case Opcode::Assert:
      case Opcode::Assume:
      case Opcode::Mark:
      case Opcode::New:
      case Opcode::Construct:
      case Opcode::ReadConstant:
      case Opcode::WriteConstant:
        return true;
      default:
        return false;
    }
  }

  bool is_atomic(const Place& place) const {
    return system_.objects[place.base].kind == ObjectKind::Atomic;
  }

  /// Operations that are visible in every state, and end in one place.
  /// Not where two threads meet: both calls have begun before either returns.
  bool joins(const Instruction& instruction) const {
    bool meets = false;
    for_each_place(instruction, [&](const Place& place, Effects) {
      const Object& object = system_.objects[place.base];
      meets = meets || (object.kind == ObjectKind::Channel && object.capacity == 0);
    });
    if (meets) return false;
    return std::visit(Cases{[this](const Read& node) { return is_atomic(node.place); },
                            [this](const Write& node) { return is_atomic(node.place); },
                            [](const auto& node) {
                              using Node = std::decay_t<decltype(node)>;
                              return std::is_same_v<Node, Update> ||
                                     std::is_same_v<Node, Acquire> || std::is_same_v<Node, Up> ||
                                     std::is_same_v<Node, Down> || std::is_same_v<Node, Send> ||
                                     std::is_same_v<Node, Receive> || std::is_same_v<Node, Close> ||
                                     std::is_same_v<Node, Closed> || std::is_same_v<Node, Size>;
                            }},
                      instruction.node);
  }

  const System& system_;
  Code& code_;
  Instruction enter_;
  Instruction invoke_;
  std::vector<Slot> given_;  // what the call was given is there
  bool is_known_ = true;
  std::size_t limit_ = 0;
  std::vector<Pc> path_;
};

}  // namespace

void join_invocations(const System& system, Code& code) { Joiner(system, code).run(); }

}  // namespace cml::ir::lowering
