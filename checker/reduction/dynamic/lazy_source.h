// DL-S-POR (Cirisci, Enea, Farzan, Mutluergil, "A Pragmatic Approach to Stateful Partial Order
// Reduction", Algorithm 3): when the search comes back to a state, what lies behind the successor
// is compared with the transition that led there. Of the optimisations of the paper's appendix A,
//
//   each transition is traversed once          ┐  there is no traversal, as rows are kept
//   traversals end when `current` is complete  ┘  (later_actions.h)
//   none behind the last successor                 a state whose threads have all been explored is
//                                                  complete
//   none if all other successors were visited      as without it: they are executed, and stored
//                                                  already
#pragma once

#include "checker/reduction/dynamic/stateful_source.h"

namespace cml::checker {

class LazySource final : public StatefulSource {
 public:
  using StatefulSource::StatefulSource;

 private:
  void met(Depth, ir::ThreadId, SummaryId) override {}
  void met(Depth, Row) override {}
  [[nodiscard]] ThreadMask in_conflict(const Frame& frame, Row behind) override {
    return later_.in_conflict(behind, frame.goes, frame.summary);
  }
};

}  // namespace cml::checker
