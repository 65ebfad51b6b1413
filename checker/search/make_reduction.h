// The reduction that a depth-first search asks what to explore, by its options: the dynamic ones,
// with a store or without one, or the static ones in the same shape
// (checker/reduction/reduction.h).
#pragma once

#include <memory>

#include "checker/memory_budget.h"
#include "checker/reduction/reduction.h"
#include "checker/search/search.h"

namespace cml::checker {

[[nodiscard]] std::unique_ptr<Reduction> make_reduction(const SearchInput& input,
                                                        const MemoryBudget& budget);

}  // namespace cml::checker
