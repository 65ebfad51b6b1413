// The loop around an instruction, and what it does to each slot.
#include "ir/analysis/execution_bounds.h"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

constexpr std::size_t kMaxCells = std::size_t{1} << 16;  // slots × instructions

using Pcs = std::vector<bool>;

/// What can be reached from the successors of `pc`, not through `without`, and not outside
/// `within`.
Pcs reached_behind(const Code& code, Pc pc, const Pcs* within, const Pcs* without) {
  Pcs reached(code.instructions.size(), false);
  std::vector<Pc> work{pc};
  std::vector<Pc> next;
  while (!work.empty()) {
    const Pc at = work.back();
    work.pop_back();
    next.clear();
    successors(code, at, next);
    for (const Pc to : next) {
      if (reached[to] || (within != nullptr && !(*within)[to])) continue;
      if (without != nullptr && (*without)[to]) continue;
      reached[to] = true;
      work.push_back(to);
    }
  }
  return reached;
}

/// Instructions from which `pc` can be reached.
Pcs leading_to(const Code& code, Pc pc) {
  std::vector<std::vector<Pc>> before(code.instructions.size());
  std::vector<Pc> next;
  for (Pc at = 0; at < before.size(); ++at) {
    next.clear();
    successors(code, at, next);
    for (const Pc to : next)
      before[to].push_back(at);
  }
  Pcs leading(before.size(), false);
  std::vector<Pc> work{pc};
  while (!work.empty()) {
    const Pc at = work.back();
    work.pop_back();
    for (const Pc from : before[at]) {
      if (leading[from]) continue;
      leading[from] = true;
      work.push_back(from);
    }
  }
  return leading;
}

/// The direction in which an instruction counts a slot: 1, -1, or 0 if it assigns something else.
int direction(const System& system, const Operation& node, Slot slot) {
  const auto* set = std::get_if<Set>(&node);
  if (set == nullptr || set->target.index) return 0;
  const Expr& expr = system.exprs[set->value];
  if (expr.op != ExprOp::Add && expr.op != ExprOp::Subtract) return 0;
  const Expr* local = &system.exprs[expr.a];
  const Expr* by = &system.exprs[expr.b];
  if (expr.op == ExprOp::Add && local->op == ExprOp::Constant) std::swap(local, by);
  const bool counts = local->op == ExprOp::Local && static_cast<Slot>(local->value) == slot &&
                      by->op == ExprOp::Constant && by->value != 0;
  if (!counts) return 0;
  return (by->value > 0) == (expr.op == ExprOp::Add) ? 1 : -1;
}

/// The instructions of the loop that count the slot; none if something else assigns it, or they
/// count in both directions.
std::optional<Pcs> counting(const System& system, const Code& code, const Pcs& loop, Slot slot) {
  Pcs result(code.instructions.size(), false);
  int all = 0;
  for (Pc pc = 0; pc < result.size(); ++pc) {
    if (!loop[pc]) continue;
    const Operation& node = code.instructions[pc].node;
    bool assigns = false;
    for_each_assigned(node, [&](Slot assigned) { assigns = assigns || assigned == slot; });
    if (!assigns) continue;
    const int one = direction(system, node, slot);
    if (one == 0 || one == -all) return std::nullopt;
    all = one;
    result[pc] = true;
  }
  if (all == 0) return std::nullopt;
  return result;
}

}  // namespace

std::optional<std::uint64_t> execution_bound(const System& system, const Code& code,
                                             const ValueRanges& ranges, Pc pc) {
  Pcs loop = reached_behind(code, pc, nullptr, nullptr);
  if (!loop[pc] || CML_MUTATION("loops-go-round-once")) return 1;
  if (code.slots.size() * code.instructions.size() > kMaxCells) return std::nullopt;
  const Pcs leading = leading_to(code, pc);
  for (Pc at = 0; at < loop.size(); ++at)
    loop[at] = loop[at] && leading[at];
  for (Slot slot = 0; slot < code.slots.size(); ++slot) {
    const std::optional<Pcs> counts = counting(system, code, loop, slot);
    if (!counts || (*counts)[pc]) continue;
    if (reached_behind(code, pc, &loop, &*counts)[pc]) continue;
    const ValueRanges::Range range = ranges.at(pc, slot);
    return static_cast<std::uint64_t>(std::int64_t{range.hi} - range.lo) + 1;
  }
  return std::nullopt;
}

}  // namespace cml::ir
