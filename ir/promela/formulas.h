// Properties of executions as `ltl` formulas. Conditions are macros over the objects, `ended` and
// `at` look at the location of a process. Executions in which an `assume` is false do not count
// here, so there a formula says "or that happens".
//
// SPIN's fairness (`pan -f`) is weak fairness of processes, which is ours of threads: the steps of
// a process are those of the thread. Strong fairness it does not have.
#pragma once

#include "ir/promela/context.h"

namespace cml::ir::promela {

/// Writes the formulas and what they are made of. What cannot be said is refused.
void write_formulas(Context& context, Writer& out);

}  // namespace cml::ir::promela
