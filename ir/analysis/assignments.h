// What an instruction assigns to the thread's slots.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ir/system.h"

namespace cml::ir {

/// Calls `use(LocalPlace)` for all that an instruction assigns.
template <class Use>
void for_each_target(const Operation& node, Use use) {
  const auto all = [&use](const std::vector<LocalPlace>& places) {
    for (const LocalPlace& place : places)
      use(place);
  };
  const auto one = [&use](const std::optional<LocalPlace>& place) {
    if (place) use(*place);
  };
  if (const auto* i = std::get_if<Set>(&node)) use(i->target);
  if (const auto* i = std::get_if<Read>(&node)) all(i->targets);
  if (const auto* i = std::get_if<Update>(&node)) all(i->targets);
  if (const auto* i = std::get_if<TryAcquire>(&node)) one(i->target);
  if (const auto* i = std::get_if<Held>(&node)) one(i->target);
  if (const auto* i = std::get_if<Owner>(&node)) use(i->target);
  if (const auto* i = std::get_if<Down>(&node)) one(i->success);
  if (const auto* i = std::get_if<Send>(&node)) one(i->success);
  if (const auto* i = std::get_if<Receive>(&node)) {
    all(i->targets);
    one(i->success);
  }
  if (const auto* i = std::get_if<Size>(&node)) use(i->target);
  if (const auto* i = std::get_if<Choose>(&node)) use(i->target);
  if (const auto* i = std::get_if<Select>(&node))
    for (const Select::Case& c : i->cases)
      all(c.targets);
}

/// Calls `use(Slot)` for all that an instruction may assign: of an array, all elements.
template <class Use>
void for_each_assigned(const Operation& node, Use use) {
  for_each_target(node, [&use](const LocalPlace& target) {
    const std::uint32_t count = target.index ? target.count : 1;
    for (std::uint32_t i = 0; i < count; ++i)
      use(target.slot + i);
  });
}

}  // namespace cml::ir
