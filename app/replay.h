// Following a saved trace in a model, which may have changed since.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/saved_trace.h"
#include "app/walker.h"

namespace cml::app {

/// How far it goes.
struct Followed {
  std::size_t steps = 0;       // that are as saved
  std::string why;             // the next one is not; empty: all are
  bool is_another = false;     // the next one can go, but does something else now
  checker::Walk::Found found;  // along these steps, and the other executions of the trace
};

/// Afterwards the walk stands where the trace does.
[[nodiscard]] Followed follow(Walker& walker, const SavedTrace& saved);

}  // namespace cml::app
