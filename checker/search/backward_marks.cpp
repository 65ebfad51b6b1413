#include "checker/search/backward_marks.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::checker {

void BackwardMarks::propagate() {
  for (const StateNumber state : fresh_)
    mark_predecessors(state);
  fresh_.clear();
  while (descend() || ascend())
    ;
}

void BackwardMarks::mark_predecessors(StateNumber state) {
  while (state != 0) {
    state = CML_MUTATED("marks-go-forward", graph_.predecessor(state), state / 2);
    if (is_marked(state)) return;
    set(state);
  }
}

bool BackwardMarks::take_mark(StateNumber state) {
  if (is_marked(state)) return false;
  const StateNumber next = graph_.successor(state);
  if (next == kNoState || !is_marked(next)) return false;
  set(state);
  mark_predecessors(state);
  return true;
}

bool BackwardMarks::descend() {
  bool changed = false;
  for (std::size_t word = words_.size(); word-- > 0;) {
    if (words_[word] == UINT64_MAX) continue;
    const auto first = static_cast<StateNumber>(word * 64);
    for (StateNumber state = std::min(size_, first + 64); state-- > first;)
      changed = take_mark(state) || changed;
  }
  return changed;
}

bool BackwardMarks::ascend() {
  bool changed = false;
  for (std::size_t word = 0; word < words_.size(); ++word) {
    if (words_[word] == UINT64_MAX) continue;
    const auto first = static_cast<StateNumber>(word * 64);
    for (StateNumber state = first; state < std::min(size_, first + 64); ++state)
      changed = take_mark(state) || changed;
  }
  return changed;
}

std::vector<StateNumber> BackwardMarks::last() const {
  BackwardMarks leads_on(graph_);
  for (StateNumber state = 1; state < size_; ++state)
    leads_on.set(graph_.predecessor(state));
  std::vector<StateNumber> result;
  for (StateNumber state = 0; state < size_; ++state)
    if (!leads_on.is_marked(state) && graph_.successor(state) == kNoState) result.push_back(state);
  return result;
}

}  // namespace cml::checker
