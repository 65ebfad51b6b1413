// What no execution has done (checker/coverage.h), for people and for programs.
#pragma once

#include <string>

#include "checker/coverage.h"
#include "frontend/source.h"
#include "report/diagnostics_json.h"
#include "report/terminal_text.h"

namespace cml::report {

/// What is missing, and how much is there.
[[nodiscard]] std::string coverage_text(const SourceSet& sources, const checker::Coverage& coverage,
                                        const TextStyle& style);

/// The files of the model, a mark before each line of which something is known, and below it what
/// is missing.
[[nodiscard]] std::string coverage_listing(const SourceSet& sources,
                                           const checker::Coverage& coverage,
                                           const TextStyle& style);

/// The member `coverage` of a document.
[[nodiscard]] Json coverage_json(const SourceSet& sources, const checker::Coverage& coverage);

}  // namespace cml::report
