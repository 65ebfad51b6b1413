// Expansion: executes actions of states, and looks up what they reach, several states together.
//
//   state ──actions──▶ │ reached │ reached │ … │ ──flush──▶ stored, with how they were reached
//                        the buckets of a batch are fetched before any is looked up
//
// What breadth-first searches share that store all that they reach. Not thread-safe.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "checker/options.h"
#include "checker/search/explorer.h"
#include "checker/search/search_limits.h"
#include "checker/search/state_graph.h"
#include "checker/store/column.h"
#include "checker/store/heap_codec.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"

namespace cml::checker {

/// How a state was first reached.
struct Predecessor {
  StateNumber state = 0;
  ir::Action action;
};

template <StateCodec Codec>
class Expansion {
 public:
  static constexpr std::size_t kBatch = 32;

  /// All must outlive it. It uses kBatch slots of the store, from this one on.
  Expansion(const Options& options, Explorer& explorer, SearchLimits& limits,
            VisitedStates<Codec>& store, std::size_t first_slot, Column<Predecessor>& predecessors,
            KnownSuccessors& known);

  /// Executes these actions of the state that the explorer holds.
  void take_all(StateNumber state, std::span<const ir::Action> actions);
  /// Looks up what was reached, and stores it with its predecessor.
  void flush();
  /// The transition that the monitors are looking at.
  [[nodiscard]] std::optional<Predecessor> firing() const {
    return firing_ ? std::optional(now_) : std::nullopt;
  }

 private:
  /// A state reached by a transition, to be looked up.
  struct Reached {
    StateSet::Hash hash = 0;
    Predecessor by;
  };

  /// Consecutive successors, reached by these actions.
  void reach(const std::uint8_t* states, std::span<const ir::Action> actions);
  [[nodiscard]] std::uint8_t* room() {
    return successors_.data() + reached_count_ * explorer_.stride();
  }

  const Options& options_;
  Explorer& explorer_;
  SearchLimits& limits_;
  VisitedStates<Codec>& store_;
  std::size_t first_slot_;
  Column<Predecessor>& predecessors_;
  KnownSuccessors& known_;
  Predecessor now_;  // the state that is expanded, and the action that is fired
  bool firing_ = false;
  std::array<Reached, kBatch> reached_;
  std::size_t reached_count_ = 0;
  std::vector<std::uint8_t> successors_;  // the states that were reached
};
extern template class Expansion<IdentityCodec>;
extern template class Expansion<PackingCodec>;
extern template class Expansion<HeapCodec>;

}  // namespace cml::checker
