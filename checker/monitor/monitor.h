// What a monitor is: it looks at what the search executes and at the states that it reaches, and
// never changes what is explored.
//
//   transition   everything that is executed and has something to tell (ir/exec/observations.h)
//   state        every state, once
//   join         what another monitor of the same kind has seen is added to what this one has
//
// A monitor has the one or the other of the first two, and always the third. A join is commutative,
// associative and idempotent, and what was seen in one order is what would have been seen in any
// other: so each of several workers has monitors of its own, without locks, and those are joined
// now and then, or at the end. What is not joined is said where it is kept (caches; what only tells
// which of two equal things came first).
//
// They are put together in monitors.h, by name and not by a list of virtual functions: most
// transitions have nothing to tell, and cost a look at two tables.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "checker/monitor/finding.h"
#include "checker/path.h"
#include "ir/exec/step.h"

namespace cml::checker {

template <class M>
concept Monitor = requires(M& monitor, const M& other) {
  { monitor.join(other) } -> std::same_as<void>;
};

/// A transition that was executed, or the beginnings of all threads.
struct Transition {
  const std::uint8_t* before;
  const ir::Record& record;
  const std::uint8_t* after;
  std::uint8_t* extra;  // what the discipline stores behind `after`, to be updated
};

/// Where what is found goes, and how the search came to where it is found.
struct Where {
  Findings& findings;
  const PathSource& path;

  void report(Finding finding) const {
    if (findings.is_new(finding)) findings.add(std::move(finding), path);
  }
};

}  // namespace cml::checker
