// Statements and cover labels as Points: each once, shared by all instances of the code it stands
// in.
#pragma once

#include "ir/lower/context.h"

namespace cml::ir::lowering {

/// Numbers the statements of all threads, of `finally`, and of the functions they can call.
void make_points(Context& context);

}  // namespace cml::ir::lowering
