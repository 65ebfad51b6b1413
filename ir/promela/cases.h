// One case for each kind of instruction, and no default: a visitor names every kind, alone or in a
// list, so that a new kind does not compile until its translation to Promela is decided.
//
//   std::visit(Cases{[&](const Read& node) { … },
//                    [](const AnyOf<Jump, Mark> auto&) {}, …}, instruction.node);
#pragma once

#include <concepts>
#include <variant>

#include "ir/system.h"

namespace cml::ir::promela {

template <class T, class... Kinds>
concept AnyOf = (std::same_as<T, Kinds> || ...);

template <class... Case>
struct Cases : Case... {
  using Case::operator()...;
};
template <class... Case>
Cases(Case...) -> Cases<Case...>;

/// Reads the state and changes nothing: what guards, invariants and `finally` are made of.
[[nodiscard]] bool only_looks(const Instruction& instruction);
/// Changes what a property can read.
[[nodiscard]] bool changes_objects(const Instruction& instruction);
/// Is not enabled in every state.
[[nodiscard]] bool may_block(const Instruction& instruction);

}  // namespace cml::ir::promela
