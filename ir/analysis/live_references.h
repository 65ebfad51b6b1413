// Which slots of a thread hold a reference that it may still use: a backward fixed point over its
// code. A slot that is assigned before it is read again is not live, whatever is in it.
//
//   4: set s1 = s0            s0
//   5: read s2 = o7[s1]       s1            s0 is not read any more
//   6: write o9[0] = s2       s2
//
// An array is live as a whole, and an assignment by an index ends nothing. Cost: instructions ×
// slots.
#pragma once

#include <optional>
#include <vector>

#include "ir/system.h"

namespace cml::ir {

/// By Pc: the slots with references that are live before the instruction, ascending.
[[nodiscard]] std::vector<std::vector<Slot>> live_references(const System& system,
                                                             const Code& code);

/// Of a place that is a field, or an element of one: the slot with the reference to its object.
/// None: no single slot has it.
[[nodiscard]] std::optional<Slot> slot_of_object(const System& system, const Code& code,
                                                 const Place& place);

}  // namespace cml::ir
