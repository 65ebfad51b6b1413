#include "ir/analysis/code_flow.h"

#include <algorithm>
#include <variant>

namespace cml::ir {

void successors(const Code& code, Pc pc, std::vector<Pc>& out) {
  const auto& node = code.instructions[pc].node;
  if (const auto* jump = std::get_if<Jump>(&node)) {
    out.push_back(jump->target);
  } else if (const auto* branch = std::get_if<Branch>(&node)) {
    out.push_back(branch->if_true);
    out.push_back(branch->if_false);
  } else if (const auto* either = std::get_if<Either>(&node)) {
    out.insert(out.end(), either->targets.begin(), either->targets.end());
  } else if (const auto* select = std::get_if<Select>(&node)) {
    for (const Select::Case& item : select->cases)
      out.push_back(item.next);
    if (select->otherwise) out.push_back(*select->otherwise);
  } else if (!std::holds_alternative<End>(node) && pc + 1 < code.instructions.size()) {
    out.push_back(pc + 1);
  }
}

std::vector<bool> reachable(const Code& code) {
  std::vector<bool> seen(code.instructions.size(), false);
  std::vector<Pc> work;
  if (!seen.empty()) work.push_back(0);
  std::vector<Pc> next;
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    if (seen[pc]) continue;
    seen[pc] = true;
    next.clear();
    successors(code, pc, next);
    work.insert(work.end(), next.begin(), next.end());
  }
  return seen;
}

std::vector<bool> evaluates_guard(const Code& code) {
  std::vector<bool> result(code.instructions.size(), false);
  std::vector<Pc> next;
  for (Pc begin = 0; begin < code.instructions.size(); ++begin) {
    const auto* block = std::get_if<Atomic>(&code.instructions[begin].node);
    if (block == nullptr) continue;
    // Backwards, until nothing changes: most blocks have no guard or no loop.
    for (bool changed = true; changed;) {
      changed = false;
      for (Pc pc = block->end; pc-- > begin + 1;) {
        if (result[pc]) continue;
        next.clear();
        successors(code, pc, next);
        result[pc] = code.instructions[pc].opcode() == Opcode::Guard ||
                     std::any_of(next.begin(), next.end(), [&](Pc to) {
                       return begin < to && to < block->end && result[to];
                     });
        changed = changed || result[pc];
      }
    }
  }
  return result;
}

}  // namespace cml::ir
