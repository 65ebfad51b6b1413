// `--coverage`: a check, and behind it what no execution has done.
#pragma once

#include "app/check_options.h"
#include "app/console.h"
#include "app/exit_status.h"

namespace cml::app {

void declare_coverage(Arguments& arguments, CheckOptions& options);

/// As `check_model`, with coverage if that is asked for.
[[nodiscard]] ExitStatus check_with_coverage(const CheckOptions& options, Console& console);

}  // namespace cml::app
