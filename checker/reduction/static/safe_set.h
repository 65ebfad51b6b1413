// S-POR (Cirisci, Enea, Farzan, Mutluergil, "A Pragmatic Approach to Stateful Partial Order
// Reduction", Algorithm 1): if some thread's next transition is safe (safe_locations.h), that one
// alone is explored, else all that are enabled. Which is a function of the state: neither the order
// of the search nor what was explored before matters.
//
// Cost: a look at each thread that is enabled.
#pragma once

#include "checker/reduction/static/safe_locations.h"
#include "checker/reduction/static/set_algorithm.h"

namespace cml::checker {

class SafeSet final : public SetAlgorithm {
 public:
  SafeSet(const ir::Step& step, const ir::Analyses& analyses, Scope scope,
          const CandidateLocks* candidates, const MethodCalls& calls, bool keeps_order)
      : SetAlgorithm(step, analyses, scope, candidates, calls, keeps_order),
        layout_(step.layout()),
        is_safe_(sets_, step.system(), analyses, scope) {}

  void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
              std::vector<bool>& chosen) override;

 private:
  const ir::Layout& layout_;
  SafeLocations is_safe_;
};

}  // namespace cml::checker
