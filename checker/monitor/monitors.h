// The monitors of a search, put together.
//
//                      ┌─ discipline: accesses and the locks held at them, pending guards; or races
//                      ├─ events of the thread (assertions, range, illegal-monitor, …): findings,
//   transition ────────┤  limits, divergence
//                      ├─ locks that are of use
//                      ├─ marks: which statements and cover labels were reached
//                      └─ the location where the thread arrives: lock order, locks held at its end
//                      ┌─ deadlock, partial deadlock
//   state (once each) ─┼─ cycles of the lock order that close
//                      └─ invariants, finally
//
// Each has one job and a file of its own; transitions are dispatched here, so that one without a
// new observation costs a look at two tables, and no call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checker/monitor/discipline.h"
#include "checker/monitor/divergence_monitor.h"
#include "checker/monitor/finding.h"
#include "checker/monitor/held_at_end.h"
#include "checker/monitor/limit_monitor.h"
#include "checker/monitor/lock_order.h"
#include "checker/monitor/lock_use.h"
#include "checker/monitor/monitor.h"
#include "checker/monitor/property_monitor.h"
#include "checker/monitor/race_monitor.h"
#include "checker/monitor/recorder.h"
#include "checker/monitor/stuck.h"
#include "checker/options.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/interpreter.h"
#include "ir/exec/observations.h"
#include "ir/exec/rendezvous.h"

namespace cml::checker {

class Monitors {
 public:
  /// `step` is the search's; all must outlive it. Invariants and finally run in the interpreter.
  Monitors(ir::Step& step, ir::Interpreter& interpreter, const ir::Analyses& analyses,
           const Options& options, const FollowedObjects& followed);

  /// Bytes that are stored behind each state.
  [[nodiscard]] std::size_t extra_bytes() const {
    return discipline_.state_bytes() + races_.state_bytes();
  }
  /// What they are: either locks that protect objects, or who knows of accesses.
  [[nodiscard]] KeptSets kept() const { return races_.any() ? races_.kept() : discipline_.kept(); }

  /// The initial state: `before` the beginnings of the threads, and after them.
  void initial(const std::uint8_t* before, const ir::Record& record, const std::uint8_t* after,
               std::uint8_t* extra, const PathSource& path);
  /// A transition; `extra` belongs to the state after it, and is updated.
  void transition(const std::uint8_t* before, const ir::Record& record, const std::uint8_t* after,
                  std::uint8_t* extra, const PathSource& path) {
    const bool observes = record.has_observations();
    if (observes && record.micros.size() > 1) [[unlikely]] {
      const std::size_t partner = ir::partner_part(record);
      if (partner < record.micros.size())
        return meeting({before, record, after, extra}, partner, path);
    }
    if (observes) observed({before, record, after, extra}, path);
    unobserved(after, extra, path);
    if (observes) arrived(after, record.micros[0].action.thread);
  }
  /// One of two threads, as two transitions of one each; the second begins at `partner`.
  void meeting(const Transition& transition, std::size_t partner, const PathSource& path);
  /// Whether transitions without a new observation must be passed to unobserved().
  [[nodiscard]] bool looks_at_unobserved() const { return discipline_.has_guards(); }
  /// A transition without a new observation.
  void unobserved(const std::uint8_t* after, std::uint8_t* extra, const PathSource& path) {
    if (discipline_.has_guards()) discipline_.guards(after, extra, {findings_, path});
  }
  /// A state that was not visited before, with all its actions; `moved`: the thread whose
  /// transition led here, invalid for the initial state.
  void state(const std::uint8_t* state, std::span<const ir::Action> actions, ir::ThreadId moved,
             const PathSource& path) {
    findings_.visited();
    if (!properties_.any() && stuck_.makes_nobody_stuck(state, actions, moved)) return;
    look_at(state, actions, moved, path);
  }
  /// A thread that diverges from this state on, or reaches a limit by invisible transitions.
  void invisible_run(const ir::Record& record, const PathSource& path);
  [[nodiscard]] bool diverged(ir::ThreadId thread) const { return divergence_.diverged(thread); }

  /// Adds what the monitors of another search of the same system, with the same options, have
  /// observed. A violation of the discipline by both together becomes a finding.
  void join(const Monitors& other);

  /// Whether the search can end.
  [[nodiscard]] bool enough() const {
    return findings_.enough() || internal_error() || (can_have_more_room_ && limits_.needs_room());
  }
  [[nodiscard]] bool internal_error() const {
    return limits_.internal_error() || discipline_.contradiction();
  }

  [[nodiscard]] const Findings& findings() const { return findings_; }
  /// The observations that were recorded, and need not be in records any more.
  [[nodiscard]] std::shared_ptr<const ir::Observations> observations() const {
    return recorder_.observations();
  }
  [[nodiscard]] const DisciplineMonitor& discipline() const { return discipline_; }
  [[nodiscard]] const RaceMonitor& races() const { return races_; }
  [[nodiscard]] RaceMonitor& races() { return races_; }
  [[nodiscard]] std::uint64_t deadlocked_states() const { return stuck_.deadlocked_states(); }
  [[nodiscard]] const LockUse& lock_use() const { return lock_use_; }
  [[nodiscard]] const LockOrder& lock_order() const { return lock_order_; }
  [[nodiscard]] const HeldAtEnd& held_at_end() const { return held_at_end_; }
  [[nodiscard]] const LimitMonitor::Limits& limits() const { return limits_.limits(); }
  [[nodiscard]] bool is_reached(ir::PointId point) const { return recorder_.is_reached(point); }
  [[nodiscard]] std::vector<CoverEntry> cover() const;

 private:
  void observed(const Transition& transition, const PathSource& path);
  /// Processes what a transition did, but not the location where it led.
  void executed(const Transition& transition, const Where& where);
  void event(const ir::Event& event, const Where& where);
  void arrived(const std::uint8_t* state, ir::ThreadId thread);
  void look_at(const std::uint8_t* state, std::span<const ir::Action> actions, ir::ThreadId moved,
               const PathSource& path);

  const ir::System& system_;
  const ir::Layout& layout_;
  Findings findings_;
  StaticDiscipline statics_;
  Recorder recorder_;
  DisciplineMonitor discipline_;
  RaceMonitor races_;
  StuckMonitor stuck_;
  DivergenceMonitor divergence_;
  LimitMonitor limits_;
  PropertyMonitor properties_;
  LockUse lock_use_;
  LockOrder lock_order_;
  HeldAtEnd held_at_end_;
  bool can_have_more_room_;
  ir::Record part_;  // scratch: what one thread of a meeting did
};
static_assert(Monitor<Monitors>);

}  // namespace cml::checker
