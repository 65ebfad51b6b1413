// Random walks instead of a search: each begins in the initial state and takes one transition after
// the other, whatever else could happen. The monitors are those of a search, and what they find is
// explained as there; but nothing is ever verified so.
//
//   uniform   in each state a thread that can go, and one of its choices, each as likely as another
//   pct       priorities: threads have random ones, the first that can go does; at a few random
//             points the one that goes falls behind all others. A bug of depth d is found with
//             probability 1 / (n k^(d-1)) at least, for n threads and k steps (Burckhardt, Kothari,
//             Musuvathi and Nagarakatte: A randomized scheduler with probabilistic guarantees of
//             finding bugs, ASPLOS 2010)
#pragma once

#include <cstdint>
#include <optional>

#include "checker/context.h"
#include "checker/options.h"
#include "checker/result.h"
#include "frontend/source.h"
#include "ir/system.h"

namespace cml::checker {

enum class Scheduler : std::uint8_t { Uniform, Pct };

struct WalkOptions {
  Scheduler scheduler = Scheduler::Uniform;
  std::uint64_t seed = 1;  // of the first walk; the next one has the next number
  std::uint64_t runs = 1'000;
  std::uint64_t steps = 1'000;  // of a walk, at most
  std::uint64_t depth = 3;      // pct: of the bugs; one more than there are points
};

/// What the walks have come to.
struct WalkStatistics {
  std::uint64_t runs = 0;
  std::uint64_t ended = 0;       // all threads but daemons
  std::uint64_t deadlocked = 0;  // nobody could go, and not all have ended
  std::uint64_t stopped = 0;     // likewise, and a thread had stopped, or was assumed away
  std::uint64_t cut = 0;         // at the greatest number of steps
  std::uint64_t found = 0;       // the end of all, at a violation
  std::uint64_t shortest = 0;    // steps
  std::uint64_t longest = 0;
  std::uint64_t statements = 0;                 // of the threads' code
  std::uint64_t reached = 0;                    // of them
  std::optional<std::uint64_t> first_violated;  // the seed of the first walk with a violation
};

/// The verdict is `violated` or `inconclusive`. In the statistics of the result, states are those
/// that differ, transitions the steps of all walks, executions the walks.
[[nodiscard]] Result simulate(const ir::System& system, const SourceSet& sources,
                              const Options& options, const WalkOptions& walks,
                              WalkStatistics& told, const Context& context = {});

}  // namespace cml::checker
