// Strongly connected components (Tarjan 1972), decomposed until no cycle is left.
#include "ir/promela/loops.h"

#include <algorithm>
#include <set>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"

namespace cml::ir::promela {
namespace {

using Nodes = std::vector<Pc>;

class Components {
 public:
  enum class Edges : std::uint8_t { Local, All };  // Local: within a transition
  Components(const Code& code, const Nodes& nodes, Edges edges = Edges::Local)
      : code_(code),
        edges_(edges),
        is_node_(code.instructions.size(), false),
        marks_(code.instructions.size()) {
    for (const Pc pc : nodes)
      is_node_[pc] = true;
    for (const Pc pc : nodes)
      if (marks_[pc].number == 0) visit(pc);
  }
  /// Those with a cycle.
  std::vector<Nodes> found;

 private:
  struct Mark {
    unsigned number = 0;
    unsigned low = 0;
    bool on_stack = false;
  };
  struct Frame {
    Pc pc = 0;
    std::vector<Pc> next;
    std::size_t at = 0;
  };

  [[nodiscard]] std::vector<Pc> next(Pc pc) const {
    std::vector<Pc> all;
    successors(code_, pc, all);
    std::erase_if(all, [this](Pc to) {
      const bool is_end = edges_ == Edges::Local && code_.pc_location[to] >= kFirstLocation;
      return !is_node_[to] || is_end;
    });
    return all;
  }

  void visit(Pc root) {
    std::vector<Frame> frames;
    enter(root, frames);
    while (!frames.empty()) {
      Frame& top = frames.back();
      if (top.at < top.next.size()) {
        const Pc to = top.next[top.at++];
        if (marks_[to].number == 0) {
          enter(to, frames);
        } else if (marks_[to].on_stack) {
          marks_[top.pc].low = std::min(marks_[top.pc].low, marks_[to].number);
        }
        continue;
      }
      leave(top);
      const unsigned low = marks_[top.pc].low;
      frames.pop_back();
      if (!frames.empty()) {
        Mark& mark = marks_[frames.back().pc];
        mark.low = std::min(mark.low, low);
      }
    }
  }
  void enter(Pc pc, std::vector<Frame>& frames) {
    marks_[pc] = {++count_, count_, true};
    stack_.push_back(pc);
    frames.push_back({pc, next(pc), 0});
  }
  void leave(const Frame& frame) {
    if (marks_[frame.pc].low != marks_[frame.pc].number) return;
    Nodes component;
    for (bool more = true; more;) {
      const Pc pc = stack_.back();
      stack_.pop_back();
      marks_[pc].on_stack = false;
      component.push_back(pc);
      more = pc != frame.pc;
    }
    const bool has_loop = std::ranges::find(frame.next, frame.pc) != frame.next.end();
    if (component.size() > 1 || has_loop) {
      std::ranges::sort(component);
      found.push_back(std::move(component));
    }
  }

  const Code& code_;
  Edges edges_;
  std::vector<bool> is_node_;
  std::vector<Mark> marks_;
  std::vector<Pc> stack_;
  unsigned count_ = 0;
};

/// By how much a `slot = slot + c` changes its slot; 0: the instruction is of another form.
std::int32_t step_of(const System& system, const Instruction& instruction) {
  const auto* set = std::get_if<Set>(&instruction.node);
  if (set == nullptr || set->target.index) return 0;
  const Expr& expr = system.exprs[set->value];
  if (expr.op != ExprOp::Add && expr.op != ExprOp::Subtract) return 0;
  const Expr& a = system.exprs[expr.a];
  const Expr& b = system.exprs[expr.b];
  const bool is_step = a.op == ExprOp::Local && static_cast<Slot>(a.value) == set->target.slot &&
                       b.op == ExprOp::Constant && b.value != INT32_MIN;
  if (!is_step) return 0;
  return expr.op == ExprOp::Add ? b.value : -b.value;
}

/// The steps of a slot that only grows, or only shrinks, in the component; empty: it does not.
Nodes monotone_steps(const System& system, const Code& code, const Nodes& nodes, Slot slot) {
  Nodes steps;
  bool up = false;
  bool down = false;
  bool other = false;
  for (const Pc pc : nodes) {
    const Instruction& instruction = code.instructions[pc];
    for_each_target(instruction, [&](const LocalPlace& target, Assigned) {
      const std::uint32_t count = target.index ? target.count : 1;
      if (slot < target.slot || slot >= target.slot + count) return;
      const std::int32_t by = step_of(system, instruction);
      (by > 0 ? up : by < 0 ? down : other) = true;
      steps.push_back(pc);
    });
  }
  if (other || up == down) steps.clear();
  return steps;
}

Nodes without(const Nodes& nodes, const Nodes& removed) {
  Nodes rest;
  std::ranges::set_difference(nodes, removed, std::back_inserter(rest));
  return rest;
}

bool surely_ends(const System& system, const Code& code, const Nodes& component) {
  std::set<Slot> candidates;
  for (const Pc pc : component)
    if (step_of(system, code.instructions[pc]) != 0)
      candidates.insert(std::get<Set>(code.instructions[pc].node).target.slot);
  return std::ranges::any_of(candidates, [&](Slot slot) {
    const Nodes steps = monotone_steps(system, code, component, slot);
    if (steps.empty()) return false;
    const Components rest(code, without(component, steps));
    return std::ranges::all_of(rest.found,
                               [&](const Nodes& part) { return surely_ends(system, code, part); });
  });
}

bool is_surely_visible(const System& system, const Instruction& instruction) {
  const auto [when, place] = visibility_rule(instruction);
  if (when == VisibleWhen::Reading || when == VisibleWhen::Writing)
    return system.objects[place->base].kind == ObjectKind::Atomic;
  return when == VisibleWhen::Always && is_operation(instruction.opcode());
}

}  // namespace

bool may_diverge(const System& system, const Code& code) {
  Nodes nodes;
  for (Pc pc = 0; pc < code.instructions.size(); ++pc)
    if (!is_surely_visible(system, code.instructions[pc])) nodes.push_back(pc);
  return !Components(code, nodes, Components::Edges::All).found.empty();
}

Loops::Loops(const System& system, const Code& code)
    : is_cut(code.instructions.size(), false), in_region(code.instructions.size(), false) {
  Pc region_end = 0;
  Nodes all;
  for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
    if (const auto* atomic = std::get_if<Atomic>(&code.instructions[pc].node))
      region_end = atomic->end;
    else
      in_region[pc] = pc <= region_end && region_end != 0;
    all.push_back(pc);
  }
  std::vector<Nodes> work = Components(code, all).found;
  while (!work.empty()) {
    const Nodes component = std::move(work.back());
    work.pop_back();
    if (surely_ends(system, code, component)) continue;
    const Pc head = component.front();
    if (in_region[head]) {
      endless = head;
      return;
    }
    is_cut[head] = true;
    const Components rest(code, without(component, {head}));
    work.insert(work.end(), rest.found.begin(), rest.found.end());
  }
}

}  // namespace cml::ir::promela
