// BackwardMarks: states of a graph from which something can be reached, of which it is known from
// some states that it can. A bit for each state. A state that is marked marks its predecessors; the
// others take the mark of the successor that the search has kept, in sweeps:
//
//   descending   of one behind it
//   ascending    of one before it
//
// until nothing changes. Mostly that is two or three sweeps: the successors that are kept lead back
// to where the search came from, and the tree of predecessors leads from there to everything.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/search/state_graph.h"

namespace cml::checker {

class BackwardMarks {
 public:
  explicit BackwardMarks(const StateGraph& graph)
      : graph_(graph), size_(graph.size()), words_((std::uint64_t{size_} + 63) / 64) {}

  [[nodiscard]] bool is_marked(StateNumber state) const {
    return (words_[state / 64] >> (state % 64) & 1) != 0;
  }
  void mark(StateNumber state) {
    set(state);
    fresh_.push_back(state);
  }
  void propagate();

  /// The states from which no other one is known to be reached.
  [[nodiscard]] std::vector<StateNumber> last() const;

 private:
  void set(StateNumber state) { words_[state / 64] |= std::uint64_t{1} << (state % 64); }
  void mark_predecessors(StateNumber state);
  /// Whether it had none, and its successor does.
  bool take_mark(StateNumber state);
  bool descend();
  bool ascend();

  const StateGraph& graph_;
  StateNumber size_;
  std::vector<std::uint64_t> words_;
  std::vector<StateNumber> fresh_;  // marked since the last sweep
};

}  // namespace cml::checker
