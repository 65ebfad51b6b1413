#include "ir/analysis/code_flow.h"

#include <algorithm>
#include <variant>

#include "ir/describe.h"

namespace cml::ir {

void successors(const Code& code, Pc pc, std::vector<Pc>& out) {
  struct Visitor : Description {
    const Code& code;
    Pc pc;
    std::vector<Pc>& out;
    Visitor(const Code& c, Pc at, std::vector<Pc>& o) : code(c), pc(at), out(o) {}
    void goes_on() {
      if (pc + 1 < code.instructions.size()) out.push_back(pc + 1);
    }
    void goes_to(Pc target) { out.push_back(target); }
  };
  describe(code.instructions[pc], Visitor(code, pc, out));
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
