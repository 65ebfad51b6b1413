// StateGraph: what a complete search with a store leaves behind: its states by their numbers, and
// of the edges between them one to each state, by which it was found, and for most states that lead
// back to known ones, one of those from it.
//
//   found      0 ──▶ 1 ──▶ 3         predecessors: a tree
//              └───▶ 2 ──▶ 4
//   known      3 ──▶ 0, 4 ──▶ 1      successors: the least of those that were known when they were
//                                    reached, so that following them leads back where there is a
//                                    way back
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "checker/options.h"
#include "checker/path.h"
#include "checker/store/column.h"
#include "checker/store/state_number.h"

namespace cml::checker {

inline constexpr StateNumber kNoState = UINT32_MAX;

/// One successor of each state, where one was known. Kept only if threads that are lost will be
/// looked for, and not where a transition may be a wakeup that nobody caused.
class KnownSuccessors {
 public:
  explicit KnownSuccessors(const Options& options)
      : is_wanted_(options.hang_check && !options.spurious_wakeups) {}

  /// Of the next state.
  void add() {
    if (is_wanted_) least_.add(kNoState);
  }
  /// A transition led from one state to another that was known.
  void saw(StateNumber from, StateNumber to) {
    if (!is_wanted_ || from == to) return;
    StateNumber& least = least_[from];
    least = std::min(least, to);
  }
  [[nodiscard]] StateNumber operator[](StateNumber state) const {
    return is_wanted_ ? least_[state] : kNoState;
  }
  [[nodiscard]] std::uint64_t memory() const { return least_.memory(); }

 private:
  bool is_wanted_;
  Column<StateNumber> least_;
};

class StateGraph {
 public:
  StateGraph() = default;
  StateGraph(const StateGraph&) = delete;
  StateGraph& operator=(const StateGraph&) = delete;
  virtual ~StateGraph() = default;

  [[nodiscard]] virtual StateNumber size() const = 0;
  virtual void load_state(StateNumber state, std::uint8_t* working) = 0;
  [[nodiscard]] virtual std::optional<StateNumber> find_state(const std::uint8_t* working) = 0;
  /// By whose transition the state was found; not of the initial state, 0.
  [[nodiscard]] virtual StateNumber predecessor(StateNumber state) const = 0;
  /// kNoState: none is known.
  [[nodiscard]] virtual StateNumber successor(StateNumber state) const = 0;
  [[nodiscard]] virtual Path path_to(StateNumber state) const = 0;
};

}  // namespace cml::checker
