// What random walks have come to, beside what they have found: for people and for programs.
#pragma once

#include <string>
#include <string_view>

#include "checker/simulate.h"
#include "report/diagnostics_json.h"
#include "report/terminal_text.h"

namespace cml::report {

[[nodiscard]] std::string_view name(checker::Scheduler scheduler);

[[nodiscard]] std::string simulation_text(const checker::WalkOptions& walks,
                                          const checker::WalkStatistics& told,
                                          const TextStyle& style);

/// The member `simulation` of a document.
[[nodiscard]] Json simulation_json(const checker::WalkOptions& walks,
                                   const checker::WalkStatistics& told);

}  // namespace cml::report
