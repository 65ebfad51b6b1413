// Temporal properties: their conditions become code like that of invariants, labels the places in
// the code of the thread, and `terminates` the formula that it stands for.
#pragma once

#include <functional>

#include "ir/lower/context.h"

namespace cml::ir::lowering {

using LowerCondition = std::function<Code(const model::Invariant&)>;
using FindThread = std::function<ThreadId(const model::Formula&)>;

/// All threads have been lowered.
[[nodiscard]] Property lower_property(Context& context, const model::Property& decl,
                                      const LowerCondition& condition, const FindThread& thread);

}  // namespace cml::ir::lowering
