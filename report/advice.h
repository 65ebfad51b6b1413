// What to try first, for a reader of a trace.
#pragma once

#include <string_view>

#include "checker/result.h"

namespace cml::report {

[[nodiscard]] std::string_view advice(const checker::Violation& violation);

}  // namespace cml::report
