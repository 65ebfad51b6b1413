// Threads that begin when all but daemons may have ended, so that `finally` is run before they
// begin and after they have ended, and not in between. A `spawn` that starts one changes what
// `finally` depends on, as the end of a thread does: so it is visible, and depends on writes to
// what `finally` reads.
#pragma once

#include <variant>
#include <vector>

#include "ir/analysis/visibility.h"
#include "ir/system.h"

namespace cml::ir {

/// The lives of the threads that a daemon may spawn, and that are none. Empty if there is no
/// `finally`.
[[nodiscard]] std::vector<ObjectId> late_starts(const System& system);

/// Whether the instruction starts one; all that it may start are of one template.
[[nodiscard]] inline bool is_late_start(const Instruction& instruction,
                                        const Visibility& visibility) {
  const auto* spawn = std::get_if<Spawn>(&instruction.node);
  return spawn != nullptr && visibility.is_watched[spawn->thread.base];
}

}  // namespace cml::ir
