// Step: the one interface between "what can happen" and "what do we explore". For a state: which
// threads have an enabled transition, with which choices, and what executing one of them does.
// Reductions, stores and monitors see nothing else. Implemented by the reference interpreter
// (interpreter.h) and by native code (jit/native_step.h).
//
// One primitive, the micro-transition: one operation and the local steps behind it (granularity
// `access`). A transition of the search is one micro-transition, or (Stop::Visible) one and then
// those invisible ones that the same thread can execute after it, up to the next visible operation:
// Stoller's composed transitions, C(A). Invisible-first search executes the same, and reads the
// record's micro-transitions one by one.
//
//   state ──enabled──▶ (thread, choice)… ──execute──▶ state′ and a Record
//
//   Record    micros    M0          M1     M2          one for each micro-transition
//             touches   t t         t      t t t       what it did to objects, in order
//             events                e                  violations and limits
//             marks     m           m m                 statements and cover labels reached
//
// From the touches, a reduction computes what a transition depends on, and the net effect on each
// lock (checker/reduction/dependency.h).
//
// A choice is a number that means the same wherever the same thread is at the same operation with
// the same locals: the case of a select, the alternative of an either, the value of a choose
// counted from the low end, the waiter that a notify wakes, the leaf in the tree of decisions of an
// atomic block (blocked leaves are counted too). It is 0 where there is nothing to choose.
//
// Nothing here allocates once a Record and the vectors passed in have reached their size.
// Implementations may keep scratch memory: one Step serves one worker.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ir/effects.h"
#include "ir/exec/state_layout.h"
#include "ir/expression_value.h"
#include "ir/system.h"
#include "support/buffer.h"
#include "support/stop_token.h"

namespace cml::ir {

/// What is explored: a thread and one of its choices.
struct Action {
  ThreadId thread;
  std::uint32_t choice = 0;

  friend bool operator==(const Action&, const Action&) = default;
  friend auto operator<=>(const Action&, const Action&) = default;
};

/// What a micro-transition did to an object, or is about to do.
struct Touch {
  ObjectId object;
  Effect effect = Effect::Read;
  /// Shared objects: the access counts for the lock discipline (it is outside the initialisation
  /// window).
  bool counted = false;
  /// Semaphore: value, channel: number of elements, notify: number of waiters, before the effect.
  std::int32_t before = 0;
  Pc pc = 0;
  /// Shared objects: where in Record::held the set of locks begins that the thread held.
  std::uint32_t held = 0;
};

/// Which limit of the tool ended a thread.
enum class LimitKind : std::uint8_t {
  Invisible,       // StepConfig::max_invisible
  Choices,         // kMaxChoices
  LockDepth,       // kMaxLockDepth
  SemaphoreValue,  // what a semaphore without `max` can hold
  Threads,         // that are alive or referred to
  Places,          // that a spawn can choose from
  Objects,         // of a class that there is place for
  Stack,           // calls of functions that call themselves
  Histories,       // configurations of a history that are told apart
};

struct Event {
  FaultKind kind = FaultKind::Assertion;
  ThreadId thread;                         // invalid: an invariant or finally
  Pc pc = 0;                               // of the instruction
  SourceRange range;                       // of what is wrong
  TextId message;                          // of assert and fail
  ObjectId object;                         // the semaphore, the lock, the virgin object
  LimitKind limit = LimitKind::Invisible;  // FaultKind::Limit
};

/// The value that a word of a named local received; recorded only for traces.
struct LocalChange {
  TextId name;  // LocalPlace::name
  Slot slot = 0;
  std::uint32_t index = 0;  // of the place, where it has one
  std::int32_t value = 0;
};

/// An invocation or a response; recorded only for traces.
struct CallEvent {
  ThreadId thread;  // invalid: of a property
  ObjectId history;
  Pc pc = 0;
  std::uint32_t specification = 0;
  std::uint32_t method = 0;
  bool is_response = false;
  std::int32_t before = 0;  // the history's number
  std::uint32_t first = 0;  // of its words in the record: arguments or results
  std::uint32_t count = 0;
};

struct Micro {
  Action action;
  Pc pc = 0;  // of the operation
  // Where its part of the record's vectors begins; it ends where the next micro-transition's
  // begins.
  std::uint32_t touches = 0;
  std::uint32_t events = 0;
  std::uint32_t locals = 0;
};

/// Generated code appends to it (jit/), hence the buffers.
struct Record {
  Buffer<Micro> micros;
  Buffer<Touch> touches;
  Buffer<std::uint64_t> held;  // lock sets of Layout::lock_set_words() words each
  Buffer<Event> events;
  Buffer<PointId> marks;
  Buffer<LocalChange> locals;
  Buffer<CallEvent> calls;
  Buffer<std::int32_t> call_words;
  /// A thread has arrived at a location, or at its end, where the monitors may have to look.
  std::uint32_t arrives = 0;
  bool wants_locals = false;  // set by the caller: fill in `locals` and `calls`

  /// Whether the record holds more than that micro-transitions were executed.
  [[nodiscard]] bool has_observations() const {
    return (touches.size() | marks.size() | events.size() | arrives) != 0;
  }

  void clear() {
    micros.clear();
    touches.clear();
    held.clear();
    events.clear();
    marks.clear();
    locals.clear();
    calls.clear();
    call_words.clear();
    arrives = 0;
  }
};

enum class Stop : std::uint8_t {
  Micro,    // every micro-transition is a transition of its own
  Visible,  // continue to the next visible operation
};

struct StepConfig {
  Stop stop = Stop::Micro;
  bool spurious_wakeups = false;
  std::uint64_t max_invisible = 1'000'000;  // local steps and invisible transitions in a row
  const StopToken* stop_token = nullptr;    // polled where a step can take long
};

/// A choice that stands for more choices than can be explored; executing it is a Limit event.
inline constexpr std::uint32_t kTooManyChoices = UINT32_MAX;
inline constexpr std::uint32_t kMaxChoices = 1U << 20;

class Step {
 public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  [[nodiscard]] virtual const System& system() const = 0;
  [[nodiscard]] virtual const Layout& layout() const = 0;

  /// The initial state, in which all threads have executed their local (Stop::Visible: invisible)
  /// beginnings, one after the other. Adds to `record` what happened; local beginnings are no
  /// micro-transitions.
  virtual void initial(std::uint8_t* state, Record& record) = 0;

  /// Appends the enabled actions of a thread, none if it is blocked or in a reserved location.
  virtual void enabled(const std::uint8_t* state, ThreadId thread, std::vector<Action>& out) = 0;

  /// Appends the enabled actions of all threads, in their order.
  virtual void all_enabled(const std::uint8_t* state, Buffer<Action>& out) = 0;

  /// Executes an enabled action in place and adds to `record` what happened. A Step that was given
  /// the Observations of the monitors may leave out what they have recorded before
  /// (ir/exec/observations.h).
  virtual void execute(std::uint8_t* state, Action action, Record& record) = 0;

  /// Executes enabled actions of a state, each on a copy of its own: the i-th, as execute() does,
  /// at `out` + i × `stride`. Ends behind the first whose record has observations; returns how many
  /// were executed. `record` is that of the last one, empty if it has no observations. `stride`
  /// bytes are copied, see stride().
  virtual std::size_t successors(const std::uint8_t* state, std::size_t stride,
                                 std::span<const Action> actions, std::uint8_t* out,
                                 Record& record) {
    std::size_t done = 0;
    do {
      std::memcpy(out + done * stride, state, stride);
      record.clear();
      execute(out + done * stride, actions[done], record);
    } while (++done < actions.size() && !record.has_observations());
    if (!record.has_observations()) record.clear();
    return done;
  }

  /// Executes the thread's invisible transitions, one after the other, up to a visible operation or
  /// its end. A thread that returns to the same state diverges.
  virtual void run_invisible(std::uint8_t* state, ThreadId thread, Record& record) = 0;

  /// The touches of the thread's pending operation, whether enabled or not: of the operation
  /// itself, of every case of a select, of everything that the guard of an `await` reads in this
  /// state (with its events). Read and Write outside guards add their touches as if executed.
  virtual void pending(const std::uint8_t* state, ThreadId thread, Record& record) = 0;

  /// Whether the thread's next operation is visible in this state (docs/reference.md,
  /// "Transitions").
  [[nodiscard]] virtual bool visible(const std::uint8_t* state, ThreadId thread) = 0;
};

// ---- what every user of states asks ------------------------------------------------------------

/// The distance of consecutive states in memory, for states of `bytes`: whole vector registers.
[[nodiscard]] constexpr std::size_t stride(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
/// Copies `stride` bytes, without a call of memcpy, which would cost more than the copy.
inline void copy_stride(const std::uint8_t* from, std::size_t stride, std::uint8_t* to) {
  for (std::size_t at = 0; at < stride; at += 16)
    std::memcpy(to + at, from + at, 16);
}

[[nodiscard]] inline Location location(const Layout& layout, const std::uint8_t* state,
                                       ThreadId id) {
  return layout.location(state, id);
}

}  // namespace cml::ir
