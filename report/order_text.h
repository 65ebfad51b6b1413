// What is ordered between threads, and by what: beside a data race, and beside a violation of the
// lock discipline that is none.
#pragma once

#include <string>
#include <vector>

#include "checker/result.h"
#include "frontend/source.h"

namespace cml::report {

/// Sentences, each a paragraph.
[[nodiscard]] std::vector<std::string> order_text(const SourceSet& sources,
                                                  const checker::Violation& violation);

}  // namespace cml::report
