// A result as a page for a browser: one file, with the sources, that fetches nothing.
//
// The page (report/html/viewer.html) is the same for all results; the result is in it as JSON, the
// document that `--format json` writes.
#pragma once

#include <string>

#include "frontend/source.h"
#include "report/diagnostics_json.h"

namespace cml::report {

/// `document`: a cml-result/1.
[[nodiscard]] std::string result_html(const SourceSet& sources, const Json& document);

}  // namespace cml::report
