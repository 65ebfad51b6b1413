// `-D NAME=value` as it stands on the command line.
#pragma once

#include <string>
#include <vector>

#include "app/arguments.h"
#include "frontend/load_model.h"

namespace cml::app {

/// A name given twice takes the last value. Whether the model has such a constant, and whether the
/// value fits, is for the front end to say.
[[nodiscard]] Expected<Definitions, UsageError> parse_definitions(
    const std::vector<std::string>& words);

}  // namespace cml::app
