// A result as SARIF 2.1.0 (OASIS, 2020), which code-scanning services and editors show at the lines
// that it is about: violations as errors with the trace as a code flow, warnings as such, and what
// is wrong with a model's text.
#pragma once

#include "report/diagnostics_json.h"

namespace cml::report {

/// `document`: a cml-result/1, also of a model with errors.
[[nodiscard]] Json result_sarif(const Json& document);

}  // namespace cml::report
