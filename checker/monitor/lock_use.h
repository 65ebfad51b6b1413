// Which locks are of use (all others get the warning `idle-lock`): a thread waits at the lock, or
// accesses another object while it owns the lock.
//
// Cost: nothing once all locks are known to be of use; until then, an instruction at which the
// locks held are always the same is processed once.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/monitor/monitor.h"
#include "checker/monitor/recorder.h"
#include "ir/analysis/analyses.h"

namespace cml::checker {

class LockUse {
 public:
  LockUse(const ir::System& system, const ir::Layout& layout, const ir::Analyses& analyses);

  /// Before `recorder` has seen the transition.
  void transition(const Transition& transition, Recorder& recorder) {
    if (!are_all_used_) look(transition, recorder);
  }
  void join(const LockUse& other);

  /// The locks, as a set.
  [[nodiscard]] const std::vector<std::uint64_t>& used() const { return used_; }

 private:
  /// Which locks a thread owns at an instruction that accesses another object.
  enum class At : std::uint8_t {
    Followed,  // known while the transition is processed
    Known,     // always the same
    Counted,   // always the same, and in used_
  };
  void look(const Transition& transition, Recorder& recorder);
  void count();

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::Analyses& analyses_;
  IdVector<ir::ThreadId, std::vector<At>> at_;  // by pc
  std::vector<std::uint64_t> used_;
  bool are_all_used_ = false;
};
static_assert(Monitor<LockUse>);

}  // namespace cml::checker
