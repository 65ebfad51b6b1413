// Which objects an instruction names, and which slots it writes.
#pragma once

#include <variant>

#include "ir/system.h"

namespace cml::ir::promela {

/// Calls `use(place)` for every place that the instruction names.
template <class Use>
void for_each_place(const Instruction& instruction, Use use) {
  std::visit(
      [&use](const auto& node) {
        if constexpr (requires { node.place; }) use(node.place);
        if constexpr (requires { node.lock; }) use(node.lock);
        if constexpr (requires { node.semaphore; }) use(node.semaphore);
        if constexpr (requires { node.channel; }) use(node.channel);
        if constexpr (requires { node.cases; })
          for (const auto& item : node.cases)
            use(item.place);
      },
      instruction.node);
}

/// Calls `use(place)` for every local place that the instruction may store to.
template <class Use>
void for_each_target(const Instruction& instruction, Use use) {
  const auto all = [&use](const auto& targets) {
    if constexpr (requires { targets.slot; }) {
      use(targets);
    } else if constexpr (requires { targets.has_value(); }) {
      if (targets) use(*targets);
    } else {
      for (const LocalPlace& target : targets)
        use(target);
    }
  };
  std::visit(
      [&](const auto& node) {
        if constexpr (requires { node.targets; }) {
          if constexpr (!requires { node.targets.front() + 1; }) all(node.targets);  // not Either's
        }
        if constexpr (requires { node.target.slot; }) all(node.target);
        if constexpr (requires { node.target.has_value(); }) all(node.target);
        if constexpr (requires { node.success; }) all(node.success);
        if constexpr (requires { node.cases; })
          for (const auto& item : node.cases)
            all(item.targets);
      },
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
      [&](const auto& node) {
        if constexpr (requires { ExprId(node.value); }) use(node.value);
        if constexpr (requires { node.condition; }) use(node.condition);
        if constexpr (requires { node.values; }) all(node.values);
        if constexpr (requires { node.expected; }) all(node.expected);
        if constexpr (requires { node.lo; }) use(node.lo);
        if constexpr (requires { node.hi; }) use(node.hi);
        if constexpr (requires { node.cases; })
          for (const auto& item : node.cases)
            all(item.values);
      },
      instruction.node);
  for_each_place(instruction, [&use](const Place& place) {
    if (place.index) use(*place.index);
  });
  for_each_target(instruction, [&use](const LocalPlace& target) {
    if (target.index) use(*target.index);
  });
}

}  // namespace cml::ir::promela
