// Execution: one thread executes instructions on a state, in place. The inner half of the reference
// interpreter: what each opcode means, but not which thread is executed when.
//
// The frame is unpacked into words while the thread is executed (`begin`) and packed again
// (`finish`). The decisions inside an atomic region come from a script, which is extended by a
// decision (the first option) where it ends; `next_script` steps it to the next leaf of the tree of
// decisions, depth-first.
//
// Faults stop the thread: its location becomes kStopped, its slots 0, its locks stay.
// Initialisation windows open and close here (docs/reference.md, "Declared initialisation"),
// because the status is part of the state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/analysis/meeting_places.h"
#include "ir/describe.h"
#include "ir/exec/heap.h"
#include "ir/exec/location_waits.h"
#include "ir/exec/rendezvous.h"
#include "ir/exec/step.h"
#include "ir/exec/watch.h"

namespace cml::ir {

/// One decision inside an atomic region: which option of how many.
struct Decision {
  std::uint32_t option = 0;
  std::uint32_t options = 1;
};
using Script = std::vector<Decision>;
/// Advances to the next leaf; false if this was the last.
[[nodiscard]] bool next_script(Script& script);

/// Detects that a run returns to the same state (Brent's algorithm), by comparing frame and state
/// with copies taken at growing distances. A short run costs a counter.
class LoopDetector {
 public:
  /// `steps` have been made before, fewer than there are before the first copy.
  void restart(std::uint64_t steps = 0) {
    steps_ = steps;
    next_copy_ = 32;
    has_copy_ = false;
  }
  [[nodiscard]] bool repeats(Pc pc, const std::vector<std::int32_t>& frame,
                             const std::uint8_t* state, std::size_t size);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  std::uint64_t steps_ = 0;
  std::uint64_t next_copy_ = 32;
  bool has_copy_ = false;
  Pc pc_ = 0;
  std::vector<std::int32_t> frame_;
  std::vector<std::uint8_t> state_;
};

enum class Outcome : std::uint8_t {
  Next,     // at the next instruction
  Blocked,  // the operation is not enabled; nothing has changed, but perhaps in the scratch state
            // of a trial
  Gone,     // ended, stopped, assumed away or diverged
};

class SpecificationCalls;

class Execution {
 public:
  Execution(const System& system, const Layout& layout, const StepConfig& config);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  /// Fills it in from now on; null: nobody watches. Returns who did before.
  Watch* watch(Watch* watch) { return std::exchange(watch_, watch); }

  /// Whether the one action of a thread at a location is enabled; none: `choices` tells.
  [[nodiscard]] std::optional<bool> is_enabled(const std::uint8_t* state, ThreadId thread,
                                               Location at) const;

  /// Makes `thread` the one that is executed, on `state`, at its location, or at `pc`.
  void begin(std::uint8_t* state, ThreadId thread, Record& record);
  void begin(std::uint8_t* state, ThreadId thread, Pc pc, Record& record);
  /// Prepares to execute code that belongs to no thread (invariants, finally) on `state`.
  /// `words`: what its frame begins with; the rest is 0.
  void begin_free(std::uint8_t* state, const Code& code, Record& record,
                  std::span<const std::int32_t> words = {});
  [[nodiscard]] std::span<const std::int32_t> frame() const { return frame_; }

  /// Executes the instruction at the program counter with this choice.
  Outcome instruction(std::uint32_t choice);
  /// From an Atomic through its AtomicEnd, with the decisions of the script.
  Outcome region(Script& script);
  /// From an Atomic through what may block there: the guard on the path that the locals determine,
  /// be it true or false; where there is none, the first operation, whose touches are added as if
  /// it were enabled.
  void guard();
  /// Local instructions up to the next operation.
  Outcome locals();
  /// Free code up to its End.
  void run_free();
  /// Stores the frame and the location of a thread that is not Gone, and closes its windows if it
  /// is before an operation that does so.
  void finish();

  [[nodiscard]] Pc pc() const { return pc_; }
  [[nodiscard]] const Instruction& current() const { return code_->instructions[pc_]; }

  /// Appends the actions of the operation at the program counter, which is no Atomic; none if it is
  /// not enabled.
  void choices(std::vector<Action>& out);
  /// What is passed on at a meeting, by whom.
  struct Handed {
    Meeting meeting;
    ThreadId active;
    bool active_sends = true;
    std::vector<std::int32_t> words;
  };
  /// The same of a meeting of the thread that is at the program counter, before it is executed.
  [[nodiscard]] Handed hand_over(std::uint32_t choice);
  /// What is executed next is a half of this meeting; null: it is not.
  void take_part(const Handed* handed) { handed_ = handed; }
  /// The touches that the operation at the program counter waits to do, without executing it.
  void pretend();
  [[nodiscard]] ObjectId resolve(const Place& place);
  [[nodiscard]] bool owns(ObjectId lock) const { return layout_.owner(state_, lock) == thread_; }
  /// Who notifies at a lock must own it.
  [[nodiscard]] bool may_notify(const Notify& node, ObjectId set) const {
    return node.of_condition || owns(set);
  }
  [[nodiscard]] std::uint32_t waiters(ObjectId set);

  /// Ends the initialisation windows of a thread's objects of the heap.
  void close_windows(std::uint8_t* state, ThreadId thread) { heap_.close_windows(state, thread); }

  /// The thread diverges: it is stopped, with that violation.
  void diverge();
  void limit(LimitKind kind);

 private:
#define CML_OPCODE(name, mnemonic, is_operation) Outcome execute(const name& node);
  CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE

  /// `is_access`: it is an operation.
  Outcome read(const Read& node, bool is_access);
  Outcome write(const Write& node, bool is_access);
  void find_handles();
  /// The object that a field is of. Whether it is for one thread alone.
  [[nodiscard]] ObjectId instance_of(ObjectId field) const;
  [[nodiscard]] bool is_claimed(ObjectId field) const;
  /// False: an object is another thread's alone, and the thread has been stopped.
  bool may_use_all();
  Outcome next() {
    ++pc_;
    return Outcome::Next;
  }
  Outcome stop(FaultKind kind, SourceRange range, TextId message = {}, ObjectId object = {});
  Outcome stop(const EvaluationFault& fault);
  void leave(Location location);
  /// Of a history: the words of arguments or results; whether the event can be recorded at all.
  bool words_of(const std::vector<ExprId>& values);
  /// For traces: the event of these words.
  void record_call(ObjectId history, std::uint32_t specification, std::uint32_t method,
                   bool is_response);
  [[nodiscard]] bool has_specification(std::uint32_t specification, std::uint32_t method) const;
  SpecificationCalls& specification_calls();
  /// Who calls: code of no thread is one more.
  [[nodiscard]] std::uint32_t caller() const {
    return thread_.valid() ? thread_.index : static_cast<std::uint32_t>(system_.threads.size());
  }
  Outcome jump(Pc target) {
    pc_ = target;
    return Outcome::Next;
  }

  [[nodiscard]] std::optional<std::int32_t> value(ExprId expr);
  /// False: the value does not fit its slot, an Internal event.
  bool assign(const LocalPlace& place, std::int32_t value);
  bool assign(const std::optional<LocalPlace>& place, std::int32_t value);

  void touch(ObjectId object, Effect effect, std::int32_t before = 0);
  void access(ObjectId object, bool is_write);  // of a shared object
  /// A word of a variable, semaphore or channel.
  void store(const Field& field, ObjectId object, std::uint32_t word, std::int32_t value);
  void note_change(ObjectId object, std::uint32_t word, std::int32_t before, std::int32_t after);
  void close_windows();
  [[nodiscard]] bool closes_windows(const Instruction& instruction) const;
  /// True: taken. `deepen`: one more level.
  bool take(ObjectId lock);
  Outcome take_or_limit(ObjectId lock, bool& taken);

  /// Of a semaphore; of a channel the field that channel_content() explains.
  [[nodiscard]] std::int32_t count(const std::uint8_t* state, ObjectId object) const {
    return layout_.object(object).fields[0].load(state);
  }
  [[nodiscard]] std::int32_t count(ObjectId object) const { return count(state_, object); }
  [[nodiscard]] std::int32_t capacity(ObjectId channel) const {
    return static_cast<std::int32_t>(system_.objects[channel].capacity);
  }
  [[nodiscard]] ChannelContent content(ObjectId channel) const {
    return channel_content(system_.objects[channel], count(channel));
  }
  [[nodiscard]] bool is_closed(ObjectId channel) const { return content(channel).is_closed; }
  Outcome violate_closed(ObjectId channel);
  Outcome receive_nothing(ObjectId channel, const std::vector<LocalPlace>& targets);
  /// Whether the thread could be spawned: it has ended, and nothing refers to it.
  [[nodiscard]] bool is_garbage(ThreadId thread) const;
  /// Whether fewer spawned threads than are allowed are alive, or referred to.
  [[nodiscard]] bool has_room_for_thread() const;
  void push_element(ObjectId channel, const std::vector<ExprId>& values);
  Outcome pop_element(ObjectId channel, const std::vector<LocalPlace>& targets);
  /// Whether what operations of the thread wait for is there.
  [[nodiscard]] bool has(const std::uint8_t* state, ThreadId thread, ObjectId object,
                         Awaited awaited) const;
  /// Whether one of the things that it waits for can happen, if it waits for any.
  template <class Node>
  [[nodiscard]] bool is_enabled(const Node& node);
  [[nodiscard]] bool ready(const Select::Case& item);
  /// Whether its condition holds.
  [[nodiscard]] bool may_go(const Select::Case& item) {
    return !item.when || value(*item.when) != 0;
  }
  void ready_cases(const Select& node, std::vector<std::uint32_t>& out);
  void waiting_threads(ObjectId lock, std::vector<std::uint32_t>& out);
  /// What a place is for a thread that waits.
  [[nodiscard]] ObjectId resolve_for(ThreadId thread, const Place& place);
  void load_other_frame(ThreadId thread);
  /// Appends the choices by which the thread, at its case `own`, meets others at a channel.
  void add_meetings(ObjectId channel, bool sends, std::uint32_t own,
                    std::vector<std::uint32_t>& out);
  void add_cases(const Select& node, ThreadId thread, ObjectId channel, bool sends, Meeting meeting,
                 std::vector<std::uint32_t>& out);
  /// Of the half of a meeting that is executed: whom it meets, at which of its own cases.
  [[nodiscard]] ThreadId other_side() const {
    return handed_->active == thread_ ? handed_->meeting.partner : handed_->active;
  }
  [[nodiscard]] std::uint32_t own_case() const {
    return handed_->active == thread_ ? handed_->meeting.own : handed_->meeting.its;
  }
  Outcome meet(ObjectId channel, bool sends, const std::vector<LocalPlace>& targets);
  void touch_other_cases(const Select& node, std::size_t chosen);
  /// The thread has come to where others look for it (meeting_places.h).
  void arrive();

  /// One of `options`: by the script inside a region, else the choice of the action.
  std::uint32_t decide(std::uint64_t options);
  std::uint32_t decide_among(const std::vector<std::uint32_t>& options);

  const System& system_;
  const Layout& layout_;
  const StepConfig& config_;
  IdVector<ThreadId, std::vector<ObjectId>> initialises_;  // the `init by` objects of each thread
  IdVector<ThreadId, std::vector<bool>> evaluates_guard_;  // by Pc
  IdVector<ThreadId, std::vector<LocationWait>> waits_;    // by Location
  MeetingPlaces meeting_places_;
  std::vector<Field> handles_;  // what can refer to a thread
  Heap heap_;
  std::vector<Heap::Held> held_;                             // scratch
  bool any_claimed_ = false;                                 // some class is
  std::unique_ptr<SpecificationCalls> specification_calls_;  // once they are needed
  std::vector<std::int32_t> words_;                          // scratch: of an event

  std::uint8_t* state_ = nullptr;
  ThreadId thread_;
  const Code* code_ = nullptr;
  Record* record_ = nullptr;
  Pc pc_ = 0;
  std::vector<std::int32_t> frame_;
  std::vector<std::int32_t> other_frame_;  // of a thread that waits
  const Handed* handed_ = nullptr;
  bool gone_ = false;
  std::uint32_t choice_ = 0;
  Script* script_ = nullptr;  // inside a region
  std::size_t script_position_ = 0;
  bool too_many_ = false;
  LoopDetector loop_;
  std::vector<std::uint32_t> options_;
  std::vector<std::uint8_t> before_region_;
  Watch* watch_ = nullptr;
};

}  // namespace cml::ir
