#include "ir/promela/zero_slots.h"

#include <algorithm>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"

namespace cml::ir::promela {
namespace {

void apply(const System& system, const Instruction& instruction, std::vector<bool>& zero) {
  const auto* set = std::get_if<Set>(&instruction.node);
  const bool stores_zero = set != nullptr && !set->target.index &&
                           system.exprs[set->value].op == ExprOp::Constant &&
                           system.exprs[set->value].value == 0;
  for_each_target(instruction, [&](const LocalPlace& target, Assigned) {
    const Slot end = target.slot + (target.index ? target.count : 1);
    for (Slot slot = target.slot; slot < end; ++slot)
      zero[slot] = stores_zero;
  });
}

}  // namespace

std::vector<std::vector<bool>> zero_slots(const System& system, const Code& code) {
  std::vector<std::vector<bool>> zero(code.instructions.size());
  std::vector<Pc> work;
  if (zero.empty()) return zero;
  zero[0].assign(code.slots.size(), true);
  work.push_back(0);
  std::vector<bool> reached(code.instructions.size(), false);
  reached[0] = true;
  std::vector<Pc> next;
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    std::vector<bool> after = zero[pc];
    apply(system, code.instructions[pc], after);
    next.clear();
    successors(code, pc, next);
    for (const Pc to : next) {
      if (!reached[to]) {
        reached[to] = true;
        zero[to] = after;
        work.push_back(to);
        continue;
      }
      bool changed = false;
      for (Slot slot = 0; slot < after.size(); ++slot) {
        if (!zero[to][slot] || after[slot]) continue;
        zero[to][slot] = false;
        changed = true;
      }
      if (changed) work.push_back(to);
    }
  }
  for (std::size_t pc = 0; pc < zero.size(); ++pc)
    if (!reached[pc]) zero[pc].assign(code.slots.size(), false);
  return zero;
}

}  // namespace cml::ir::promela
