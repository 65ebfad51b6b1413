// The transition system: what the checker explores.
//
// A System is a Model specialised to its thread instances: `Philosopher[2]` is a thread with code
// of its own, in which the index 2 is a constant, so that `fork[i]` is one object and not N.
// Functions are expanded where they are called, lock parameters are the locks themselves, structs
// are flattened to words, and every element of an array is an object. The system model is that of
// Stoller's framework (sections 2 and 2.1): threads with control points, objects with operations,
// transitions with a guard and a command.
//
// Code and transitions.
//
//     location                    location           a thread is at a location: before an operation
//        │                           │
//     ┌──▼───┐ ┌───────┐ ┌────────┐ ┌──▼────┐ ┌──────┐
//     │ read │ │  set  │ │ branch │ │ write │ │ jump │ …   instructions of one thread, in a vector
//     └──────┘ └───────┘ └────────┘ └───────┘ └──────┘
//     └── one micro-transition ───┘
//
// A micro-transition executes one operation (at most one operation on at most one object;
// docs/reference.md, "Transitions") and then the local instructions behind it, up to the next
// operation. Its guard is what
// the operation blocks on. An `Atomic … AtomicEnd` region is one operation as a whole. Choices
// (`Choose`, `Either`, `Select`, a `Notify` with several waiters) are numbered by the Step that
// executes them.
//
// The heap. A class has places, each of which can hold one of its objects at a time; a field of a
// class is a group of objects with an element for each place, and a reference is the number of a
// place. So `o.next` is an element that an index chooses, like `next[o]`. Place 0 is nobody's: it
// stands for `null` and has what a new object begins with. Which place `new` takes is no part of
// what a model means: states that differ in that alone, or in objects that nothing refers to any
// more, are one state (ir/exec/heap.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/source.h"
#include "frontend/temporal.h"
#include "ir/expression.h"
#include "support/ids.h"

namespace cml::ir {

class Histories;

// ---- instructions (one struct each; the list of them, CML_OPCODES, is below) -------------------

/// local := expression. Evaluates (with checks: overflow, division, index), checks the bounds,
/// stores.
struct Set {
  LocalPlace target;
  ExprId value;
  Bounds bounds;
};
struct Jump {  // continue at the target
  Pc target = 0;
};
struct Branch {  // continue at one of two targets
  ExprId condition;
  Pc if_true = 0;
  Pc if_false = 0;
};
struct Assert {  // a violation if the condition is false
  ExprId condition;
  TextId message;  // invalid: none
};
struct Assume {  // the thread is assumed away if the condition is false
  ExprId condition;
};
struct Mark {  // a statement or a cover label was reached
  PointId point;
};

/// target := a place of the class that nothing refers to, whose fields hold what those of place 0
/// do. If there is none, that is a limit.
struct New {
  Place object;  // any of the class, whatever the index is
  LocalPlace target;
  bool unshared = false;  // no other thread than this may use it
};

struct Read {  // locals := words of a variable
  Place place;
  std::uint32_t word = 0;           // first word of the object
  std::vector<LocalPlace> targets;  // one for each word read
};
struct Write {  // words of a variable := expressions
  Place place;
  std::uint32_t word = 0;
  std::vector<ExprId> values;
};
/// The same of `const` fields, as local computation: once an object can be seen, nobody changes
/// them.
struct ReadConstant : Read {};
struct WriteConstant : Write {};
struct Update {  // cas, swap or add on an atomic
  enum class Kind : std::uint8_t { Cas, Swap, Add };
  Kind kind = Kind::Cas;
  Place place;
  std::uint32_t word = 0;           // first word of the object: a field of an atomic struct
  std::vector<ExprId> expected;     // Cas: a word each
  std::vector<ExprId> values;       // Cas, Swap: the new words; Add: the difference
  std::vector<LocalPlace> targets;  // Cas: the success; Swap, Add: the old words; empty: dropped
  Bounds bounds;                    // of what is stored (Cas only when it stores), overflow too
  bool wraps = false;               // Add: modulo bounds.hi + 1
};

struct Acquire {  // blocks while another thread owns the lock, or, a mutex, while anybody does
  Place lock;
  bool begins_call = false;  // an Invoke follows
};
struct TryAcquire {
  Place lock;
  std::optional<LocalPlace> target;  // whether it was taken
};
struct Release {  // one level of ownership
  Place lock;
};
/// Enters a wait set, the condition's or the lock's own, frees the lock, and remembers the depth in
/// the thread's wait fields (ir/exec/state_layout.h). `condition`: one of that lock.
struct Wait {
  Place lock;
  std::optional<Place> condition;
};
/// The time of a waiter is up, unless it was notified; either way it needs the lock next. Only
/// between a Wait and its Rewait, with the same places.
struct TimeOut {
  Place lock;
  std::optional<Place> condition;
  std::optional<LocalPlace> target;  // whether it was notified
};
/// Blocks until notified and the lock is free, and takes it back. Always behind its Wait, with the
/// same places.
struct Rewait {
  Place lock;
  std::optional<Place> condition;
};
struct Notify {  // wake one waiter (a choice) or all
  Place set;     // a condition, or a lock, which the thread must own
  bool all = false;
  bool of_condition = false;
};
struct Held {
  Place lock;
  std::optional<LocalPlace> target;  // whether this thread owns the lock
};

/// Stands in invariants, in `finally`, and in selects with guards.
struct Owner {
  Place lock;
  LocalPlace target;  // 0: nobody, else 1 + ThreadId
};

struct Up {  // beyond max: a violation
  Place semaphore;
};
struct Down {  // blocks at zero, or tries
  Place semaphore;
  bool try_only = false;
  std::optional<LocalPlace> success;  // of a try
};
struct Send {  // blocks when full, or tries
  Place channel;
  std::vector<ExprId> values;
  bool try_only = false;
  std::optional<LocalPlace> success;
  bool may_be_closed = false;  // some thread closes it: then it is a violation
  bool meets = false;          // a rendezvous (ir/exec/rendezvous.h)
};
/// Blocks when empty, or tries. Of a channel that is closed and empty: the success is false, and
/// the targets are unchanged; without a success, they get the channel's initial words.
struct Receive {
  Place channel;
  std::vector<LocalPlace> targets;  // unchanged where a try fails; empty: dropped
  bool try_only = false;
  std::optional<LocalPlace> success;
  bool may_be_closed = false;  // some thread closes it
  bool meets = false;          // a rendezvous
};
struct Close {  // of one that is closed: a violation
  Place channel;
};
struct Closed {
  Place channel;
  LocalPlace target;  // whether it is closed
};
struct Size {
  Place channel;      // or a semaphore
  LocalPlace target;  // the number of values in the channel; the value of the semaphore
};

// A spawned thread is one from the start, which has ended; to spawn it is to let it begin, and once
// it has ended, owns no lock and no handle refers to it, it can be spawned again, as another one. A
// handle is 1 + ThreadId, or 0 for `null`.

/// A thread that has ended begins. The place is of one that certainly can be spawned; or, with
/// `any`, of several, whatever the index is: then the first that can be, and if there is none, that
/// is a limit.
struct Spawn {
  Place thread;
  bool any = false;
  std::vector<ExprId> values;        // the arguments
  std::optional<LocalPlace> target;  // the handle
};
/// The first step of a spawned thread.
struct Begin {                      // parameters := the arguments that it was spawned with
  Place thread;                     // itself
  std::vector<LocalPlace> targets;  // the parameters
};
/// Directly before its End.
struct Finish {  // whoever joins it need not wait any more
  Place thread;  // itself
};
struct Join {  // blocks until the thread has ended
  Place thread;
};

// Calls of a class that is to implement a specification (System::specifications) are recorded, each
// by the two events of Herlihy and Wing ("Linearizability", 1990, section 2). What has been
// recorded of an object is one of its fields, its history.

/// The object has been made: its history begins, with what the constructor was given.
struct Construct {
  Place history;
  std::uint32_t specification = 0;
  std::vector<ExprId> arguments;  // none where the specification's takes none
};
/// Does nothing: the place where a call begins whose first operation cannot be that.
struct Enter {};
/// The invocation: the call begins. Local, so that it belongs to the operation before it, which is
/// visible.
struct Invoke {
  Place history;
  std::uint32_t specification = 0;
  std::uint32_t method = 0;
  std::vector<ExprId> arguments;
};
/// The response: the call returns. A violation if no order of the calls has these results.
struct Respond {
  Place history;
  std::uint32_t specification = 0;
  std::uint32_t method = 0;
  std::vector<ExprId> results;
};

/// local := any value of the range, which is not empty: the lowering puts an Assert of kind `range`
/// before it.
/// With `among` the element of that set at such a position.
struct Choose {
  LocalPlace target;
  ExprId lo;
  ExprId hi;  // inclusive
  std::optional<ExprId> among = {};
};
struct Either {  // continue at any of several targets
  std::vector<Pc> targets;
};
struct Select {  // any enabled case; else `otherwise`; else block
  enum class Kind : std::uint8_t { Receive, Send, Down, Acquire, Await };
  struct Case {
    Kind kind = Kind::Receive;
    Place place;
    std::vector<ExprId> values;       // Send
    std::vector<LocalPlace> targets;  // Receive: the binding
    bool may_be_closed = false;       // Send, Receive: some thread closes the channel
    bool meets = false;               // Send, Receive: a rendezvous
    std::optional<ExprId> when = {};  // else it cannot go; of Await, which has no place, always
    Pc next = 0;
    SourceRange range;
  };
  std::vector<Case> cases;
  std::optional<Pc> otherwise;
};
/// All up to the matching AtomicEnd is one transition. `await` is an Atomic with a Guard. Inside,
/// operations do not end the transition; only the first may block (the front end has checked that),
/// and Guards come before any effect. The region is the instructions between the two, it has one
/// AtomicEnd, and control enters and leaves it there only (`break` out of a block goes by way of
/// the AtomicEnd). Regions do not nest.
struct Atomic {
  Pc end = 0;  // of the AtomicEnd
  // Of one that is an operation: what traces call it, of which object.
  std::optional<Place> of = {};
  TextId operation = {};
};
struct Guard {  // inside Atomic: the whole transition is disabled if false
  ExprId condition;
};
struct AtomicEnd {};
struct End {};  // the thread has ended

/// The kind of an Assert that stands for a limit: there is no room for the call.
inline constexpr std::string_view kMaxStack = "max-stack";

/// All instructions: OPCODE(Name, "mnemonic", is_operation). Local instructions belong to the
/// transition before them; an operation begins a transition of its own. The opcodes, and what
/// visits all kinds of instructions, are declared from this list.
#define CML_OPCODES(OPCODE)                      \
  OPCODE(Set, "set", false)                      \
  OPCODE(Jump, "jump", false)                    \
  OPCODE(Branch, "branch", false)                \
  OPCODE(Assert, "assert", false)                \
  OPCODE(Assume, "assume", false)                \
  OPCODE(Mark, "mark", false)                    \
  OPCODE(New, "new", false)                      \
  OPCODE(ReadConstant, "read_constant", false)   \
  OPCODE(WriteConstant, "write_constant", false) \
  /* variables */                                \
  OPCODE(Read, "read", true)                     \
  OPCODE(Write, "write", true)                   \
  OPCODE(Update, "update", true)                 \
  /* locks */                                    \
  OPCODE(Acquire, "acquire", true)               \
  OPCODE(TryAcquire, "try_acquire", true)        \
  OPCODE(Release, "release", true)               \
  OPCODE(Wait, "wait", true)                     \
  OPCODE(TimeOut, "time_out", true)              \
  OPCODE(Rewait, "rewait", true)                 \
  OPCODE(Notify, "notify", true)                 \
  OPCODE(Held, "held", true)                     \
  OPCODE(Owner, "owner", true)                   \
  /* semaphores and channels */                  \
  OPCODE(Up, "up", true)                         \
  OPCODE(Down, "down", true)                     \
  OPCODE(Send, "send", true)                     \
  OPCODE(Receive, "receive", true)               \
  OPCODE(Size, "size", true)                     \
  OPCODE(Close, "close", true)                   \
  OPCODE(Closed, "closed", true)                 \
  /* threads */                                  \
  OPCODE(Spawn, "spawn", true)                   \
  OPCODE(Begin, "begin", true)                   \
  OPCODE(Finish, "finish", true)                 \
  OPCODE(Join, "join", true)                     \
  /* histories */                                \
  OPCODE(Construct, "construct", false)          \
  OPCODE(Enter, "enter", true)                   \
  OPCODE(Invoke, "invoke", false)                \
  OPCODE(Respond, "respond", false)              \
  /* choices and blocks */                       \
  OPCODE(Choose, "choose", true)                 \
  OPCODE(Either, "either", true)                 \
  OPCODE(Select, "select", true)                 \
  OPCODE(Atomic, "atomic", true)                 \
  OPCODE(Guard, "guard", false)                  \
  OPCODE(AtomicEnd, "atomic_end", false)         \
  OPCODE(End, "end", false)

namespace detail {
template <class None, class... Kinds>
struct OneOf {
  using type = std::variant<Kinds...>;
};
}  // namespace detail

#define CML_OPCODE(name, mnemonic, is_operation) , name
using Operation = detail::OneOf<void CML_OPCODES(CML_OPCODE)>::type;
#undef CML_OPCODE

enum class Opcode : std::uint8_t {  // in the order of the variant
#define CML_OPCODE(name, mnemonic, is_operation) name,
  CML_OPCODES(CML_OPCODE)
#undef CML_OPCODE
};

struct Instruction {
  Operation node;
  SourceRange range;
  /// For an Assert that the lowering made itself: the violation it stands for ("range" of an empty
  /// choose). Empty: assertion.
  std::string_view kind = {};

  [[nodiscard]] Opcode opcode() const { return static_cast<Opcode>(node.index()); }
};
[[nodiscard]] bool is_operation(Opcode op);
[[nodiscard]] std::string_view mnemonic(Opcode op);

// ---- code --------------------------------------------------------------------------------------

/// Where a thread stands, as it is stored in states: dense, so that one byte is mostly enough. The
/// first are reserved and have no transitions.
using Location = std::uint32_t;
inline constexpr Location kEnded = 0;
inline constexpr Location kStopped = 1;
inline constexpr Location kAssumed = 2;
inline constexpr Location kDiverged = 3;
inline constexpr Location kFirstLocation = 4;

struct SlotInfo {
  WordType type;  // joined over all variables that share the slot
  TextId name;    // of the first variable in it; invalid for temporaries
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<SlotInfo> slots;        // words of the frame; all 0 at the start
  std::vector<Pc> location_pc;        // by Location; entries below kFirstLocation are unused
  std::vector<Location> pc_location;  // by Pc; 0 where no location is
};
/// Fills in the two location tables. Locations are the operations that stand outside atomic
/// regions; the lowering and the parser of the text form call it last.
void number_locations(Code& code);

// ---- objects and threads -----------------------------------------------------------------------

/// The categories of the system model; `Unshared` is decided by an analysis, not here.
enum class ObjectKind : std::uint8_t {
  Shared,
  Atomic,
  Lock,
  Condition,  // a wait set
  Semaphore,
  Channel,
  Life,
  Instance,
  History,
};

struct Object {
  ObjectKind kind = ObjectKind::Shared;
  std::string name;  // "fork[2]", "Node[0].seq", "origin.x"
  GroupId group;
  // Shared: one; Atomic: one or more; Channel: of an element, none if it carries no values
  std::vector<WordType> words;
  // Shared, Atomic: a value a word; Channel: of a word, what a receive gets when it is closed and
  // empty, if some thread closes it; Semaphore: one; Instance: whose it alone is, if that is asked;
  // History: a number (ir/exec/histories.h)
  std::vector<std::int32_t> initial;
  std::uint32_t capacity = 0;       // Channel; of one with none, two threads meet
  bool may_be_closed = false;       // Channel: some thread closes it
  std::optional<std::int32_t> max;  // Semaphore
  bool is_mutex = false;            // Lock: not reentrant
  bool is_read_write = false;       // Lock: to own it is to hold it for writing
  // To own it is to hold that lock for reading; of an Atomic: that somebody waits to write.
  std::optional<ObjectId> read_of;
  std::optional<ObjectId> lock;        // Condition: which a waiter frees
  std::optional<ObjectId> guarded_by;  // Shared
  std::optional<ThreadId> init_by;     // Shared
  ThreadId thread;                     // Life: whose; its words are the arguments
  bool is_constant = false;            // Shared: `const`, which a constructor assigns
  ClassId owner;                       // Instance, and fields: of which class
  std::uint32_t position = 0;          // and at which of its places
};

/// Its objects are places for those of the model; the one at place 0 is nobody's.
struct Class {
  std::string name;
  SourceRange range;
  std::uint32_t places = 1;        // place 0 included
  ObjectId first;                  // of the objects of kind Instance, which are consecutive
  std::vector<GroupId> fields;     // each has as many objects for each place
  std::optional<GroupId> monitor;  // of these
  bool is_claimed = false;         // some of its objects are for one thread alone
};

/// One declaration, in one process instance: its objects are consecutive.
struct Group {
  std::string name;   // "fork", "Node[0].seq"
  SourceRange range;  // of the name in the declaration
  ObjectId first;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> dimensions;  // empty: a scalar
  std::string pattern;  // of the values of its objects (value_text.h); empty: a word
};

struct Thread {
  std::string name;  // "Philosopher[2]", "Node[0].Sender[1]"
  bool is_daemon = false;
  bool is_spawned = false;  // it has ended until another thread spawns it
  bool is_reused = false;   // and can be spawned more than once
  SourceRange range;        // of the name in the declaration
  Code code;                // starts at Pc 0
};

/// Code without locations. Its reads are ordinary ones, it asserts what must hold, and End ends it.
struct Invariant {
  std::string name;
  SourceRange range;
  Code code;
};

/// A part of a temporal formula: numbers are of Property::parts, where its operands come before it.
struct Formula {
  FormulaKind kind = FormulaKind::Condition;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t condition = 0;    // of Property::conditions
  std::vector<ThreadId> threads;  // Ended: all of these have; At: the one
  std::vector<Pc> pcs;            // At: where it is then, ascending
  SourceRange range;
};

/// What every fair execution does.
struct Property {
  std::string name;
  SourceRange range;
  bool is_termination = false;
  std::optional<Fairness> fairness;   // none: as the model or the options say
  std::vector<Invariant> conditions;  // each holds in a state or does not
  std::vector<Formula> parts;         // the last is the whole
};

struct Point {  // a statement, or a cover label
  SourceRange range;
  std::optional<std::string> label;
};

/// Code of no thread that calls a method or a constructor, or evaluates a condition. Its frame
/// begins with a reference to the object; the arguments and the result follow. A call is an atomic
/// region.
struct CallCode {
  struct Value {
    std::vector<WordType> words;
    std::string pattern;  // value_text.h
  };
  std::string name;  // "put"
  std::vector<Value> arguments;
  Value result;             // without words: none
  bool takes_lock = false;  // or a semaphore or channel: it cannot be called so, and has no code
  Code code;
};

/// `commutes put(_), get() when size > 0;`, to be verified: nothing else relies on it.
struct Commutes {
  SourceRange range;
  std::array<std::uint32_t, 2> methods = {};  // of the class
  std::optional<CallCode> when;               // takes the arguments of both
};
struct CommutingClass {
  ClassId of;
  CallCode constructor;  // of an object whose fields have what those of place 0 do
  std::vector<CallCode> methods;
  std::vector<Commutes> commutes;
};

/// `property lin: Set implements SetSpec;`: what the calls of a class may return.
struct Specification {
  std::string name;  // of the property
  SourceRange range;
  ClassId of;
  ClassId specification;
  GroupId histories;     // of the objects of the class
  CallCode constructor;  // of an object whose fields have what those of place 0 do
  std::vector<CallCode> methods;
};

struct System {
  std::string title;
  IdVector<ThreadId, Thread> threads;
  IdVector<ObjectId, Object> objects;
  IdVector<GroupId, Group> groups;
  IdVector<ExprId, Expr> exprs;
  IdVector<TextId, std::string> texts;
  IdVector<PointId, Point> points;
  IdVector<EnumId, std::vector<std::string>> enums;
  IdVector<ClassId, Class> classes;
  std::vector<Invariant> invariants;
  /// How many spawned threads may be alive, or referred to, at one time; and whether there are more
  /// places than that.
  std::uint32_t max_threads = UINT32_MAX;
  bool has_more_places = false;
  std::vector<PointId> reached;   // by what has made the objects of the initial state
  std::vector<Invariant> finals;  // name is empty; run as one transition when all have ended
  std::vector<CommutingClass> commuting;  // atomic classes that declare what commutes
  std::vector<Specification> specifications;
  std::vector<Property> properties;
  std::optional<Fairness> fairness;  // of properties that do not say which
  /// What the numbers of histories mean, in all states of the system: it grows while the system is
  /// executed, so all that execute it have it in common.
  std::shared_ptr<Histories> histories;
};

/// Of a field of a class, and of its monitor: the same one at place 0, which stands for that of any
/// object in reports and comparisons; of all others, the object itself.
[[nodiscard]] ObjectId representative(const System& system, ObjectId object);

}  // namespace cml::ir
