// Why a System cannot be made, or not be exported.
#pragma once

#include <string>

#include "frontend/source.h"

namespace cml::ir {

/// A construct that cannot be lowered (yet), or that Promela cannot express, or a limit: named,
/// with its place. The verdict is `inconclusive`.
struct Unsupported {
  std::string message;  // "`spawn` is checked but cannot be run yet"
  SourceRange range;
};

}  // namespace cml::ir
