// Who waits to be notified, and for nothing else.
#pragma once

#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

/// Whether nobody has notified the thread, which is in a wait set without a limit of time.
[[nodiscard]] inline bool is_waiting(const ir::System& system, const ir::Layout& layout,
                                     const std::uint8_t* state, ir::ThreadId thread) {
  if (layout.wait_status(state, thread) != ir::WaitStatus::Waiting) return false;
  const ir::Code& code = system.threads[thread].code;
  const ir::Pc pc = code.location_pc[location(layout, state, thread)];
  return code.instructions[pc].opcode() == ir::Opcode::Rewait;
}

}  // namespace cml::checker
