// Model to System: specialises the model to its thread instances (docs/reference.md,
// "Transitions"). The one entrance to `ir/lower/`.
#pragma once

#include <string>

#include "frontend/model.h"
#include "ir/system.h"
#include "support/expected.h"

namespace cml::ir {

/// A construct that cannot be lowered (yet), or a limit: named, with its place. The verdict is
/// `inconclusive`.
struct Unsupported {
  std::string message;  // "`spawn` is checked but cannot be run yet"
  SourceRange range;
};

[[nodiscard]] Expected<System, Unsupported> lower(const model::Model& model,
                                                  const SourceSet& sources);

}  // namespace cml::ir
