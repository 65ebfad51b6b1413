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
// Words. All values are 32-bit words: bool 0/1, enums by position, ints. What a word means for
// people is its `WordType`.
//
// Expressions are pure and read locals only. Operands of operations cannot fail: the lowering
// evaluates what may overflow, divide by zero or leave its range into a temporary beforehand (local
// computation belongs to the transition before it), so that a violation stops the thread there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/source.h"
#include "support/ids.h"

namespace cml::ir {

using ThreadId = Id<struct ThreadInstanceTag>;  // an instance
using ObjectId = Id<struct IrObjectTag>;        // one element, one field
using GroupId = Id<struct GroupTag>;            // the declaration that objects come from
using ExprId = Id<struct IrExprTag>;
using TextId = Id<struct TextTag>;    // messages, names
using PointId = Id<struct PointTag>;  // statements and cover labels
using EnumId = Id<struct IrEnumTag>;
using Pc = std::uint32_t;    // index into Code::instructions
using Slot = std::uint32_t;  // index into Code::slots

// ---- words -------------------------------------------------------------------------------------

struct WordType {
  enum class Kind : std::uint8_t { Bool, Int, Enum };
  Kind kind = Kind::Int;
  std::int32_t lo = 0;  // all values lie in [lo, hi]
  std::int32_t hi = 0;
  EnumId names;  // Enum

  friend bool operator==(const WordType&, const WordType&) = default;
};

// ---- expressions -------------------------------------------------------------------------------

enum class ExprOp : std::uint8_t {
  Constant,   // value
  Local,      // slot
  LocalAt,    // slot + a, where a is always a Bound
  Negate,     // -a                     overflow
  Not,        // !a
  Add,        // a + b                  overflow
  Subtract,   // a - b                  overflow
  Multiply,   // a * b                  overflow
  Divide,     // a / b, towards zero    division by zero, overflow
  Remainder,  // a % b, sign of a       division by zero, overflow
  Equal,
  NotEqual,
  Less,
  LessEqual,
  And,    // lazy
  Or,     // lazy
  If,     // a ? b : c, lazy
  Bound,  // a, if 0 <= a < value; else the violation `index`
};

struct Expr {
  ExprOp op = ExprOp::Constant;
  std::int32_t value = 0;  // Constant: the value; Local, LocalAt: the slot; Bound: the size
  ExprId a, b, c;
  SourceRange range;  // where a violation is reported
};

// ---- places ------------------------------------------------------------------------------------

/// An object, possibly selected by an index: object base + stride * value(index), where the index
/// lies in [0, count). Without an index: exactly `base`. Static analyses assume any of the `count`
/// objects.
struct Place {
  ObjectId base;
  std::optional<ExprId> index;  // cannot fail
  std::uint32_t count = 1;
  std::uint32_t stride = 1;
};

/// A word of the thread's frame, possibly chosen by an index: slot + value(index).
///
/// The name is what traces call the variable, the field or the element that is stored; compiler
/// temporaries have none. What has several words is stored by as many places of one name, in order,
/// and the name says how the value is written: "r = (x: #, ok: #)" (value_text.h). An element
/// chosen by the index is "a[*2].x", where 2 is the number of words of an element.
struct LocalPlace {
  Slot slot = 0;
  std::optional<ExprId> index;  // cannot fail
  std::uint32_t count = 1;
  TextId name;
};

/// What a store demands of a value; outside it is the violation `range`.
struct Bounds {
  std::int32_t lo = INT32_MIN;
  std::int32_t hi = INT32_MAX;
};

// ---- instructions (one struct each; opcodes.def explains them in a line) -----------------------

/// Evaluates (with checks: overflow, division, index), checks the bounds, stores.
struct Set {
  LocalPlace target;
  ExprId value;
  Bounds bounds;
};
struct Jump {
  Pc target = 0;
};
struct Branch {
  ExprId condition;
  Pc if_true = 0;
  Pc if_false = 0;
};
struct Assert {
  ExprId condition;
  TextId message;  // invalid: none
};
struct Assume {
  ExprId condition;
};
struct Mark {
  PointId point;
};

struct Read {
  Place place;
  std::uint32_t word = 0;           // first word of the object
  std::vector<LocalPlace> targets;  // one for each word read
};
struct Write {
  Place place;
  std::uint32_t word = 0;
  std::vector<ExprId> values;
};
struct Update {
  enum class Kind : std::uint8_t { Cas, Swap, Add };
  Kind kind = Kind::Cas;
  Place place;
  std::uint32_t word = 0;           // first word of the object: a field of an atomic struct
  std::vector<ExprId> expected;     // Cas: a word each
  std::vector<ExprId> values;       // Cas, Swap: the new words; Add: the difference
  std::vector<LocalPlace> targets;  // Cas: the success; Swap, Add: the old words; empty: dropped
  Bounds bounds;                    // of what is stored (Cas only when it stores), overflow too
};

struct Acquire {
  Place lock;
};
struct TryAcquire {
  Place lock;
  std::optional<LocalPlace> target;
};
struct Release {
  Place lock;
};
/// The waiter's depth is kept in the thread's wait fields (ir/exec/state_layout.h), its lock in the
/// index of `lock`.
struct Wait {
  Place lock;
};
struct Rewait {  // always directly behind its Wait, with the same place
  Place lock;
};
struct Notify {
  Place lock;
  bool all = false;
};
struct Held {
  Place lock;
  std::optional<LocalPlace> target;
};

/// Stands in invariants and `finally` only.
struct Owner {
  Place lock;
  LocalPlace target;  // 0: nobody, else 1 + ThreadId
};

struct Up {
  Place semaphore;
};
struct Down {
  Place semaphore;
  bool try_only = false;
  std::optional<LocalPlace> success;  // of a try
};
struct Send {
  Place channel;
  std::vector<ExprId> values;
  bool try_only = false;
  std::optional<LocalPlace> success;
};
struct Receive {
  Place channel;
  std::vector<LocalPlace> targets;  // unchanged where a try fails; empty: dropped
  bool try_only = false;
  std::optional<LocalPlace> success;
};
struct Size {
  Place channel;
  LocalPlace target;
};

/// The range is not empty: the lowering puts an Assert of kind `range` before it.
struct Choose {
  LocalPlace target;
  ExprId lo;
  ExprId hi;  // inclusive
};
struct Either {
  std::vector<Pc> targets;
};
struct Select {
  enum class Kind : std::uint8_t { Receive, Send, Down, Acquire };
  struct Case {
    Kind kind = Kind::Receive;
    Place place;
    std::vector<ExprId> values;       // Send
    std::vector<LocalPlace> targets;  // Receive: the binding
    Pc next = 0;
    SourceRange range;
  };
  std::vector<Case> cases;
  std::optional<Pc> otherwise;
};
/// `await` is an Atomic with a Guard. Inside, operations do not end the transition; only the first
/// may block (the front end has checked that), and Guards come before any effect. The region is the
/// instructions between the two, it has one AtomicEnd, and control enters and leaves it there only
/// (`break` out of a block goes by way of the AtomicEnd). Regions do not nest.
struct Atomic {
  Pc end = 0;  // of the AtomicEnd
};
struct Guard {
  ExprId condition;
};
struct AtomicEnd {};
struct End {};

namespace detail {
template <class None, class... Kinds>
struct OneOf {
  using type = std::variant<Kinds...>;
};
}  // namespace detail

using Operation = detail::OneOf<void
#define CML_OPCODE(name, mnemonic, is_operation) , name
#include "ir/opcodes.def"
#undef CML_OPCODE
                                >::type;

enum class Opcode : std::uint8_t {  // in the order of the variant
#define CML_OPCODE(name, mnemonic, is_operation) name,
#include "ir/opcodes.def"
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
enum class ObjectKind : std::uint8_t { Shared, Atomic, Lock, Semaphore, Channel };

struct Object {
  ObjectKind kind = ObjectKind::Shared;
  std::string name;  // "fork[2]", "Node[0].seq", "origin.x"
  GroupId group;
  std::vector<WordType> words;         // Shared: one; Atomic: one or more; Channel: of an element
  std::vector<std::int32_t> initial;   // Shared, Atomic: a value a word; Semaphore: one
  std::uint32_t capacity = 0;          // Channel
  std::optional<std::int32_t> max;     // Semaphore
  std::optional<ObjectId> guarded_by;  // Shared
  std::optional<ThreadId> init_by;     // Shared
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
  SourceRange range;  // of the name in the declaration
  Code code;          // starts at Pc 0
};

/// Code without locations. Its reads are ordinary ones, it asserts what must hold, and End ends it.
struct Invariant {
  std::string name;
  SourceRange range;
  Code code;
};

struct Point {  // a statement, or a cover label
  SourceRange range;
  std::optional<std::string> label;
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
  std::vector<Invariant> invariants;
  std::vector<Invariant> finals;  // name is empty; run as one transition when all have ended
};

}  // namespace cml::ir
