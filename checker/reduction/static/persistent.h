// Persistent sets by Algorithm 2-MLD′ (Stoller's framework §8 and §9, after Godefroid's
// Algorithm 2, which is Overman's):
//
//   1. Select one enabled transition t. T = {thread(t)}.
//   2. For each thread in T and each of its pending operations: every thread outside T that may
//      ever execute an operation in conflict with it joins T.
//   3. Repeat until nothing changes. Return what is enabled in T.
//
// The pending operations are exact for the visible operation; the invisible ones that follow are
// narrowed down by the locks held or being acquired and by the candidates (static_sets.h). Theorem
// 6′: what is returned is persistent, or contains a transition that violates MLD′.
//
// Cost: each atom that conflicts with a pending operation of T is visited once, and so is each
// thread that may execute it.
#pragma once

#include "checker/reduction/static/set_algorithm.h"

namespace cml::checker {

class Persistent final : public SetAlgorithm {
 public:
  Persistent(const ir::Step& step, const ir::Analyses& analyses, Scope scope,
             const CandidateLocks* candidates, const MethodCalls& calls, bool keeps_order)
      : SetAlgorithm(step, analyses, scope, candidates, calls, keeps_order),
        looked_at_(sets_.atoms(), 0) {}

  void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
              std::vector<bool>& chosen) override;

 private:
  std::vector<ir::ThreadId> work_;
  Conflicts conflicts_;
  std::vector<std::uint64_t> looked_at_;  // by atom: in which call of select
  std::uint64_t calls_ = 0;
};

}  // namespace cml::checker
