// What a check found out: a value without references into the search, which `report/` turns into
// text or JSON (its shape follows the JSON of the command line's reference).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/options.h"
#include "checker/value.h"
#include "checker/violation_kind.h"
#include "frontend/source.h"
#include "frontend/temporal.h"

namespace cml::checker {

enum class Verdict : std::uint8_t { Verified, Violated, Inconclusive };

/// One micro-transition of a trace.
struct TraceStep {
  std::string thread;
  SourceRange location;
  std::string operation;                // "fork[0].acquire()", "meals = 3"
  std::optional<std::uint32_t> choice;  // where there were several
  bool begins_loop = false;             // from here to the end, again and again
  std::optional<Value> result;          // what it answered: the value read, whether a try went well
  bool shows_result = false;            // no change of a local says the same
  std::optional<Value> was;             // what a `cas` found that was refused
  std::optional<std::vector<std::string>> woken;  // of a notify: whom it woke
  bool is_spurious = false;                       // woken by nobody
  std::vector<NamedValue> reads;                  // of a block
  std::vector<NamedValue> changes;                // of objects and locals: the new values
  std::vector<NamedValue> before;                 // of the objects among them: the old ones
};

/// Who could let a blocked thread go on, and why that does not happen.
struct Waker {
  std::string thread;
  std::string why_not;  // "has ended", "waits itself"
};

/// A thread at the end of a trace.
struct ThreadStatus {
  std::string thread;
  SourceRange location;
  SourceRange from;                       // the statement of the main file, if it is elsewhere
  std::string state;                      // "blocked", "stopped", "ended", "running"
  std::optional<std::string> blocked_on;  // "fork[1].acquire()"
  std::optional<std::string> waits_for;   // the thread that owns the lock
  std::vector<std::string> holds;
  bool is_daemon = false;
  bool is_stuck = false;           // one of those that a deadlock or partial deadlock is about
  std::vector<Waker> wakers;       // of a blocked one
  std::vector<std::string> notes;  // of a blocked one: "the last notifyAll came before the wait"
  std::vector<NamedValue> locals;  // that are not as they were in the beginning
};

/// An object of the heap that a violation concerns, at the end of a trace.
struct HeapObject {
  std::string name;                // as in the trace: "Node#3", "list.head"
  std::string path;                // that leads to it: "list.head.next"; empty: none that is short
  std::string of;                  // its class: "Barrier<3>"
  std::vector<NamedValue> fields;  // references are names
};

/// An object that a spinning thread looks at.
struct LookedAt {
  std::string object;
  /// Whose code changes it, and where that thread is now.
  std::vector<std::pair<std::string, std::string>> changed_by;
};

/// One side of a lock-discipline violation.
struct AccessSide {
  std::string thread;
  SourceRange location;
  std::string operation;
  std::vector<std::string> locks;
  std::vector<TraceStep> trace;
};

/// A step of a trace, for a sentence.
struct NamedStep {
  std::string thread;
  SourceRange location;
  std::string operation;  // with its answer: "ready → true"
};

/// The last that is ordered of two threads that race: what one has done up to a step comes before
/// what the other does from a step on.
struct LastOrder {
  NamedStep before;
  NamedStep after;  // the same, where one step orders both threads: `spawn`, `notify`
};

/// Two calls of methods of an object, in one of the orders.
struct OrderOfCalls {
  std::vector<std::string> calls;                          // "deposit(1) = true", "get() blocks"
  std::vector<std::pair<std::string, std::string>> after;  // field -> value, as text
};

/// A call of a method, between the events with these numbers.
struct RecordedCall {
  std::string thread;
  std::string text;                   // "add(2)"
  std::optional<std::string> result;  // "true"; empty: nothing; none: it has not returned
  std::size_t begins = 0;
  std::size_t ends = 0;
};

/// The history of an object, up to the first result that cannot be explained.
struct CallsOfObject {
  std::vector<RecordedCall> calls;    // in the order in which they begin
  std::size_t events = 0;             // invocations and responses
  std::size_t last = 0;               // the call that returned that result
  std::vector<std::string> possible;  // what it could have returned
};

/// Whether a violation of the lock discipline is a data race.
enum class RaceBehind : std::uint8_t { Unknown, None, Race };

/// Of an execution that violates a property: which executions count, and of each thread why this
/// one does.
struct FairExecution {
  std::string property;
  Fairness fairness = Fairness::Weak;
  bool ends = false;                                         // else it has a loop
  std::vector<std::pair<std::string, std::string>> threads;  // "never moves: it has ended"
};

/// A property of executions that was decided.
struct CheckedProperty {
  std::string name;
  Fairness fairness = Fairness::Weak;
  bool holds = false;
};

struct Violation {
  ViolationKind kind;
  std::string message;
  SourceRange location;
  std::optional<std::string> object;
  std::optional<std::string> thread;  // whose operation it was
  std::vector<NamedValue> values;     // of the parts of the expression at fault
  std::vector<ThreadStatus> threads;  // all of them, at the end of the trace
  std::vector<NamedValue> state;      // the objects that differ from the initial state, there
  std::vector<HeapObject> heap;       // the objects that it concerns, there
  std::vector<std::string> cycle;     // deadlock: threads, each waiting for the next; may be empty
  std::vector<TraceStep> trace;
  bool is_trace_lost = false;        // no memory or time for it, nor for `threads` and `accesses`
  std::vector<AccessSide> accesses;  // lock-discipline, data-race
  std::optional<LastOrder> last_order;     // data-race; none: nothing before it orders the threads
  std::vector<LookedAt> looks_at;          // livelock
  std::optional<FairExecution> execution;  // liveness
  /// deadlock, partial-deadlock: found in the graph of all states, not by what the code could do.
  bool is_of_graph = false;
  std::vector<std::string>
      almost;  // lock-discipline: locks that nearly protect the object, as text
  RaceBehind race = RaceBehind::Unknown;  // lock-discipline
  std::vector<std::string> ordered_by;    // lock-discipline that is no race: "turn", "join"
  std::vector<std::pair<std::string, std::string>>
      before;                            // false-commute: field -> value, as text
  std::vector<OrderOfCalls> orders;      // false-commute: both of them
  std::optional<CallsOfObject> history;  // linearizability

  void lose_trace() {
    is_trace_lost = true;
    trace = {};
    threads = {};
    state = {};
    heap = {};
    accesses = {};
    last_order = {};
  }
};

struct Warning {
  std::string kind;  // one of warnings.def: "unreached", "lock-order", …
  std::string message;
  SourceRange location;
};

struct DisciplineEntry {
  std::string object;  // "meals", "cell[0..3]"
  std::string status;  // protected, read-only, unshared, declared, violated
  std::vector<std::string> locks;
  /// Where there are none: what protects it in each object, or in each execution: "the m of one
  /// List".
  std::vector<std::string> of_each;
  bool is_field = false;    // of a class
  std::string established;  // "statically", "dynamically"
  bool partial = false;     // the search stopped early
  SourceRange location;     // of the declaration
};

struct CoverEntry {
  std::string label;
  SourceRange location;
  bool reached = false;
};

/// A construct that is parsed and checked but cannot be executed yet, or a limit of the tool.
struct Unsupported {
  std::string message;
  SourceRange location;
};

/// Where a limit was hit for the first time that belongs to a place in the model.
struct LimitPlace {
  std::string limit;   // one of Statistics::limits_hit
  std::string thread;  // empty: an invariant or a `finally`
  SourceRange location;
};

/// What a reduction did.
struct ReductionStatistics {
  std::uint64_t sets = 0;             // states in which it chose among several actions
  std::uint64_t chosen = 0;           // actions in their sets, all together
  std::uint64_t enabled = 0;          // enabled actions there
  std::uint64_t largest = 0;          // the largest set
  std::uint64_t single = 0;           // sets of one action
  std::uint64_t slept = 0;            // actions not explored because they slept
  std::uint64_t full_by_proviso = 0;  // states expanded fully so that nothing is ignored
  std::uint64_t full_by_stop = 0;     // states expanded fully because a thread stopped
  std::uint64_t skipped = 0;  // states expanded fully since sets had left out next to nothing
};

struct Statistics {
  bool complete = true;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t executions = 0;
  std::uint64_t blocked_executions = 0;
  std::uint64_t max_depth = 0;
  std::uint64_t deadlocked_states = 0;  // of those that were visited: nobody can move
  std::vector<std::string> limits_hit;
  bool is_cyclic = false;  // a search without a store has returned to a state of its path
  ReductionStatistics reduction;
  double probability_missed = 0;
  double state_bytes = 0;
  std::uint64_t peak_memory_bytes = 0;
  bool is_native = false;   // the JIT's code ran in the end
  std::string jit_failure;  // why it did not although it was asked for; empty: no reason
  double seconds_total = 0, seconds_front = 0, seconds_jit = 0, seconds_search = 0;
  double seconds_hangs = 0;  // in which threads that are lost were looked for
  // Of the search for executions that violate properties, which leaves out nothing.
  std::uint64_t liveness_states = 0;
  std::uint64_t liveness_transitions = 0;
  double seconds_liveness = 0;
};

struct Result {
  Verdict verdict = Verdict::Inconclusive;
  std::vector<Violation> violations;
  std::vector<Warning> warnings;
  std::vector<DisciplineEntry> discipline;
  std::vector<CoverEntry> cover;
  std::vector<LimitPlace> limits;
  std::optional<Unsupported> unsupported;     // then the verdict is inconclusive
  std::optional<std::string> internal_error;  // a trace that does not replay: exit 4
  /// What the search really did: a model can demand other than what was asked for. None: nothing
  /// was searched.
  std::optional<Options> searched_with;
  /// Threads that are lost were looked for.
  bool checked_hangs = false;
  std::vector<CheckedProperty> properties;  // that were decided, in the order of the model
  /// The search relied on the lock discipline, which the model breaks: there may be more to find.
  bool assumption_broken = false;
  Statistics stats;

  [[nodiscard]] Discipline discipline_form() const {
    return searched_with.value_or(Options{}).discipline;
  }
  /// The check ended for lack of memory: only what has been filled in so far is known, violations
  /// perhaps without their traces.
  void run_out_of_memory() { end_at("max-memory"); }
  /// Likewise, at another limit.
  void end_at(const std::string& limit) {
    stats.complete = false;
    for (const std::string& known : stats.limits_hit)
      if (known == limit) return;
    stats.limits_hit.push_back(limit);
  }
};

}  // namespace cml::checker
