// Several checks: of models, and with several values of constants; each in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/check_options.h"
#include "app/console.h"
#include "app/exit_status.h"

namespace cml::app {

struct PlannedCheck {
  std::string model;
  Definitions definitions;
  std::string varied;  // "N=2": what others of the list define otherwise
};

/// Checks all of them, `jobs` at a time (0: one for each processor), and tells of them in the order
/// of the list. Not all options make sense for several models. `options` holds what is common to
/// all. The status is the worst: 4, then 2, 1, 3, 0.
[[nodiscard]] ExitStatus check_models(const std::vector<PlannedCheck>& checks,
                                      const CheckOptions& options, std::uint64_t jobs,
                                      Console& console);

/// Of two checks, what is told if only one thing can be.
[[nodiscard]] ExitStatus worse(ExitStatus a, ExitStatus b);

}  // namespace cml::app
