// What the verdict `verified` says, and what it does not: the last line of a report.
#pragma once

#include <string>
#include <vector>

#include "checker/result.h"

namespace cml::report {

struct Promise {
  std::vector<std::string> none_of;      // "deadlock"
  std::vector<std::string> holds;        // "property served under weak fairness"
  std::vector<std::string> not_checked;  // "termination under fairness"
};

[[nodiscard]] Promise promise_of(const checker::Result& result);

/// "verified: no deadlock, no lost thread, …; not checked: … (see docs/liveness.md)".
[[nodiscard]] std::string promise_text(const checker::Result& result);

}  // namespace cml::report
