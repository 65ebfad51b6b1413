// One case for each kind of instruction, and no default: a visitor names every kind, alone or in a
// list, so that a new kind does not compile until it is decided there. What can be derived from the
// description of an instruction (describe.h) is not asked like this.
//
//   std::visit(Cases{[&](const Read& node) { … },
//                    [](const AnyOf<Jump, Mark> auto&) {}, …}, instruction.node);
#pragma once

#include <concepts>
#include <type_traits>
#include <variant>

namespace cml::ir {

template <class T, class... Kinds>
concept AnyOf = (std::same_as<std::remove_const_t<T>, Kinds> || ...);

template <class... Case>
struct Cases : Case... {
  using Case::operator()...;
};
template <class... Case>
Cases(Case...) -> Cases<Case...>;

}  // namespace cml::ir
