#include "checker/control_flow.h"

#include <algorithm>
#include <variant>

#include "ir/analysis/control_flow.h"

namespace cml::checker {
namespace {

/// Visible in whatever state it is executed.
bool always_visible(const ir::System& system, const ir::Instruction& instruction) {
  const auto is_atomic = [&system](const ir::Place& place) {
    return system.objects[place.base].kind == ir::ObjectKind::Atomic;
  };
  switch (instruction.opcode()) {
    case ir::Opcode::Read:
      return is_atomic(std::get<ir::Read>(instruction.node).place);
    case ir::Opcode::Write:
      return is_atomic(std::get<ir::Write>(instruction.node).place);
    case ir::Opcode::Update:
    case ir::Opcode::Rewait:
    case ir::Opcode::Up:
    case ir::Opcode::Down:
    case ir::Opcode::Send:
    case ir::Opcode::Receive:
    case ir::Opcode::Size:
    case ir::Opcode::Choose:
    case ir::Opcode::Either:
    case ir::Opcode::Select:
    case ir::Opcode::Guard:
      return true;
    default:
      return false;
  }
}

}  // namespace

// A location turns if it can reach itself through instructions that are not always visible, itself
// included. Removing, again and again, what has no successor left leaves the cycles and what leads
// to them: enough for a filter in front of an exact check.
std::vector<bool> may_turn_invisibly(const ir::System& system, const ir::Code& code) {
  const std::size_t size = code.instructions.size();
  std::vector<bool> turns(size);
  for (std::size_t pc = 0; pc < size; ++pc)
    turns[pc] = !always_visible(system, code.instructions[pc]);
  std::vector<ir::Pc> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = size; pc-- > 0;) {
      if (!turns[pc]) continue;
      next.clear();
      ir::successors(code, static_cast<ir::Pc>(pc), next);
      if (std::any_of(next.begin(), next.end(), [&turns](ir::Pc to) { return turns[to]; }))
        continue;
      turns[pc] = false;
      changed = true;
    }
  }
  std::vector<bool> result(code.location_pc.size(), false);
  for (std::size_t at = ir::kFirstLocation; at < result.size(); ++at)
    result[at] = turns[code.location_pc[at]];
  return result;
}

}  // namespace cml::checker
