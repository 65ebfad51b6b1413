// The objects of the initial state: what top-level initialisers allocate is made before the search,
// and becomes initial values.
#pragma once

#include <string>
#include <vector>

#include "ir/system.h"
#include "ir/unsupported.h"
#include "support/expected.h"

namespace cml::ir {

/// What makes the initial value of a declared object. It belongs to no thread.
struct Initialiser {
  std::string declaration;  // "list", "Node[0].list"
  SourceRange declared;
  Code code;
};

/// Executes them, in order. An error: one of them fails, does not end, reaches a limit, or is
/// assumed away.
[[nodiscard]] Expected<System, Unsupported> begin(System system,
                                                  const std::vector<Initialiser>& initialisers);

}  // namespace cml::ir
