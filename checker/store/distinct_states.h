// The states that something has met, each once, with numbers in the order in which they were met:
// for walks and pictures, which are not in a hurry. With classes, states that differ in the places
// of objects alone are one.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "checker/memory_budget.h"
#include "checker/store/heap_codec.h"
#include "checker/store/state_codec.h"
#include "checker/store/visited_states.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

class DistinctStates {
 public:
  /// All must outlive it.
  DistinctStates(const ir::System& system, const ir::Layout& layout, const MemoryBudget& budget)
      : met_(nothing(system, layout, budget)) {}

  StateSet::Inserted find_or_put(const std::uint8_t* state) {
    return std::visit([state](auto& met) { return met.find_or_put(state); }, met_);
  }
  [[nodiscard]] std::optional<StateNumber> find(const std::uint8_t* state) {
    return std::visit([state](auto& met) { return met.find(state); }, met_);
  }
  void load(StateNumber number, std::uint8_t* state) {
    std::visit([&](auto& met) { met.load(number, state); }, met_);
  }
  [[nodiscard]] std::uint64_t size() const {
    return std::visit([](const auto& met) { return met.size(); }, met_);
  }
  [[nodiscard]] std::uint64_t memory() const {
    return std::visit([](const auto& met) { return met.memory(); }, met_);
  }

 private:
  using Met = std::variant<VisitedStates<IdentityCodec>, VisitedStates<HeapCodec>>;
  static Met nothing(const ir::System& system, const ir::Layout& layout,
                     const MemoryBudget& budget) {
    const std::size_t bytes = layout.size();
    if (system.classes.empty())
      return VisitedStates<IdentityCodec>(IdentityCodec(bytes), 1, budget);
    return VisitedStates<HeapCodec>(HeapCodec(system, layout, bytes, {}, false), 1, budget);
  }

  Met met_;
};

}  // namespace cml::checker
