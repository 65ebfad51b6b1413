// One check of one model: reads it, explores it, delivers the result. What `cml check` does once,
// or for each of several models in a process of its own (check_models.h).
#pragma once

#include <functional>
#include <string>

#include "app/check_options.h"
#include "app/console.h"
#include "app/exit_status.h"
#include "app/explore.h"
#include "report/diagnostics_json.h"

namespace cml::app {

/// Another way to explore than a search, and what it says besides: members of the document, and the
/// end of the report for people.
struct Exploration {
  Run run = checker::check;
  std::function<void(report::Json&)> add_members = {};
  std::function<std::string(const report::TextStyle&)> more_text = {};
};

[[nodiscard]] ExitStatus check_model(const CheckOptions& options, Console& console,
                                     const Exploration& how = {});

}  // namespace cml::app
