// A monitor observes the transitions that the search executes and the states that it reaches, and
// never changes what is explored.
//
//   transition   every executed transition with a new observation (ir/exec/observations.h)
//   state        every state, once
//   join         adds what another monitor of the same kind has observed
//
// A monitor has one of the first two or both, and always the third. A join is commutative,
// associative and idempotent, and the result does not depend on the order of observations: so each
// of several workers has monitors of its own, without locks, which are joined now and then, or at
// the end. What is not joined is documented where it is kept (caches; ranks that only say which of
// two equal findings came first).
//
// They are put together in monitors.h, by name and not by a list of virtual functions: most
// transitions have no new observation, and cost a look at two tables.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "checker/monitor/finding.h"
#include "checker/path.h"
#include "checker/transition.h"
#include "ir/exec/step.h"

namespace cml::checker {

template <class M>
concept Monitor = requires(M& monitor, const M& other) {
  { monitor.join(other) } -> std::same_as<void>;
};

/// Where findings are added, and the path of the search to the present state.
struct Where {
  Findings& findings;
  const PathSource& path;

  void report(Finding finding) const {
    if (findings.is_new(finding)) findings.add(std::move(finding), path);
  }
};

}  // namespace cml::checker
