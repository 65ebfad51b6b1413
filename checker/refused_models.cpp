#include "checker/refused_models.h"

#include "ir/analysis/meeting_places.h"

namespace cml::checker {

std::optional<Unsupported> refused(const ir::System& system, const Options& options) {
  if (!options.reduction.is_dynamic()) return std::nullopt;
  for (const ir::Thread& thread : system.threads)
    for (const ir::Instruction& instruction : thread.code.instructions)
      if (ir::meets(instruction))
        return Unsupported{
            "two threads meet at a rendezvous in one transition, and dynamic reductions know "
            "transitions of one thread; use `--reduction stubborn+sleep`",
            instruction.range};
  return std::nullopt;
}

}  // namespace cml::checker
