// Deadlocks and partial deadlocks (docs/reference.md, "Deadlock").
//
// Deadlock: no thread has an enabled transition, and a non-daemon thread has not ended. Partial
// deadlock: a set B of blocked threads, not all daemons, that can never move again although others
// can. B is a greatest fixed point: start with all blocked threads; drop one that a thread outside
// B may still enable; repeat. "May" is static (ir::Accesses::future), with what the state adds:
// only its owner frees a lock, and a waiter that was not notified needs a notify and the lock. A
// state with a stopped thread has neither (docs/reference.md, "Violations"); a thread that stops or
// diverges by invisible transitions alone counts as stopped.
//
// Cost: mostly a look at one table, which says that the last transition cannot have made a thread
// stuck (stuck_filter.h). Else the location of each thread that is not enabled; for each blocked
// thread and each of the others, a look at a table that is made when it is first needed. A wait is
// evaluated only where the object that it waits for depends on the state.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "checker/monitor/finding.h"
#include "checker/monitor/monitor.h"
#include "checker/monitor/stuck_filter.h"
#include "checker/monitor/thread_set.h"
#include "checker/options.h"
#include "checker/waiting.h"
#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"
#include "support/mutation.h"

namespace cml::checker {

class StuckMonitor {
 public:
  /// `step` and `analyses` must outlive it.
  StuckMonitor(ir::Step& step, const ir::Analyses& analyses, const Options& options);

  /// Whether no thread is stuck in this state that was not stuck before, and those are daemons. The
  /// state has these actions, and the transition of the thread `moved` led here (invalid: it is the
  /// initial state) from a state that was examined, too. False: it must be examined.
  [[nodiscard]] bool makes_nobody_stuck(const std::uint8_t* state,
                                        std::span<const ir::Action> actions, ir::ThreadId moved) {
    if (!uses_filter_ || !moved.valid()) return false;
    const ir::Location here = location(layout_, state, moved);
    const StuckFilter::At at = filter_.at(moved, here);
    return at.makes_nobody_stuck &&
           (at.obligations.empty() || are_met(state, actions, at.obligations)) &&
           (can_go(actions, moved) || here == ir::kEnded ||
            waits_for_enabled(state, actions, moved));
  }
  /// Reports the threads that are stuck in a state with these actions.
  void state(const std::uint8_t* state, std::span<const ir::Action> actions, const Where& where);
  /// Whether in the state of the last call of state() all non-daemon threads have ended, and no
  /// thread is stopped, or will be by its invisible transitions alone.
  [[nodiscard]] bool is_final(const std::uint8_t* state) {
    return all_ended(state) && !any_stopped(state, enabled_);
  }
  /// Findings are joined where they are kept. The filter requires that all states on the path to
  /// this one were examined: where one search has met stuck threads, the other does without the
  /// filter as well. So monitors that share a graph must be joined before one continues from a
  /// state of the other, or do without the filter (Options::static_analyses).
  void join(const StuckMonitor& other);

  /// `enabled`: the threads that have an action in this state.
  [[nodiscard]] std::optional<Finding> look(const std::uint8_t* state, const ThreadSet& enabled);
  /// Whether the thread can only wake up though nobody has notified it. Who is stuck is decided as
  /// if there were no more of that.
  [[nodiscard]] bool is_spurious(const std::uint8_t* state, ir::ThreadId thread) const {
    return spurious_wakeups_ && is_waiting(system_, layout_, state, thread) &&
           !CML_MUTATION("spurious-wakeups-hide-lost-ones");
  }
  /// A thread that is blocked in this state.
  [[nodiscard]] StuckThread describe(const std::uint8_t* state, ir::ThreadId thread);
  /// Whether the last call of `look` found a thread, daemons included, that can never move again.
  [[nodiscard]] bool anyone_stuck() const { return left_ > 0; }
  /// How many of the states that this search has shown are deadlocks.
  [[nodiscard]] std::uint64_t deadlocked_states() const { return deadlocked_; }

 private:
  /// By location: whether the thread may ever do something from there on.
  using May = ir::ByLocation<std::uint8_t>;
  /// What the operation at a location waits for, where that is the same in all states.
  struct Awaited {
    enum class Kind : std::uint8_t {
      Unknown,  // depends on the state
      Lock,     // to become free
      Waiter,   // a notify, and the lock to become free
      Other,    // that some thread does `use`
    };
    Kind kind = Kind::Unknown;
    ir::Use use = ir::Use::Read;
    ir::ObjectId object;
    ir::ObjectId set;  // of a waiter: where it waits, the lock or a condition
    /// The threads that may do what is waited for.
    const May* may = nullptr;
    const May* may_free = nullptr;  // of a waiter
  };

  [[nodiscard]] static bool can_go(std::span<const ir::Action> actions, ir::ThreadId thread) {
    return std::any_of(actions.begin(), actions.end(),
                       [thread](const ir::Action& action) { return action.thread == thread; });
  }
  /// Whether each of the obligations may be met by an enabled thread.
  [[nodiscard]] bool are_met(const std::uint8_t* state, std::span<const ir::Action> actions,
                             std::span<const ir::ObjectUse> obligations);
  /// Whether an enabled thread may do what the thread waits for.
  [[nodiscard]] bool waits_for_enabled(const std::uint8_t* state,
                                       std::span<const ir::Action> actions, ir::ThreadId thread);
  [[nodiscard]] static Awaited awaited(const ir::Instruction& instruction);
  [[nodiscard]] bool may_be_enabled(const std::uint8_t* state, ir::ThreadId thread);
  [[nodiscard]] bool may_go(const std::uint8_t* state, ir::ThreadId thread, const ir::Touch& waits);
  [[nodiscard]] bool waiter_may_go(const std::uint8_t* state, ir::ThreadId thread,
                                   ir::ObjectId lock, ir::ObjectId set, const May& may_notify,
                                   const May& may_free);
  /// Whether some thread that is alive and outside the set may do this.
  [[nodiscard]] bool outsider_may(const std::uint8_t* state, const May& may) const;
  [[nodiscard]] bool outsider_may(const std::uint8_t* state, ir::Use what, ir::ObjectId object) {
    return outsider_may(state, *may(what, object));
  }
  [[nodiscard]] bool owner_may_free(const std::uint8_t* state, ir::ObjectId lock,
                                    const May& may_free) const;
  /// The position of the thread's location in all tables.
  [[nodiscard]] std::uint32_t place(const std::uint8_t* state, ir::ThreadId id) const {
    return awaited_.place(id, location(layout_, state, id));
  }
  [[nodiscard]] const May* may(ir::Use what, ir::ObjectId object);
  /// Whether a thread is stopped, or will be by its invisible transitions alone.
  [[nodiscard]] bool any_stopped(const std::uint8_t* state, const ThreadSet& enabled);
  [[nodiscard]] bool all_ended(const std::uint8_t* state) const;
  /// Whether all threads in stuck_ are daemons.
  [[nodiscard]] bool are_daemons() const;
  [[nodiscard]] std::optional<Finding> finding(const std::uint8_t* state, const ThreadSet& enabled,
                                               bool nothing_moves);

  ir::Step& step_;
  const ir::System& system_;
  const ir::Layout& layout_;
  bool spurious_wakeups_;
  static constexpr std::uint32_t kLooksBeforeFilter = 16;
  std::uint32_t looks_ = 0;
  // A short search does not need the filter, and the reference search must not use it. It must not
  // be used either once a non-daemon thread was stuck in a state that has successors.
  bool may_use_filter_;
  bool uses_filter_ = false;
  StuckFilter filter_;
  ir::ByLocation<Awaited> awaited_;
  std::vector<std::unique_ptr<const May>> may_;  // by object and use, once asked for
  ThreadSet enabled_;                            // in the state that state() was shown
  ThreadSet stuck_;
  std::vector<ir::ThreadId> blocked_;  // those in stuck_, and some that were
  std::size_t left_ = 0;               // in stuck_
  std::uint64_t deadlocked_ = 0;       // states
  // The last lock that was found to become free perhaps, and the last wait set whose waiters may be
  // notified: they stay so, since stuck_ only becomes smaller.
  ir::ObjectId free_;
  ir::ObjectId notified_;
  ir::Record record_;
  std::vector<std::uint8_t> scratch_;
};
static_assert(Monitor<StuckMonitor>);

}  // namespace cml::checker
