// A path through the state graph: what was executed since the initial state.
#pragma once

#include <vector>

#include "ir/exec/step.h"

namespace cml::checker {

/// Transitions of the search, or micro-transitions, in order.
using Path = std::vector<ir::Action>;

/// The search, as the monitors use it: how it has reached the current state. Asked rarely: only
/// when something was found.
class PathSource {
 public:
  PathSource() = default;
  PathSource(const PathSource&) = delete;
  PathSource& operator=(const PathSource&) = delete;
  virtual ~PathSource() = default;
  /// The path to the current state; while the monitors see a transition, that is its last one.
  [[nodiscard]] virtual Path path() const = 0;
};

}  // namespace cml::checker
