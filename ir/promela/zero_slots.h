// Which slots are certainly 0 at each instruction: most, because temporaries and variables out of
// scope are. A guard that is made a formula reads better without them.
//
// A forward fixed point; where paths meet, a slot is 0 if it is on all of them.
#pragma once

#include <vector>

#include "ir/system.h"

namespace cml::ir::promela {

/// By Pc and slot, before the instruction; nothing is known where control cannot come.
[[nodiscard]] std::vector<std::vector<bool>> zero_slots(const System& system, const Code& code);

}  // namespace cml::ir::promela
