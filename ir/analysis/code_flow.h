// The control flow of code: the successors of an instruction, and what can be reached at all.
// Conditions are not evaluated; the lowering has pruned those that are constant in an instance.
#pragma once

#include <vector>

#include "ir/system.h"

namespace cml::ir {

/// Appends where control can get from `pc`.
void successors(const Code& code, Pc pc, std::vector<Pc>& out);

/// Instructions that control can reach from the start. Locations among the others are dead.
[[nodiscard]] std::vector<bool> reachable(const Code& code);

/// Instructions of atomic blocks behind which the same block has a Guard. An operation there is
/// part of what the guard evaluates; elsewhere it is the block's own. (Only the first operation of
/// a block may block, so no guard comes behind an operation of the block's own.)
[[nodiscard]] std::vector<bool> evaluates_guard(const Code& code);

}  // namespace cml::ir
