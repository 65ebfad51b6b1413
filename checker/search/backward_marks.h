// BackwardMarks: states of a graph from which something can be reached, of which it is known from
// some states that it can. A bit for each state. A state that is marked marks those before it, as
// far as the edges that a StateGraph keeps lead back:
//
//   predecessors   the tree by which the search found the states: at most one for each
//   backward       the known successors turned round: a list for each state
//
//   successor      3 ──▶ 0, 4 ──▶ 1, 5 ──▶ 0      head[0] = 5, next[5] = 3; head[1] = 4
//
// Each state is marked once and each edge followed once, however many marks are set one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/search/state_graph.h"

namespace cml::checker {

/// The known successors of a graph, turned round.
class BackwardEdges {
 public:
  BackwardEdges(const StateGraph& graph, const MemoryBudget& budget);

  /// The first state of which this one is the known successor; kNoState: none.
  [[nodiscard]] StateNumber first(StateNumber state) const { return head_[state]; }
  /// The one after it, of the same successor.
  [[nodiscard]] StateNumber next(StateNumber state) const { return next_[state]; }

 private:
  std::vector<StateNumber> head_;
  std::vector<StateNumber> next_;
};

/// A bit for each state.
class StateBits {
 public:
  explicit StateBits(StateNumber size) : words_((std::uint64_t{size} + 63) / 64) {}

  [[nodiscard]] bool operator[](StateNumber state) const {
    return (words_[state / 64] >> (state % 64) & 1) != 0;
  }
  void set(StateNumber state) { words_[state / 64] |= std::uint64_t{1} << (state % 64); }

 private:
  std::vector<std::uint64_t> words_;
};

class BackwardMarks {
 public:
  /// Without `edges` a state marks itself alone. All must outlive it.
  BackwardMarks(const StateGraph& graph, const BackwardEdges* edges)
      : graph_(graph), edges_(edges), marks_(graph.size()) {}

  [[nodiscard]] bool is_marked(StateNumber state) const { return marks_[state]; }
  void mark(StateNumber state);

 private:
  void add(StateNumber state);

  const StateGraph& graph_;
  const BackwardEdges* edges_;
  StateBits marks_;
  std::vector<StateNumber> waiting_;  // marked, and what is before them has yet to be
};

}  // namespace cml::checker
