// A set algorithm decides which of the enabled threads must be explored from a state so that
// nothing is missed: a persistent set (Godefroid), computed from what is known statically of each
// thread's future (Stoller's framework §8 and §9). Sleep sets (sleep.h) go on top of any of them,
// and the search adds what keeps them sound on cyclic graphs: provisos against ignoring
// (docs/reductions.md).
//
//   state, enabled threads ──look, select──▶ a subset; all its actions are explored
//
// Not thread-safe; one per worker.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checker/options.h"
#include "checker/reduction/static/static_sets.h"
#include "ir/exec/step.h"

namespace cml::checker {

class SetAlgorithm {
 public:
  /// All must outlive it; `candidates` may be null.
  SetAlgorithm(const ir::Step& step, const ir::Analyses& analyses, Scope scope,
               const CandidateLocks* candidates, const MethodCalls& calls, bool keeps_order)
      : sets_(step.system(), step.layout(), analyses, scope, candidates, calls, keeps_order) {}
  SetAlgorithm(const SetAlgorithm&) = delete;
  SetAlgorithm& operator=(const SetAlgorithm&) = delete;
  virtual ~SetAlgorithm() = default;

  /// The next call of select() is for this state. Returns what of the heap its choice depends on,
  /// in heap_words() words.
  std::span<const std::uint64_t> look(const std::uint8_t* state) { return sets_.look(state); }
  [[nodiscard]] std::size_t heap_words() const { return sets_.heap_words(); }

  /// `actions`: by thread, how many actions it has in this state, at least one of them more than 0.
  /// Sets `chosen`, by thread. At least one thread that can go is chosen.
  virtual void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
                      std::vector<bool>& chosen) = 0;

 protected:
  StaticSets sets_;
};

/// Of the transitions of a search.
[[nodiscard]] Scope scope(const Options& options);

/// Null for `none`.
[[nodiscard]] std::unique_ptr<SetAlgorithm> make_set_algorithm(ir::Step& step,
                                                               const ir::Analyses& analyses,
                                                               const Options& options,
                                                               const CandidateLocks* candidates,
                                                               const MethodCalls& calls);

}  // namespace cml::checker
