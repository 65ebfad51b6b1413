#include "ir/analysis/late_starts.h"

#include "ir/describe.h"

namespace cml::ir {

std::vector<ObjectId> late_starts(const System& system) {
  std::vector<ObjectId> result;
  if (system.finals.empty()) return result;
  for (const Thread& thread : system.threads) {
    if (!thread.is_daemon) continue;
    for (const Instruction& instruction : thread.code.instructions)
      if (const auto* spawn = std::get_if<Spawn>(&instruction.node))
        for_each_object(spawn->thread, [&](ObjectId life) {
          if (!system.threads[system.objects[life].thread].is_daemon) result.push_back(life);
        });
  }
  return result;
}

}  // namespace cml::ir
