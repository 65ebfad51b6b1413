#include "checker/reduction/choice_dependence.h"

#include <algorithm>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"

namespace cml::checker {
namespace {

bool decides_more_than_once(const ir::Code& code, ir::Pc begin, ir::Pc end) {
  int decisions = 0;
  bool loops = false;
  std::vector<ir::Pc> next;
  for (ir::Pc pc = begin; pc < end; ++pc) {
    if (ir::chooses(code.instructions[pc])) ++decisions;
    next.clear();
    ir::successors(code, pc, next);
    loops = loops || std::any_of(next.begin(), next.end(), [pc](ir::Pc to) { return to <= pc; });
  }
  return decisions > 1 || (decisions == 1 && loops);
}

bool decides_or_waits(const ir::Code& code, ir::Pc begin, ir::Pc end) {
  for (ir::Pc pc = begin; pc < end; ++pc) {
    const ir::Instruction& one = code.instructions[pc];
    bool waits = one.opcode() == ir::Opcode::Guard || ir::chooses(one);
    ir::for_each_wait(one,
                      [&](const ir::Place&, std::initializer_list<ir::Awaited>) { waits = true; });
    if (waits) return true;
  }
  return false;
}

}  // namespace

ChoiceDependence::ChoiceDependence(const ir::System& system, Visits visits)
    : blocks_(system.threads.size()) {
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc) {
      const auto* atomic = std::get_if<ir::Atomic>(&code.instructions[pc].node);
      if (atomic == nullptr) continue;
      const bool looks_ahead = visits == Visits::EveryTrace
                                   ? decides_or_waits(code, pc + 1, atomic->end)
                                   : decides_more_than_once(code, pc + 1, atomic->end);
      if (!looks_ahead) continue;
      std::vector<ir::ObjectUse>& looks = blocks_[thread][pc];
      for (ir::Pc inside = pc + 1; inside < atomic->end; ++inside)
        ir::for_each_use(code.instructions[inside],
                         [&looks](ir::ObjectUse use) { looks.push_back(use); });
      std::sort(looks.begin(), looks.end());
      looks.erase(std::unique(looks.begin(), looks.end()), looks.end());
    }
  }
}

const std::vector<ir::ObjectUse>& ChoiceDependence::looks(ir::ThreadId thread, ir::Pc pc) const {
  const auto found = blocks_[thread].find(pc);
  return found == blocks_[thread].end() ? none_ : found->second;
}

}  // namespace cml::checker
