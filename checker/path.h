// A way through the state graph: what was executed since the initial state.
#pragma once

#include <vector>

#include "ir/exec/step.h"

namespace cml::checker {

/// Transitions of the search, or micro-transitions, in order.
using Path = std::vector<ir::Action>;

/// Where the search stands. Asked for rarely: only when something was found.
class PathSource {
 public:
  PathSource() = default;
  PathSource(const PathSource&) = delete;
  PathSource& operator=(const PathSource&) = delete;
  virtual ~PathSource() = default;
  /// The path to the state that is looked at; while a transition is looked at, it is the last.
  [[nodiscard]] virtual Path path() const = 0;
};

}  // namespace cml::checker
