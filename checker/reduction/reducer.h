// What the searches share of reductions: the set that is chosen from a state, the sleep sets, and
// the bookkeeping of both. Each search adds the proviso that suits its order.
//
//   expand:     all actions ──choose──▶ those to explore (in the set, not asleep)
//   execute:    record ──summary──▶ the sleep set of the child
//   backtrack:  has a thread stopped? then the other actions of the state must be explored, too
//
// A stopped thread (a violation, a false assume, divergence) influences other properties: in a
// state with a stopped thread no deadlock is reported. So a transition that stops its thread
// commutes with nothing, which is known only after it was executed: such a state is expanded fully.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/reduction/dependency.h"
#include "checker/reduction/sleep.h"
#include "checker/reduction/static/set_cache.h"
#include "checker/reduction/static/usefulness.h"
#include "checker/reduction/stops.h"
#include "checker/result.h"
#include "checker/waiting.h"
#include "ir/exec/rendezvous.h"
#include "support/buffer.h"
#include "support/mutation.h"

namespace cml::checker {

class Reducer {
 public:
  /// All must outlive it; `candidates` and `commuting` may be null.
  Reducer(ir::Step& step, const ir::Analyses& analyses, const Options& options,
          const MemoryBudget& budget, const CandidateLocks* candidates,
          const std::vector<ProvedCommutes>* commuting);

  [[nodiscard]] bool sleeps() const { return options_.reduction.sleep; }
  [[nodiscard]] bool any() const { return options_.reduction.any(); }
  /// Whether sets of the actions are chosen.
  [[nodiscard]] bool chooses() const { return sets_.has_value(); }

  /// Whether the sets alone do not keep threads from being ignored on a cycle for ever.
  [[nodiscard]] bool needs_proviso() const {
    return options_.reduction.sets != Sets::SafeSet || sleeps();
  }

  /// Whether a set should be computed for the next state that is expanded. It need not be: all
  /// actions are a set, too.
  [[nodiscard]] bool wants_set() {
    if (usefulness_.wants_set()) return true;
    ++statistics_.skipped;
    return false;
  }
  /// Whether sets have left out next to nothing.
  [[nodiscard]] bool is_trying() const { return usefulness_.is_trying(); }
  struct Choice {
    SetNumber set;             // invalid: all
    bool leaves_some = false;  // actions outside the set that do not sleep
    bool stop = false;         // one in the set sleeps that stops its thread: explore all others
  };
  /// Of `all` actions of a state, by thread, appends those to explore to `out`.
  Choice choose(const std::uint8_t* state, std::span<const ir::Action> all, SleepId sleep,
                Buffer<ir::Action>& out);
  /// The same with a set that was chosen for this state before, where no action sleeps.
  Choice choose_again(SetNumber set, std::span<const ir::Action> all, Buffer<ir::Action>& out);
  /// The set for a state in which nobody sleeps, and its action where it has no more than one.
  struct Single {
    SetNumber set;              // invalid: all
    bool leaves_some = false;   // actions outside the set
    ir::Action action;          // invalid thread: none, or several
    std::uint64_t enabled = 0;  // SetCache::enabled_alone()
  };
  Single choose_single(const std::uint8_t* state, std::span<const ir::Action> all) {
    Single result;
    if (all.size() < 2) {
      if (!all.empty()) result.action = all[0];
      return result;
    }
    if (has_spurious_wakeup(options_, layout_, state, all)) return result;
    result.set = sets_->select(state, all);
    result.enabled = sets_->enabled_alone();
    const SetCache::Threads threads = (*sets_)[result.set];
    std::size_t in_set = 0;
    if (result.enabled != 0) {
      const std::uint64_t chosen = result.enabled & threads.first_word();
      in_set = static_cast<std::size_t>(std::popcount(chosen));
      if (in_set == 1)
        result.action.thread = ir::ThreadId(static_cast<std::uint32_t>(std::countr_zero(chosen)));
    } else {
      for (const ir::Action action : all)
        if (threads.contains(action.thread) && ++in_set == 1) result.action = action;
      if (in_set != 1) result.action = {};
    }
    result.leaves_some = in_set < all.size();
    count(in_set, all.size());
    return result;
  }
  /// Where this changes, other sets may be chosen.
  [[nodiscard]] std::uint64_t version() const { return sets_ ? sets_->version() : 0; }
  /// Appends those of `all` that are neither in `taken` nor asleep.
  void rest(std::span<const ir::Action> all, std::span<const ir::Action> taken, SleepId sleep,
            Buffer<ir::Action>& out) const;
  /// Appends those of `all` that are not in the set.
  void rest(SetNumber set, std::span<const ir::Action> all, Buffer<ir::Action>& out) const;

  /// What firing an action means for the state that it reached.
  struct Executed {
    SleepId sleep = SleepSets::empty();
    SummaryId summary;   // where there are sleep sets
    bool stops = false;  // the thread stopped
  };
  /// `action` led from `before`, which sleeps `sleep` and from which `explored` was explored
  /// before, to `after`. What was explored of the action's own thread need not be in it, as it
  /// sleeps nowhere.
  Executed executed(const ir::Record& record, const std::uint8_t* before, const std::uint8_t* after,
                    ir::Action action, SleepId sleep, std::span<const Sleeper> explored);

  /// For a state stored with `stored` and reached again with `arriving`: what must be explored now
  /// (Z ∖ Z′), and what sleeps from then on (Z ∩ Z′).
  [[nodiscard]] SleepId difference(SleepId stored, SleepId arriving);
  [[nodiscard]] SleepId intersection(SleepId stored, SleepId arriving);
  [[nodiscard]] std::span<const Sleeper> sleepers(SleepId id) const { return sleep_sets_[id]; }

  /// Whether the thread, which has just moved, stopped, or will stop by invisible transitions
  /// alone.
  bool stops(const std::uint8_t* after, ir::ThreadId thread) {
    return sets_.has_value() && stops_(after, thread);
  }

  /// The same of all that the action has moved.
  bool stops(const std::uint8_t* after, ir::Action action) {
    if (stops(after, action.thread)) return true;
    const ir::ThreadId partner = ir::partner_of(action);
    return partner.valid() && stops(after, partner) &&
           !CML_MUTATION("stops-of-partners-are-not-noticed");
  }

  [[nodiscard]] ReductionStatistics& statistics() { return statistics_; }
  [[nodiscard]] const ReductionStatistics& statistics() const { return statistics_; }
  [[nodiscard]] std::uint64_t memory() const;
  /// How many numbers of 32 bits are in use: for sleep sets, summaries or parts of these, whichever
  /// are most.
  [[nodiscard]] std::uint64_t numbers() const {
    return std::max<std::uint64_t>(sleep_sets_.count(), dependency_.numbers());
  }

 private:
  /// The actions of a set, or all, where nobody sleeps.
  Choice take_set(SetNumber set, std::span<const ir::Action> all, Buffer<ir::Action>& out) const;
  /// The same where somebody may sleep: says how many actions are in the set.
  std::size_t choose_awake(std::span<const ir::Action> all, SleepId sleep, Choice& choice,
                           Buffer<ir::Action>& out);
  void count(std::size_t in_set, std::size_t enabled) {
    ++statistics_.sets;
    statistics_.chosen += in_set;
    statistics_.enabled += enabled;
    statistics_.largest = std::max<std::uint64_t>(statistics_.largest, in_set);
    statistics_.single += in_set == 1 ? 1 : 0;
    usefulness_.computed(in_set, enabled);
  }
  const ir::Layout& layout_;
  const Options& options_;
  Extent extent_;
  Stops stops_;
  MethodCalls calls_;
  std::optional<SetCache> sets_;
  Dependency dependency_;
  SleepSets sleep_sets_;
  ReductionStatistics statistics_;
  Usefulness usefulness_;
  std::vector<Sleeper> scratch_;
};

}  // namespace cml::checker
