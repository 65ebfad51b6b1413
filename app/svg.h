// Drawing DOT by Graphviz, if that is installed.
#pragma once

#include <string>

#include "app/arguments.h"

namespace cml::app {

[[nodiscard]] Expected<std::string, UsageError> svg_of(const std::string& dot);

}  // namespace cml::app
