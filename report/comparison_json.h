// Several searches of one model for programs: a result document for each (docs/command-line.md),
// with a member that says how it stands beside the others.
#pragma once

#include <span>

#include "checker/comparison.h"
#include "frontend/model.h"
#include "report/diagnostics_json.h"

namespace cml::report {

/// A list. `model` is the path as the user gave it; `warnings` are those of the front end.
[[nodiscard]] Json comparison_json(const SourceSet& sources, const std::string& model,
                                   const model::Model& checked, const Diagnostics& warnings,
                                   std::span<const checker::Compared> all);

}  // namespace cml::report
