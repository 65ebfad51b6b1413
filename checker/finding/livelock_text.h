// What the report says of a thread that spins: the objects that it looks at in its loop, which
// threads have code that changes them, and where those are now.
#pragma once

#include <vector>

#include "checker/monitor/finding.h"
#include "checker/result.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// The objects that a thread has looked at, without those of the thread itself.
[[nodiscard]] std::vector<ir::ObjectId> looked_at(const ir::System& system,
                                                  const std::vector<ir::Touch>& touches);

/// `threads`: their status at the end of the trace.
[[nodiscard]] std::vector<LookedAt> who_could_change(const ir::Analyses& analyses,
                                                     ir::ThreadId spinning,
                                                     const std::vector<ir::ObjectId>& objects,
                                                     const std::vector<ThreadStatus>& threads);

/// `is_something_changing`: others change what it looks at.
[[nodiscard]] std::string livelock_message(const Violation& violation, bool is_something_changing);

}  // namespace cml::checker
