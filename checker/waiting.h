// Who waits to be notified, and whether nobody need notify it.
#pragma once

#include <algorithm>
#include <span>

#include "checker/options.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"
#include "support/mutation.h"

namespace cml::checker {

/// Whether nobody has notified the thread, which is in a wait set without a limit of time.
[[nodiscard]] inline bool is_waiting(const ir::System& system, const ir::Layout& layout,
                                     const std::uint8_t* state, ir::ThreadId thread) {
  if (layout.wait_status(state, thread) != ir::WaitStatus::Waiting) return false;
  const ir::Code& code = system.threads[thread].code;
  const ir::Pc pc = code.location_pc[location(layout, state, thread)];
  return code.instructions[pc].opcode() == ir::Opcode::Rewait;
}

/// Whether one of the actions is a wakeup that nobody has caused. It is no progress, so a state
/// behind it says nothing about who is stuck in this one: reductions explore all actions there.
[[nodiscard]] inline bool has_spurious_wakeup(const Options& options, const ir::Layout& layout,
                                              const std::uint8_t* state,
                                              std::span<const ir::Action> actions) {
  return options.spurious_wakeups && !CML_MUTATION("spurious-wakeups-are-in-sets") &&
         std::ranges::any_of(actions, [&](const ir::Action& action) {
           return layout.wait_status(state, action.thread) == ir::WaitStatus::Waiting;
         });
}

}  // namespace cml::checker
