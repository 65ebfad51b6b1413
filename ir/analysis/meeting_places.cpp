#include "ir/analysis/meeting_places.h"

#include <algorithm>

#include "ir/analysis/code_flow.h"
#include "support/mutation.h"

namespace cml::ir {

bool meets(const Instruction& instruction) {
  if (const auto* send = std::get_if<Send>(&instruction.node)) return send->meets;
  if (const auto* receive = std::get_if<Receive>(&instruction.node)) return receive->meets;
  const auto* select = std::get_if<Select>(&instruction.node);
  return select != nullptr &&
         std::any_of(select->cases.begin(), select->cases.end(),
                     [](const Select::Case& item) { return item.meets || item.when.has_value(); });
}

bool meets(const Code& code, Pc operation) {
  const auto* block = std::get_if<Atomic>(&code.instructions[operation].node);
  const Pc end = block == nullptr ? operation : block->end;
  for (Pc pc = operation; pc <= end; ++pc)
    if (meets(code.instructions[pc])) return true;
  return false;
}

bool has_rendezvous(const System& system) {
  for (const Thread& thread : system.threads)
    for (const Instruction& instruction : thread.code.instructions)
      if (meets(instruction)) return true;
  return false;
}

MeetingPlaces::MeetingPlaces(const System& system) {
  IdVector<ObjectId, bool> looked_at(system.objects.size(), false);
  bool any = false;
  const auto look = [&](const Place& place) {
    any = true;
    for_each_object(place, [&](ObjectId id) { looked_at[id] = true; });
  };
  for (const Thread& thread : system.threads)
    for (const Instruction& instruction : thread.code.instructions) {
      if (const auto* send = std::get_if<Send>(&instruction.node)) {
        if (send->meets && send->try_only) look(send->channel);
      } else if (const auto* receive = std::get_if<Receive>(&instruction.node)) {
        if (receive->meets && receive->try_only) look(receive->channel);
      } else if (const auto* select = std::get_if<Select>(&instruction.node)) {
        for (const Select::Case& item : select->cases)
          if (item.meets && select->otherwise) look(item.place);
      }
    }
  if (any && !CML_MUTATION("who-looks-for-a-partner-sees-no-arrivals"))
    is_looked_at_ = std::move(looked_at);
}

bool MeetingPlaces::waits_at(const Instruction& instruction) const {
  bool result = false;
  for_each(instruction, [&result](const Place&) { result = true; });
  return result;
}

bool MeetingPlaces::arrives(const Code& code, Pc operation) const {
  if (!any()) return false;
  const auto* block = std::get_if<Atomic>(&code.instructions[operation].node);
  const Pc end = block == nullptr ? operation : block->end;
  std::vector<bool> seen(code.instructions.size(), false);
  std::vector<Pc> work{operation};
  std::vector<Pc> next;
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    next.clear();
    successors(code, pc, next);
    for (const Pc to : next) {
      if (seen[to]) continue;
      seen[to] = true;
      const bool is_inside = operation < to && to <= end;
      if (!is_inside && is_operation(code.instructions[to].opcode())) {
        if (waits_at(code.instructions[to])) return true;
      } else {
        work.push_back(to);
      }
    }
  }
  return false;
}

}  // namespace cml::ir
