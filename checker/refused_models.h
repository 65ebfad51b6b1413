// What a model has that some options cannot search, though others can: found when it is known,
// before anything is searched. What no model can be searched with is refused by combinations.h.
#pragma once

#include <optional>

#include "checker/options.h"
#include "checker/result.h"
#include "ir/system.h"

namespace cml::checker {

/// Why the options cannot search this model, and which can; none if they can.
[[nodiscard]] std::optional<Unsupported> refused(const ir::System& system, const Options& options);

}  // namespace cml::checker
