// Deadlocks and partial deadlocks (language.md §5).
//
// Deadlock: no thread has an enabled transition, and a non-daemon thread has not ended. Partial
// deadlock: a set B of blocked threads, not all daemons, that can never move again although others
// can. B is a greatest fixed point: start with all blocked threads; drop one that a thread outside
// B may still enable; repeat. "May" is static (ir::Accesses::future), with what the state adds:
// only its owner frees a lock, and an unnotified waiter needs a notify and the lock. A state with a
// stopped thread has neither (language.md §6); a thread that stops or turns for ever by invisible
// transitions alone counts as stopped.
//
// Cost: nothing where no thread is blocked.
#pragma once

#include <optional>
#include <vector>

#include "checker/finding.h"
#include "ir/analysis/accesses.h"
#include "ir/step.h"

namespace cml::checker {

/// By thread: whether it can go.
using Enabled = std::vector<std::uint8_t>;

/// A thread in a reserved location other than the end.
[[nodiscard]] bool is_stopped(ir::Location location);

class StuckMonitor {
 public:
  /// `step` and `accesses` must outlive it.
  StuckMonitor(ir::Step& step, const ir::Accesses& accesses, bool spurious_wakeups);

  /// `enabled` says by thread whether it has an entry in this state.
  [[nodiscard]] std::optional<Finding> look(const std::uint8_t* state, const Enabled& enabled);
  /// Whether `look` has just seen a thread, be it a daemon, that can never move again.
  [[nodiscard]] bool anyone_stuck() const { return left_ > 0; }

  /// Some thread is stopped, or will be by its invisible transitions alone.
  [[nodiscard]] bool any_stopped(const std::uint8_t* state, const Enabled& enabled);
  /// All non-daemon threads have ended.
  [[nodiscard]] bool all_ended(const std::uint8_t* state) const;

 private:
  [[nodiscard]] bool may_be_enabled(const std::uint8_t* state, ir::ThreadId thread);
  /// Whether some thread that is alive and outside the set may do this.
  [[nodiscard]] bool outsider_may(const std::uint8_t* state, ir::Access what,
                                  ir::ObjectId object) const;
  [[nodiscard]] bool owner_may_free(const std::uint8_t* state, ir::ObjectId lock) const;
  [[nodiscard]] StuckThread describe(const std::uint8_t* state, ir::ThreadId thread);

  ir::Step& step_;
  const ir::System& system_;
  const ir::Layout& layout_;
  bool spurious_wakeups_;
  const ir::Accesses& accesses_;
  // By thread and location: the lock that an acquire there waits for, where it is always the same.
  IdVector<ir::ThreadId, std::vector<ir::ObjectId>> awaited_lock_;
  std::vector<std::uint8_t> stuck_;  // by thread
  std::size_t left_ = 0;             // in stuck_
  ir::Record record_;
  std::vector<std::uint8_t> scratch_;
};

}  // namespace cml::checker
