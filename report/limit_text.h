// What to do about a limit that ended a search, or a part of it.
#pragma once

#include <string>
#include <string_view>

#include "checker/result.h"

namespace cml::report {

/// A sentence about the limit of this name (Statistics::limits_hit), without its name and place;
/// empty where there is nothing to say, as of `interrupted`.
[[nodiscard]] std::string_view limit_text(std::string_view limit, const checker::Statistics& stats);

}  // namespace cml::report
