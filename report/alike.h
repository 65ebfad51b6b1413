// Violations that are alike: of the same kind at the same place, with the same words apart from the
// indices of threads and elements. Of `Philosopher[0]` and `Philosopher[1]` who do the same, one
// tells all.
#pragma once

#include <cstddef>
#include <vector>

#include "checker/result.h"

namespace cml::report {

/// Of each violation, which is the first that is like it: its own number, if it is the first.
[[nodiscard]] std::vector<std::size_t> first_alike(
    const std::vector<checker::Violation>& violations);

}  // namespace cml::report
