// Rules that need whole functions: they are analyses of the checked model and report into it.
//
//   effects     what a function may do: write, block, choose, spawn, use other processes' objects
//   purity      conditions, invariants and `finally` have no effects           (language.md section
//   6) atomic      only the first operation of an atomic block may block          (language.md
//   section 6) flow        missing `return`, code that is never reached (language.md section 9)
//   fields      const and non-null fields are initialised by the end of `init` (language.md section
//   9) isolation   processes share no memory, across function calls               (language.md
//   section 5)
#pragma once

#include <span>

#include "frontend/check/reporter.h"
#include "frontend/model.h"

namespace cml::check {

/// `notes` says of each function which instantiation it belongs to.
void check_rules(const model::Model& model, Reporter& reporter, std::span<const NoteId> notes);

}  // namespace cml::check
