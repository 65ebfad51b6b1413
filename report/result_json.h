// A result for programs: a cml-result/1 document (docs/command-line.md).
#pragma once

#include "checker/options.h"
#include "checker/result.h"
#include "frontend/model.h"
#include "report/diagnostics_json.h"

namespace cml::report {

/// `model` is the path as the user gave it; `warnings` are those of the front end.
[[nodiscard]] Json result_json(const SourceSet& sources, const std::string& model,
                               const model::Model& checked, const Diagnostics& warnings,
                               const checker::Options& options, const checker::Result& result);

}  // namespace cml::report
