// A set algorithm decides which of the enabled threads must be explored from a state so that
// nothing is missed: a persistent set (Godefroid), computed from what is known statically of each
// thread's future (Stoller's framework §8 and §9). Sleep sets (sleep.h) go on top of any of them,
// and the search adds what keeps them sound on cyclic graphs: provisos against ignoring
// (docs/reductions.md).
//
//   state, enabled threads ──select──▶ a subset; all its actions are explored
//
// Not thread-safe; one per worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checker/options.h"
#include "checker/reduction/static/static_sets.h"
#include "ir/exec/step.h"

namespace cml::checker {

class SetAlgorithm {
 public:
  SetAlgorithm() = default;
  SetAlgorithm(const SetAlgorithm&) = delete;
  SetAlgorithm& operator=(const SetAlgorithm&) = delete;
  virtual ~SetAlgorithm() = default;

  /// `actions`: by thread, how many actions it has in this state, at least one of them more than 0.
  /// Sets `chosen`, by thread. At least one thread that can go is chosen.
  virtual void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
                      std::vector<bool>& chosen) = 0;
};

/// Null for `none`.
[[nodiscard]] std::unique_ptr<SetAlgorithm> make_set_algorithm(ir::Step& step,
                                                               const ir::Analyses& analyses,
                                                               const Options& options,
                                                               const CandidateLocks* candidates);

}  // namespace cml::checker
