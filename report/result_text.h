// A result for people: what is wrong in one sentence, who holds what and waits for what, the trace,
// then what to try; or what was verified, and what protects what.
#pragma once

#include <string>

#include "checker/result.h"
#include "frontend/source.h"
#include "report/terminal_text.h"

namespace cml::report {

/// `model` is the path as the user gave it.
[[nodiscard]] std::string result_text(const SourceSet& sources, const std::string& model,
                                      const checker::Result& result, const TextStyle& style);

/// One violation of it, as there.
[[nodiscard]] std::string violation_text(const SourceSet& sources,
                                         const checker::Violation& violation,
                                         const TextStyle& style);

}  // namespace cml::report
