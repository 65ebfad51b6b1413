// The depths of a breadth-first search. States are numbered as they are found and expanded in that
// order, so those of one depth have consecutive numbers:
//
//   0 │ 1  2  3 │ 4  5  6  7  8 │ 9 …
//                  ▲             ▲
//                  next          end(): the first one behind the present depth
#pragma once

#include <cstdint>

#include "checker/options.h"
#include "checker/search/explorer.h"
#include "checker/search/search_limits.h"
#include "checker/store/state_number.h"
#include "ir/system.h"
#include "support/mutation.h"

namespace cml::checker {

class Depths {
 public:
  /// All must outlive it.
  Depths(const Options& options, Explorer& explorer, SearchLimits& limits)
      : options_(options), explorer_(explorer), limits_(limits) {}

  [[nodiscard]] StateNumber end() const { return end_; }

  /// The next depth begins, with `stored` states. False: it is the limit.
  [[nodiscard]] bool begin(std::uint64_t stored) {
    end_ = static_cast<StateNumber>(stored);
    const std::uint64_t most = options_.limits.max_depth;
    if (++depth_ >= CML_MUTATED("a-depth-too-many", most, most + 1)) {
      limits_.leave_out("max-depth");
      return false;
    }
    limits_.reached_depth(CML_MUTATED("the-last-depth-is-not-counted", depth_, depth_ - 1));
    return true;
  }

  /// Where the shortest trace is wanted, the monitors see the states of a depth before any of them
  /// is expanded. `load(state)` loads it, and says whose transition led there.
  //
  // A full search looks for divergence where a cycle closes, which may be much later, by a thread
  // that another one's write has made diverge, too.
  template <class Load>
  void show_states(StateNumber next, Load load) {
    if (!options_.shortest || CML_MUTATION("depths-are-not-shown")) return;
    for (StateNumber state = next; state < end_ && !limits_.stopped(); ++state) {
      if (state + 1 == end_ && CML_MUTATION("the-last-state-of-a-depth-is-not-shown")) return;
      const ir::ThreadId moved = load(state);
      (void)explorer_.enabled_in_new(moved);
      if (!explorer_.any_may_diverge()) continue;
      for (const ir::ThreadId thread : explorer_.step().system().threads.ids())
        explorer_.check_divergence(explorer_.state(), thread);
    }
  }

 private:
  const Options& options_;
  Explorer& explorer_;
  SearchLimits& limits_;
  StateNumber end_ = 1;
  std::uint64_t depth_ = 0;
};

}  // namespace cml::checker
