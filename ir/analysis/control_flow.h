// The control flow of code: where an instruction can go on, and what can be reached at all.
// Conditions are not evaluated; the lowering has pruned those that are constant in an instance.
#pragma once

#include <vector>

#include "ir/system.h"

namespace cml::ir {

/// Appends where control can go from `pc`.
void successors(const Code& code, Pc pc, std::vector<Pc>& out);

/// Instructions that control can reach from the start. Locations among the others are dead.
[[nodiscard]] std::vector<bool> reachable(const Code& code);

}  // namespace cml::ir
