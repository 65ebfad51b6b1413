// Parsimonious optimal DPOR (Abdulla, Atig, Das, Jonsson, Sagonas, "Parsimonious Optimal Dynamic
// Partial Order Reduction", CAV 2024): the executions of optimal.h, in polynomial memory. A wakeup
// tree can have exponentially many sequences; here none is kept, as each race is
//
//   reversed at once   what comes of it is explored as soon as the race is seen, and then the
//                      search goes on with the execution in which it was (suspension.h)
//   reversed sparingly a race (e, p) is left alone that an earlier execution has as well. Let σ be
//                      a sequence that reversed a race (a schedule), and h its last event:
//                        p in σ, before h     it was where σ comes from
//                        e in σ               e was the second of the two there
//                        h between e and p,   p does not depend on σ: it was there, too
//                          not in v
//   v                  what happens before p and not after e, then p: less than in optimal.h
//
//   Explore(E):                                                     here
//     pick any enabled p that does not sleep                        next
//     for races e of p with E that are not left alone               reverse
//       v := …; unless something that sleeps before e begins v
//         Explore(what is before e, v), where sleep, besides,       begin_schedule
//           e, and v′ for each race (e, p′) of E before p
//     Explore(E.p)                                                  resume
//
// What sleeps are sequences (sleep_sequences.h). The paper derives from the conflicts of events
// what must not be explored again; here it is computed from the path, in two steps: the v′ that
// belong to races of the events behind e, and those that were reversed further on, where the v′ of
// a sequence that sleeps there is in a race with e itself. That keeps all executions apart that
// differ in one reversal; where several together make an event independent of e, an execution can
// be explored twice. Nothing is missed by that.
//
// Where a thread has several choices each is explored. A schedule of which the last step turns out
// not to be possible ends there. Where all that is enabled must be explored (races.h), each thread
// is a schedule of one step. What optimal.h says of operations that may do something else in
// another place holds here, too; what is not known of a sequence that sleeps wakes it early, so
// that executions are explored more than once.
//
// Cost: each schedule costs the way back and forth; a race compares v with what sleeps.
// Memory: suspensions are nested at most as deep as there are pairs of events in an execution (the
// paper's argument), and each keeps a part of the path and the schedules of one event.
#pragma once

#include <vector>

#include "checker/reduction/dynamic/dynamic_reduction.h"
#include "checker/reduction/dynamic/sleep_sequences.h"
#include "checker/reduction/dynamic/suspension.h"

namespace cml::checker {

class Parsimonious final : public DynamicReduction {
 public:
  Parsimonious(ir::Step& step, const ir::Analyses& analyses, const Options& options,
               const MemoryBudget& budget);

  [[nodiscard]] std::optional<ir::Action> next(Depth depth) override;
  [[nodiscard]] std::uint64_t memory() const override;

 private:
  void open(Depth depth) override;
  void reverse(EventNumber event, const Operation& operation) override;
  void expand(Depth depth) override;
  void close(Depth depth) override;
  [[nodiscard]] bool is_on_the_way() const override { return !script_.empty(); }
  void inherit(Depth depth, ir::Action action, SummaryId summary) override;

  /// What is to be executed next: of a schedule, or along a tail.
  struct ScriptStep {
    SequenceStep step;
    bool is_scheduled = false;
    bool is_head = false;
    bool is_again = false;  // its races were looked at
    bool restores = false;  // the state is one that was gone back over: the last of resumed_
  };

  // ---- races
  /// What happens before the operation and not after the event, then the operation.
  void collect(EventNumber event, ir::ThreadId thread, SummaryId operation, EventNumber end);
  [[nodiscard]] bool is_left_alone(EventNumber event) const;
  /// Whether another choice of the thread has had this race.
  [[nodiscard]] bool was_reversed(EventNumber event, ir::ThreadId thread);
  [[nodiscard]] Sequence sequence(const SequenceStep& last) const;
  /// The sequences that begin other schedules from the state before the event.
  [[nodiscard]] std::vector<Sequence> others(EventNumber event);
  /// Where the sequence sleeps in the state at this depth and its last step is in a race with the
  /// event: what reverses that.
  void add_reversal(EventNumber event, Depth depth, const Sequence& sleeping,
                    std::vector<Sequence>& result);
  [[nodiscard]] bool is_redundant(const Schedule& schedule);
  [[nodiscard]] bool is_explored_now(const Schedule& schedule) const;
  [[nodiscard]] bool has_one(Depth depth, ir::ThreadId thread);
  [[nodiscard]] bool has_race(Depth event, EventNumber with) const;

  // ---- going back, and on
  void suspend();
  void begin_schedule(Suspension& suspension);
  void end_schedule(Suspension& suspension);
  void resume(Depth depth);
  void restore(Depth depth, Suspension::Frame frame);
  [[nodiscard]] bool is_target(Depth depth) const;
  [[nodiscard]] bool has_work(Depth depth);
  [[nodiscard]] std::optional<ir::Action> follow(Depth depth);
  [[nodiscard]] std::optional<ir::Action> continue_at(Depth depth);
  ir::Action take(Depth depth, Item& item, bool is_scheduled, bool is_head, bool is_again);
  [[nodiscard]] std::vector<std::uint8_t> item_states(Depth depth);
  void set_item_states(Depth depth, const std::vector<std::uint8_t>& states);

  std::vector<PathNote> notes_;  // of the states of the path
  // Of the events: with which of the earlier ones they are in a race; where theirs begin, by depth.
  std::vector<EventNumber> races_of_;
  std::vector<std::size_t> first_race_;
  SleepSequences sleeping_;
  std::vector<Suspension> suspended_;
  std::vector<Suspension::Frame> resumed_;  // the tail that is followed
  std::vector<ScriptStep> script_;          // the last comes first
  std::vector<Schedule> found_;             // that have not been begun
  bool is_pending_ = false;                 // races are those of an operation that is blocked
  bool is_again_ = false;                   // what is executed was executed here before
  std::vector<EventNumber> v_;
  std::vector<EventNumber> past_;
};

}  // namespace cml::checker
