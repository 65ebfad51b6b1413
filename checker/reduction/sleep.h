// Sleep sets (Godefroid; Stoller's framework §3 and §7): actions that need not be explored from a
// state, because they were explored from a predecessor, and the transitions in between are
// independent of them.
//
// From a state with sleep set Z, the child by transition t inherits
//     { z ∈ Z ∪ explored before t | z independent of t in this state }.
//
// The (conditional) dependency is evaluated in the state before t: t is executed, its summary says
// what it did, and the values it depends on are read from the state before. An action's summary is
// recorded when it is explored; it stays the same as long as only independent transitions are
// executed.
//
// With a store (docs/reductions.md, "What keeps it right"): a state stored with Z and reached again
// with Z′ explores Z ∖ Z′ and is stored with Z ∩ Z′ from then on.
//
// Sets are interned: a state keeps a number.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/reduction/dependency.h"
#include "ir/exec/step.h"

namespace cml::checker {

struct Sleeper {
  ir::Action action;
  SummaryId summary;

  friend bool operator==(const Sleeper&, const Sleeper&) = default;
};

using SleepId = Id<struct SleepTag>;

class SleepSets {
 public:
  /// The budget must outlive them.
  explicit SleepSets(const MemoryBudget& budget);

  [[nodiscard]] static SleepId empty() { return SleepId(0); }
  /// Sorts `sleepers`.
  SleepId intern(std::vector<Sleeper>& sleepers);
  /// Ascending by action.
  [[nodiscard]] std::span<const Sleeper> operator[](SleepId id) const {
    return {pool_.data() + sets_[id].begin, sets_[id].size};
  }
  /// Null if it does not sleep.
  [[nodiscard]] const Sleeper* find(SleepId id, ir::Action action) const;
  [[nodiscard]] bool contains(SleepId id, ir::Action action) const {
    return find(id, action) != nullptr;
  }
  [[nodiscard]] std::size_t count() const { return sets_.size(); }
  [[nodiscard]] std::uint64_t memory() const;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  const MemoryBudget& budget_;
  std::vector<Sleeper> pool_;
  IdVector<SleepId, Range> sets_;
  std::unordered_multimap<std::uint64_t, SleepId> by_hash_;
};

/// Appends those of `sleepers` that stay asleep after `action` has been executed in `state`.
void inherit(const Dependency& dependency, std::span<const Sleeper> sleepers, ir::Action action,
             SummaryId executed, const std::uint8_t* state, std::vector<Sleeper>& out);

}  // namespace cml::checker
