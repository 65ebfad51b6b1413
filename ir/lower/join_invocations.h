// Where a call that is recorded begins: with its first operation, if that can be.
//
//   enter; invoke; locals…; read; …     ──▶     locals…; read; invoke; …
//
// An invocation is local, so what stands behind an operation is one with it, at every granularity.
// Later than that would be wrong, since others could see what the operation has done; earlier only
// makes calls overlap more. So no transition is added for the call, and the states are those of the
// model without the property. Where the first operation is not always visible, or there is none,
// the invocation keeps an operation of its own, as late as possible.
//
// The local code up to there is copied, with both ways of a branch, because the operation may also
// be reached again, in a loop. Where that is too much, or changes what the call was given, all
// stays as it is.
#pragma once

#include "ir/system.h"

namespace cml::ir::lowering {

void join_invocations(const System& system, Code& code);

}  // namespace cml::ir::lowering
