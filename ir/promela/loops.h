// Loops inside of a transition: those that surely end stay there; the others are cut.
//
// A loop of local instructions, or of the instructions of an atomic block, ends for certain if one
// of its slots only ever grows (or only ever shrinks) in it, by a constant, and every way around
// the loop passes such a step: it would overflow in the end, which stops the thread. That is every
// `for`. What is not certain to end, a search that counts steps cannot call a transition: a local
// loop is cut, so that going around it is a transition of its own (with the same findings: it
// touches no object), and an atomic block with such a loop cannot be exported.
#pragma once

#include <optional>
#include <vector>

#include "ir/system.h"

namespace cml::ir::promela {

struct Loops {
  Loops(const System& system, const Code& code);

  std::vector<bool> is_cut;     // by Pc: a transition of its own begins here
  std::vector<bool> in_region;  // by Pc: behind an Atomic, up to its AtomicEnd
  std::optional<Pc> endless;    // an instruction of an atomic block on a loop that may not end
};

/// Whether the thread may turn for ever without an operation that is visible whatever the state:
/// for all that is known, it diverges. Errs on this side.
[[nodiscard]] bool may_turn_unseen(const System& system, const Code& code);

}  // namespace cml::ir::promela
