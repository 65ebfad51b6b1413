#include "checker/search/backward_marks.h"

#include "support/mutation.h"

namespace cml::checker {

void BackwardMarks::propagate() {
  while (descend() || ascend())
    ;
}

bool BackwardMarks::descend() {
  bool changed = false;
  for (StateNumber state = graph_.size(); state-- > 0;) {
    if (!is_marked(state)) {
      const StateNumber next = graph_.successor(state);
      if (next == kNoState || !is_marked(next)) continue;
      mark(state);
      changed = true;
    }
    if (state == 0) continue;
    const StateNumber before =
        CML_MUTATED("marks-go-forward", graph_.predecessor(state), state / 2);
    if (is_marked(before)) continue;
    mark(before);
    changed = true;
  }
  return changed;
}

bool BackwardMarks::ascend() {
  bool changed = false;
  for (StateNumber state = 0; state < graph_.size(); ++state) {
    if (is_marked(state)) continue;
    const StateNumber next = graph_.successor(state);
    if (next == kNoState || !is_marked(next)) continue;
    mark(state);
    changed = true;
  }
  return changed;
}

std::vector<StateNumber> BackwardMarks::last() const {
  BackwardMarks leads_on(graph_);
  for (StateNumber state = 1; state < graph_.size(); ++state)
    leads_on.mark(graph_.predecessor(state));
  std::vector<StateNumber> result;
  for (StateNumber state = 0; state < graph_.size(); ++state)
    if (!leads_on.is_marked(state) && graph_.successor(state) == kNoState) result.push_back(state);
  return result;
}

}  // namespace cml::checker
