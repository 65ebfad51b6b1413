// What the report says of threads that are stuck.
#pragma once

#include <string>
#include <vector>

#include "checker/monitor/finding.h"
#include "checker/result.h"
#include "ir/system.h"

namespace cml::checker {

/// Of stuck threads, each waits for one that is stuck as well: the owner of the lock, the thread
/// that it joins, or the only one that could do what it waits for. Empty: there is no such cycle.
[[nodiscard]] std::vector<std::string> cycle_of(const std::vector<ThreadStatus>& threads);
[[nodiscard]] std::string stuck_message(const ir::System& system, const Finding& finding);

}  // namespace cml::checker
