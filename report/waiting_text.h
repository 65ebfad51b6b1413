// What a thread waits at and has, in words: the same in a report, in a walk by hand and where a
// saved trace fits no longer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/result.h"

namespace cml::report {

/// "waits at fork[1].acquire(), which Philosopher[1] holds"; of a thread that is blocked. `place`
/// is said behind the operation.
[[nodiscard]] std::string waiting_text(const checker::ThreadStatus& thread,
                                       std::string_view place = {});

/// The step of a trace by which a thread has got a lock that it holds at the end; null: there is
/// none, as of a lock that was tried in a block.
[[nodiscard]] const checker::TraceStep* taken_at(const std::vector<checker::TraceStep>& trace,
                                                 const std::string& thread,
                                                 const std::string& lock);

}  // namespace cml::report
