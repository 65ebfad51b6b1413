// Which objects an instruction names, and which slots it writes.
#pragma once

#include <vector>

#include "ir/promela/cases.h"

namespace cml::ir::promela {

/// Calls `use(place)` for every place that the instruction names.
template <class Use>
void for_each_place(const Instruction& instruction, Use use) {
  std::visit(Cases{[&](const AnyOf<Read, Write, Update> auto& node) { use(node.place); },
                   [&](const AnyOf<Acquire, TryAcquire, Release, Wait, Rewait, Notify, Held,
                                   Owner> auto& node) { use(node.lock); },
                   [&](const AnyOf<Up, Down> auto& node) { use(node.semaphore); },
                   [&](const AnyOf<Send, Receive, Size> auto& node) { use(node.channel); },
                   [&](const Select& node) {
                     for (const Select::Case& item : node.cases)
                       use(item.place);
                   },
                   [](const AnyOf<Set, Jump, Branch, Assert, Assume, Mark, Choose, Either, Atomic,
                                  Guard, AtomicEnd, End> auto&) {}},
             instruction.node);
}

/// Calls `use(place)` for every local place that the instruction may store to.
template <class Use>
void for_each_target(const Instruction& instruction, Use use) {
  const auto all = [&use](const auto& targets) {  // a vector, or an optional one
    if constexpr (requires { targets.has_value(); }) {
      if (targets) use(*targets);
    } else {
      for (const LocalPlace& target : targets)
        use(target);
    }
  };
  std::visit(
      Cases{[&](const AnyOf<Set, Owner, Size, Choose> auto& node) { use(node.target); },
            [&](const AnyOf<TryAcquire, Held> auto& node) { all(node.target); },
            [&](const AnyOf<Read, Update> auto& node) { all(node.targets); },
            [&](const AnyOf<Down, Send> auto& node) { all(node.success); },
            [&](const Receive& node) {
              all(node.targets);
              all(node.success);
            },
            [&](const Select& node) {
              for (const Select::Case& item : node.cases)
                all(item.targets);
            },
            [](const AnyOf<Jump, Branch, Assert, Assume, Mark, Write, Acquire, Release, Wait,
                           Rewait, Notify, Up, Either, Atomic, Guard, AtomicEnd, End> auto&) {}},
      instruction.node);
}

/// Calls `use(expr)` for every expression that the instruction evaluates, not for their parts.
template <class Use>
void for_each_expr(const Instruction& instruction, Use use) {
  const auto all = [&use](const std::vector<ExprId>& exprs) {
    for (const ExprId expr : exprs)
      use(expr);
  };
  std::visit(
      Cases{
          [&](const Set& node) { use(node.value); },
          [&](const AnyOf<Branch, Assert, Assume, Guard> auto& node) { use(node.condition); },
          [&](const AnyOf<Write, Send> auto& node) { all(node.values); },
          [&](const Update& node) {
            all(node.expected);
            all(node.values);
          },
          [&](const Choose& node) {
            use(node.lo);
            use(node.hi);
          },
          [&](const Select& node) {
            for (const Select::Case& item : node.cases)
              all(item.values);
          },
          [](const AnyOf<Jump, Mark, Read, Acquire, TryAcquire, Release, Wait, Rewait, Notify, Held,
                         Owner, Up, Down, Receive, Size, Either, Atomic, AtomicEnd, End> auto&) {}},
      instruction.node);
  for_each_place(instruction, [&use](const Place& place) {
    if (place.index) use(*place.index);
  });
  for_each_target(instruction, [&use](const LocalPlace& target) {
    if (target.index) use(*target.index);
  });
}

}  // namespace cml::ir::promela
