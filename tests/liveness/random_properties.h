// Random properties of executions of a model: over its objects, threads and labels.
#pragma once

#include <string>

#include "frontend/model.h"
#include "tests/random/generator.h"

namespace cml::liveness {

/// Declarations of some properties, and perhaps `terminates`, each with or without a fairness.
[[nodiscard]] std::string random_properties(const model::Model& model,
                                            random_models::Random& random);

}  // namespace cml::liveness
