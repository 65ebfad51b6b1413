// Why properties of executions could not be decided.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "checker/monitor/limit_monitor.h"

namespace cml::checker {

struct LivenessLimits {
  LimitMonitor places;             // limits that belong to a place in the model
  std::vector<std::string> names;  // others

  void note(std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  [[nodiscard]] bool any() const { return !names.empty() || !places.limits().empty(); }
};

}  // namespace cml::checker
