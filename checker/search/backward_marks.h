// BackwardMarks: states of a graph from which something can be reached, of which it is known from
// some states that it can. A bit for each state, and sweeps over the edges that the search has
// kept:
//
//   descending   a state marks its predecessor, and takes the mark of a successor behind it
//   ascending    takes the mark of a successor before it
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
      : graph_(graph), words_((std::uint64_t{graph.size()} + 63) / 64) {}

  [[nodiscard]] bool is_marked(StateNumber state) const {
    return (words_[state / 64] >> (state % 64) & 1) != 0;
  }
  void mark(StateNumber state) { words_[state / 64] |= std::uint64_t{1} << (state % 64); }
  void propagate();

  /// The states from which no other one is known to be reached.
  [[nodiscard]] std::vector<StateNumber> last() const;

 private:
  [[nodiscard]] bool descend();
  [[nodiscard]] bool ascend();

  const StateGraph& graph_;
  std::vector<std::uint64_t> words_;
};

}  // namespace cml::checker
