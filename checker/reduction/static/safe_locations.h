// Where the next transition of a thread is safe: it depends on nothing that another thread does,
// whatever the state (the safe actions of Holzmann and Peled, "An Improvement in Formal
// Verification", FORTE 1994; "invisible" in Cirisci, Enea, Farzan and Mutluergil, "A Pragmatic
// Approach to Stateful Partial Order Reduction", §3.1).
//
//   shared mine[3]: int;                          next transition, from the code alone
//   thread T[i in 0..<3] {
//     mine[i] = 1;                                safe: nobody else uses mine[i]
//     with m { sum = sum + mine[i]; }             not: m and sum are everybody's
//   }
//
// A thread alone that is at such a place is a persistent set. A transition from which control can
// get back to where it began, or before that, is not safe, unless it can be executed a bounded
// number of times only. So on a cycle of the state graph not all transitions are safe, and no
// thread is ignored for ever if safe ones are taken first: without a proviso that depends on the
// order in which states are visited.
//
// Cost: each location is looked at once, when it is first asked for.
#pragma once

#include <cstdint>

#include "checker/reduction/static/static_sets.h"
#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/system.h"

namespace cml::checker {

class SafeLocations {
 public:
  /// All must outlive it.
  SafeLocations(const StaticSets& sets, const ir::System& system, const ir::Analyses& analyses,
                Scope scope)
      : sets_(sets), system_(system), analyses_(analyses), scope_(scope), known_(system) {}

  [[nodiscard]] bool operator()(ir::ThreadId thread, ir::Location at) {
    Known& known = known_.at(thread, at);
    if (known == Known::NotYet) known = is_safe(thread, at) ? Known::Safe : Known::Unsafe;
    return known == Known::Safe;
  }

 private:
  enum class Known : std::uint8_t { NotYet, Safe, Unsafe };

  [[nodiscard]] bool is_safe(ir::ThreadId thread, ir::Location at) const;
  /// Whether the transition may get to where it began, or before that.
  [[nodiscard]] bool goes_back(ir::ThreadId thread, ir::Location at) const;

  const StaticSets& sets_;
  const ir::System& system_;
  const ir::Analyses& analyses_;
  Scope scope_;
  ir::ByLocation<Known> known_;
};

}  // namespace cml::checker
