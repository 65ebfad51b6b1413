// How transitions are executed in a search with these options.
#pragma once

#include "checker/options.h"
#include "ir/exec/step.h"
#include "support/stop_token.h"

namespace cml::checker {

/// `stop`: see ir::StepConfig.
[[nodiscard]] inline ir::StepConfig step_config(const Options& options,
                                                const StopToken* stop = nullptr) {
  ir::StepConfig config;
  config.stop_token = stop;
  config.spurious_wakeups = options.spurious_wakeups;
  config.max_invisible = options.limits.max_invisible;
  config.stop = options.composes() ? ir::Stop::Visible : ir::Stop::Micro;
  return config;
}

}  // namespace cml::checker
