// Why an execution came to an end, with values: "12 is not in 0..9, the range of total", and what
// the parts of an expression were when it was evaluated, as pytest shows them: of `assert total ==
// n * 2`, that total was 5 and n was 3.
//
// An expression reads words of the frame only; what is a variable, an element or a call in the
// source was stored in temporaries before, maybe some transitions ago. So the stores of an
// execution are watched, and a word of the frame is called by the source of the instruction that
// stored it last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/finding/text_context.h"
#include "checker/value.h"
#include "ir/exec/step.h"
#include "ir/exec/watch.h"

namespace cml::checker {

struct FaultText {
  std::string message;             // empty: the kind says all
  std::vector<NamedValue> values;  // of the parts
};

/// Of an event that has stopped the thread, or the property, whose code this is, in a state in
/// which
/// the objects are as they were then.
[[nodiscard]] FaultText fault_text(const TextContext& context, const ir::Code& code,
                                   const ir::Watch& watch, const std::uint8_t* state,
                                   const ir::Event& event);

}  // namespace cml::checker
