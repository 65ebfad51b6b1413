// The monitors: everything that looks at what the search executes and at the states it reaches
// (language.md §8). They never change what is explored.
//
//                      ┌─ events of the thread (assertions, range, illegal-monitor, …), limits
//   transition ────────┼─ marks: which statements and cover labels were reached
//                      ├─ discipline: accesses and the locks held at them, pending guards
//                      └─ locks held at a thread's end, locks that protect something, lock order
//                      ┌─ deadlock, partial deadlock
//   state (once each) ─┼─ cycles of the lock order that close
//                      └─ invariants, finally
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/monitor/discipline.h"
#include "checker/monitor/finding.h"
#include "checker/monitor/invariant_cache.h"
#include "checker/monitor/lock_order.h"
#include "checker/monitor/stuck.h"
#include "checker/options.h"
#include "ir/analysis/analyses.h"
#include "ir/exec/interpreter.h"
#include "ir/exec/observations.h"

namespace cml::checker {

class Monitors {
 public:
  /// `step` is the search's; all must outlive it. Invariants and finally run in the interpreter.
  Monitors(ir::Step& step, ir::Interpreter& interpreter, const ir::Analyses& analyses,
           const Options& options);

  /// Bytes that are stored behind each state.
  [[nodiscard]] std::size_t extra_bytes() const { return discipline_.state_bytes(); }

  /// The initial state: `before` the beginnings of the threads, and after them.
  void initial(const std::uint8_t* before, const ir::Record& record, const std::uint8_t* after,
               std::uint8_t* extra, const PathSource& path);
  /// A transition; `extra` belongs to the state after it, and is updated.
  void transition(const std::uint8_t* before, const ir::Record& record, const std::uint8_t* after,
                  std::uint8_t* extra, const PathSource& path) {
    const bool observes = record.has_observations();
    if (observes) observed(before, record, extra, path);
    silent(after, extra, path);
    if (observes) arrived(after, record.micros[0].action.thread);
  }
  /// Whether there is anything to see at a transition that told nothing.
  [[nodiscard]] bool looks_at_unobserved() const { return discipline_.has_guards(); }
  /// A transition that told nothing.
  void silent(const std::uint8_t* after, std::uint8_t* extra, const PathSource& path) {
    if (discipline_.has_guards()) discipline_.guards(after, extra, path, findings_);
  }
  /// A state that was not visited before, with all its actions; `moved`: the thread whose
  /// transition led here, invalid for the initial state.
  void state(const std::uint8_t* state, std::span<const ir::Action> actions, ir::ThreadId moved,
             const PathSource& path) {
    findings_.visited();
    if (!has_properties_ && stuck_.makes_nobody_stuck(state, actions, moved)) return;
    look_at(state, actions, moved, path);
  }
  /// A thread that turns for ever by invisible transitions from this state on.
  void diverges(ir::ThreadId thread, const ir::Event& event, const PathSource& path);
  /// A limit that ended a thread, or an invariant or `finally`.
  void limit(const ir::Event& event);
  [[nodiscard]] bool diverged(ir::ThreadId thread) const { return diverged_[thread.index]; }

  /// The search need not go on.
  [[nodiscard]] bool enough() const { return findings_.enough() || internal_error(); }

  [[nodiscard]] const Findings& findings() const { return findings_; }
  /// What a transition need not tell any more.
  [[nodiscard]] std::shared_ptr<const ir::Observations> observations() const {
    return observations_;
  }
  [[nodiscard]] const DisciplineMonitor& discipline() const { return discipline_; }
  /// The limits of the interpreter that were hit, each where that was first.
  [[nodiscard]] const std::map<std::string_view, ir::Event>& limits() const { return limits_; }
  [[nodiscard]] bool internal_error() const {
    return internal_error_ || discipline_.contradiction();
  }
  [[nodiscard]] std::vector<CoverEntry> cover() const;
  [[nodiscard]] std::vector<Warning> warnings(bool complete) const;

 private:
  void observed(const std::uint8_t* before, const ir::Record& record, std::uint8_t* extra,
                const PathSource& path);
  void look_at(const std::uint8_t* state, std::span<const ir::Action> actions, ir::ThreadId moved,
               const PathSource& path);
  /// What a transition did, apart from where it led.
  void executed(const ir::Record& record, std::uint8_t* extra, const PathSource& path);
  void arrived(const std::uint8_t* state, ir::ThreadId thread);
  void ended(const std::uint8_t* state, ir::ThreadId thread);
  void events(const ir::Record& record, const PathSource& path);
  void properties(const std::vector<ir::Invariant>& list, Source source, const std::uint8_t* state,
                  const PathSource& path);
  void use_of_locks(const std::uint8_t* before, const ir::Record& record);
  /// The locks that the thread owns in front of a touch of its transition.
  const std::uint64_t* owned_at(const std::uint8_t* before, const ir::Record& record,
                                std::size_t touch);
  /// Calls `use(Number)` for all that mean what a touch tells.
  template <class Use>
  void for_each_number(const std::uint8_t* before, const ir::Record& record, std::size_t touch,
                       Use use);
  [[nodiscard]] bool is_heard(const std::uint8_t* before, const ir::Record& record,
                              std::size_t touch);
  /// Native code need not tell this again.
  void record_observations(const std::uint8_t* before, const ir::Record& record);
  void unreached(std::vector<Warning>& out) const;
  void idle_locks(std::vector<Warning>& out) const;
  void held_at_end(std::vector<Warning>& out) const;
  void single_threads(std::vector<Warning>& out) const;

  [[nodiscard]] bool is_reached(ir::PointId point) const {
    return observations_->is_heard(observations_->of(point));
  }

  ir::Step& step_;
  ir::Interpreter& interpreter_;
  const ir::Analyses& analyses_;
  const ir::System& system_;
  const ir::Layout& layout_;
  Findings findings_;
  StaticDiscipline statics_;
  std::shared_ptr<ir::Observations>
      observations_;  // the compiler's thread may outlive the monitors
  DisciplineMonitor discipline_;
  StuckMonitor stuck_;
  ThreadSet enabled_;  // scratch
  bool has_properties_;
  LockOrder lock_order_;
  std::vector<bool> diverged_;  // by thread
  /// Which locks a thread owns at an instruction that touches something else.
  enum class UseOfLocks : std::uint8_t {
    Followed,  // known while the transition is looked at
    Known,     // always the same
    Counted,   // always the same, and in used_locks_
  };
  IdVector<ir::ThreadId, std::vector<UseOfLocks>> uses_;  // by pc
  std::vector<std::uint64_t> used_locks_;
  bool all_locks_are_used_ = false;
  std::set<std::pair<ir::ThreadId, ir::ObjectId>> held_at_end_;
  std::map<std::string_view, ir::Event> limits_;
  bool internal_error_ = false;
  std::vector<InvariantCache> valuations_;  // by invariant
  ir::Record record_;
  std::vector<std::uint64_t> held_;
  std::vector<ir::ObjectId> owned_;
};

}  // namespace cml::checker
