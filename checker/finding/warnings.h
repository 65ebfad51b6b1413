// Warnings (docs/reference.md, "Warnings and limits"): they change no verdict; those that say
// "never" are given only after a complete search.
#pragma once

#include <vector>

#include "checker/monitor/monitors.h"
#include "checker/result.h"
#include "ir/analysis/held_locks.h"

namespace cml::checker {

/// The warnings that follow from what the monitors have recorded.
[[nodiscard]] std::vector<Warning> warnings(const ir::System& system, const ir::Layout& layout,
                                            const ir::HeldLocks& held, const Monitors& monitors,
                                            bool complete);

/// Threads that work for ever though their code can end.
[[nodiscard]] std::vector<Warning> never_ending(const ir::System& system,
                                                const std::vector<ir::ThreadId>& threads);

}  // namespace cml::checker
