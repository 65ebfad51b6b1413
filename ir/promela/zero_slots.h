// Which slots are certainly 0 at each instruction: most, because temporaries and variables out of
// scope are. Guards are shorter formulas without them.
//
// A forward fixed point; where paths meet, a slot is 0 if it is on all of them.
#pragma once

#include <vector>

#include "ir/system.h"

namespace cml::ir::promela {

/// By Pc and slot, before the instruction; nothing is known where control cannot get.
[[nodiscard]] std::vector<std::vector<bool>> zero_slots(const System& system, const Code& code);

}  // namespace cml::ir::promela
