// DE-S-POR (Cirisci, Enea, Farzan, Mutluergil, "A Pragmatic Approach to Stateful Partial Order
// Reduction", Algorithm 2): each transition is compared with those on the path when it is executed,
// and so is what lies behind a state that was visited before.
//
// The paper looks for the last transition of the path that a new one is in conflict with; for what
// is behind visited states, for all of them (its appendix A). Here it is all in both cases: an
// operation on several objects can be in conflict with one transition that it needs, which no order
// reverses, and with another one before that. So `current` has the same threads as in LazySource.
#pragma once

#include "checker/reduction/dynamic/stateful_source.h"

namespace cml::checker {

class EagerSource final : public StatefulSource {
 public:
  using StatefulSource::StatefulSource;

 private:
  void met(Depth last, ir::ThreadId thread, SummaryId summary) override;
  void met(Depth last, Row row) override;
  [[nodiscard]] ThreadMask in_conflict(const Frame&, Row) override { return 0; }
};

}  // namespace cml::checker
