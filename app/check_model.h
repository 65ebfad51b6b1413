// One check of one model: reads it, explores it, delivers the result. What `cml check` does once,
// or for each of several models in a process of its own (check_models.h).
#pragma once

#include "app/check_options.h"
#include "app/console.h"
#include "app/exit_status.h"

namespace cml::app {

[[nodiscard]] ExitStatus check_model(const CheckOptions& options, Console& console);

}  // namespace cml::app
