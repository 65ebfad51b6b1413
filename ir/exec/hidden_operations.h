// Mistakes on purpose (support/mutation.h), one for each kind of visible operation: where it can go
// in one way only, it counts as invisible.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/exec/step.h"
#include "support/mutation.h"

namespace cml::ir {

/// Whether the chosen mistake is about this kind of operation.
inline bool hides(Opcode opcode) {
  const auto is = [opcode](Opcode hidden) { return opcode == hidden; };
  return (is(Opcode::Acquire) && CML_MUTATION("invisible-acquire")) ||
         (is(Opcode::Update) && CML_MUTATION("invisible-update")) ||
         (is(Opcode::Rewait) && CML_MUTATION("invisible-second-part-of-wait")) ||
         (is(Opcode::Up) && CML_MUTATION("invisible-up")) ||
         (is(Opcode::Down) && CML_MUTATION("invisible-down")) ||
         (is(Opcode::Send) && CML_MUTATION("invisible-send")) ||
         (is(Opcode::Receive) && CML_MUTATION("invisible-receive")) ||
         (is(Opcode::Size) && CML_MUTATION("invisible-size")) ||
         (is(Opcode::Close) && CML_MUTATION("invisible-close")) ||
         (is(Opcode::Enter) && CML_MUTATION("invisible-invocation")) ||
         (is(Opcode::Choose) && CML_MUTATION("invisible-choose")) ||
         (is(Opcode::Either) && CML_MUTATION("invisible-either")) ||
         (is(Opcode::Select) && CML_MUTATION("invisible-select")) ||
         (is(Opcode::Atomic) && CML_MUTATION("invisible-await-that-can-go"));
}

/// Of `choose` and `either` the first way is taken then.
inline bool is_hidden(Step& step, Opcode opcode, const std::uint8_t* state, ThreadId thread) {
  if (!hides(opcode)) return false;
  if (opcode == Opcode::Choose || opcode == Opcode::Either) return true;
  std::vector<Action> ways;
  step.enabled(state, thread, ways);
  return ways.size() == 1 && ways[0].choice == 0;
}

}  // namespace cml::ir
