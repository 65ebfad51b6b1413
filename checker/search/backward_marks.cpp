#include "checker/search/backward_marks.h"

#include "support/mutation.h"

namespace cml::checker {

BackwardEdges::BackwardEdges(const StateGraph& graph, const MemoryBudget& budget) {
  const StateNumber size = graph.size();
  budget.ask(2 * std::uint64_t{size} * sizeof(StateNumber));
  head_.assign(size, kNoState);
  next_.assign(size, kNoState);
  for (StateNumber state = 0; state < size; ++state) {
    const StateNumber to = graph.successor(state);
    if (to == kNoState) continue;
    next_[state] = head_[to];
    head_[to] = state;
  }
}

void BackwardMarks::mark(StateNumber state) {
  add(state);
  while (edges_ != nullptr && !waiting_.empty()) {
    const StateNumber at = waiting_.back();
    waiting_.pop_back();
    if (at != 0) add(CML_MUTATED("marks-go-forward", graph_.predecessor(at), at / 2));
    for (StateNumber from = edges_->first(at); from != kNoState; from = edges_->next(from))
      add(from);
  }
}

void BackwardMarks::add(StateNumber state) {
  if (marks_[state]) return;
  marks_.set(state);
  if (edges_ != nullptr) waiting_.push_back(state);
}

}  // namespace cml::checker
