// Loops inside a transition: those that certainly terminate stay there; the others are cut.
//
// A loop of local instructions, or of the instructions of an atomic block, certainly terminates if
// one of its slots only grows (or only shrinks) in it, by constants, and every cycle of the loop
// contains such an instruction: in the end the slot would overflow, which stops the thread. Every
// `for` is of this kind. SPIN cannot execute a transition that may not terminate: a local loop of
// this kind is cut, so that each iteration is a transition of its own (with the same findings: it
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

/// Whether the thread may loop for ever without an operation that is visible in all states. An
/// over-approximation of divergence.
[[nodiscard]] bool may_diverge(const System& system, const Code& code);

}  // namespace cml::ir::promela
