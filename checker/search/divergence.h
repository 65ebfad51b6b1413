// Which locations of a thread may lie on a cycle of invisible transitions, where divergence must be
// checked (docs/reference.md, "Violations"). Conditions are not evaluated. What a thread may do
// from a location on is in ir/analysis/accesses.h.
#pragma once

#include <vector>

#include "ir/analysis/accesses.h"
#include "ir/system.h"

namespace cml::checker {

/// By location: whether the thread may return there without an operation that is visible in every
/// state.
[[nodiscard]] std::vector<bool> may_diverge_invisibly(const ir::System& system,
                                                      const ir::Accesses& accesses,
                                                      ir::ThreadId thread);

}  // namespace cml::checker
