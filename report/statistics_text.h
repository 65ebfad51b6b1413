// `--stats`: what the search and its reduction did, as text.
#pragma once

#include <string>

#include "checker/options.h"
#include "checker/result.h"

namespace cml::report {

[[nodiscard]] std::string statistics_text(const checker::Options& options,
                                          const checker::Statistics& stats);

}  // namespace cml::report
