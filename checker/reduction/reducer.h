// What the searches share of reductions: the set that is chosen from a state, the sleep sets, and
// the bookkeeping of both. Each search adds the proviso that suits its order.
//
//   expand:  all actions ──choose──▶ those to take (in the set, not asleep)
//   step:    record ──summary──▶ who sleeps in the child
//   back:    did a thread stop? then the rest of the state's actions must be taken, too
//
// That a thread stops (a violation, a false assume, divergence) is seen by the other properties: in
// a state with a stopped thread no deadlock is reported. So a transition that stops its thread
// commutes with nothing, which is known only after it was executed: such a state is expanded fully.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/reduction/dependency.h"
#include "checker/reduction/reduction.h"
#include "checker/reduction/sleep.h"
#include "checker/reduction/static/usefulness.h"
#include "checker/result.h"

namespace cml::checker {

class Reducer {
 public:
  /// All must outlive it; `candidates` may be null.
  Reducer(ir::Step& step, const ir::Analyses& analyses, const Options& options,
          const MemoryBudget& budget, const CandidateLocks* candidates);

  [[nodiscard]] bool sleeps() const { return options_.reduction.sleep; }
  [[nodiscard]] bool any() const { return options_.reduction.any(); }

  /// Whether a set should be computed for the next state that is expanded. It need not be: all
  /// actions are a set, too.
  [[nodiscard]] bool wants_set() {
    if (usefulness_.wants_set()) return true;
    ++statistics_.skipped;
    return false;
  }
  struct Choice {
    bool leaves_some = false;  // actions outside the set that do not sleep
    bool stop = false;         // one in the set sleeps that stops its thread: take the others, too
  };
  /// Of `all` actions of a state, by thread, appends those to take to `out`.
  Choice choose(const std::uint8_t* state, std::span<const ir::Action> all, SleepId sleep,
                std::vector<ir::Action>& out);
  /// Appends those of `all` that are neither in `taken` nor asleep.
  void rest(std::span<const ir::Action> all, std::span<const ir::Action> taken, SleepId sleep,
            std::vector<ir::Action>& out) const;

  /// What was executed; an invalid id where nobody sleeps.
  SummaryId summary(const ir::Record& record, const std::uint8_t* before, const std::uint8_t* after,
                    bool stops);
  /// The sleep set of a child, reached by `action` from `state`, which sleeps `sleep` and explored
  /// `explored` before.
  SleepId child(SleepId sleep, std::span<const Sleeper> explored, ir::Action action,
                SummaryId executed, const std::uint8_t* state);

  /// For a state stored with `stored` and reached again with `arriving`: what must be explored now
  /// (Z ∖ Z′), and what sleeps from then on (Z ∩ Z′).
  [[nodiscard]] SleepId difference(SleepId stored, SleepId arriving);
  [[nodiscard]] SleepId intersection(SleepId stored, SleepId arriving);
  [[nodiscard]] std::span<const Sleeper> sleepers(SleepId id) const { return sleep_sets_[id]; }

  /// Whether the thread, which has just moved, stopped, or will stop by invisible transitions
  /// alone.
  bool stops(const std::uint8_t* after, ir::ThreadId thread);

  [[nodiscard]] ReductionStatistics& statistics() { return statistics_; }
  [[nodiscard]] const ReductionStatistics& statistics() const { return statistics_; }
  [[nodiscard]] std::uint64_t memory() const;
  /// How many sleep sets, summaries or parts of these have a number of 32 bits; of which there are
  /// the most.
  [[nodiscard]] std::uint64_t numbers() const {
    return std::max<std::uint64_t>(sleep_sets_.count(), dependency_.numbers());
  }

 private:
  ir::Step& step_;
  const Options& options_;
  Extent extent_;
  bool by_micros_;
  std::unique_ptr<Reduction> reduction_;
  Dependency dependency_;
  SleepSets sleep_sets_;
  ReductionStatistics statistics_;
  Usefulness usefulness_;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> chosen_;
  std::vector<Sleeper> scratch_;
  std::vector<std::uint8_t> alone_;
  ir::Record record_;
};

}  // namespace cml::checker
