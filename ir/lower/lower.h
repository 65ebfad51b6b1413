// Model to System: specialises the model to its thread instances (docs/reference.md,
// "Transitions"). The one entrance to `ir/lower/`.
#pragma once

#include "frontend/model.h"
#include "ir/system.h"
#include "ir/unsupported.h"
#include "support/expected.h"

namespace cml::ir {

[[nodiscard]] Expected<System, Unsupported> lower(const model::Model& model,
                                                  const SourceSet& sources);

}  // namespace cml::ir
