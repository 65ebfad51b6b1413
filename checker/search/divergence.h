// The control flow of a thread's code as the search asks for it: which locations could lie on a
// circle of invisible transitions (divergence, language.md §7). Flow is followed without evaluating
// conditions. What a thread may do from a location on is in ir/analysis/accesses.h.
#pragma once

#include <vector>

#include "ir/analysis/accesses.h"
#include "ir/system.h"

namespace cml::checker {

/// By location: whether the thread may come back there without an operation that is visible in
/// every state.
[[nodiscard]] std::vector<bool> may_diverge_invisibly(const ir::System& system,
                                                      const ir::Accesses& accesses,
                                                      ir::ThreadId thread);

}  // namespace cml::checker
