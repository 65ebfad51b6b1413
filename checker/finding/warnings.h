// Warnings (docs/reference.md): they change no verdict; what says "never" is told only after a
// complete search.
#pragma once

#include <vector>

#include "checker/monitor/monitors.h"
#include "checker/result.h"

namespace cml::checker {

/// Of what the monitors have seen.
[[nodiscard]] std::vector<Warning> warnings(const ir::System& system, const ir::Layout& layout,
                                            const Monitors& monitors, bool complete);

}  // namespace cml::checker
