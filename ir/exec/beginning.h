// The objects of the initial state: what top-level initialisers allocate is made before the search,
// and becomes initial values.
#pragma once

#include "ir/system.h"
#include "ir/unsupported.h"
#include "support/expected.h"

namespace cml::ir {

/// Executes the code, which belongs to no thread. An error: a constructor fails, or does not end.
[[nodiscard]] Expected<System, Unsupported> begin(System system, const Code& code);

}  // namespace cml::ir
