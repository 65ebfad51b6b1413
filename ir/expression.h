// What instructions are made of: words, expressions, and the places that they name.
//
// Words. All values are 32-bit words: bool 0/1, enums by position, ints, references. What a word
// means for people is its `WordType`.
//
// Expressions are pure and read locals only. Operands of operations cannot fail: the lowering
// evaluates what may overflow, divide by zero or leave its range into a temporary beforehand (local
// computation belongs to the transition before it), so that a violation stops the thread there.
#pragma once

#include <cstdint>
#include <optional>

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
using ClassId = Id<struct IrClassTag>;
using Pc = std::uint32_t;    // index into Code::instructions
using Slot = std::uint32_t;  // index into Code::slots

// ---- words -------------------------------------------------------------------------------------

struct WordType {
  enum class Kind : std::uint8_t { Bool, Int, Enum, Set, Thread, Reference };  // Set: bit i for i
  Kind kind = Kind::Int;
  std::int32_t lo = 0;  // all values lie in [lo, hi]
  std::int32_t hi = 0;
  EnumId names = {};   // Enum
  ClassId of = {};     // Reference; invalid: `null`
  bool wraps = false;  // Int: of a `mod(hi + 1)`; for the lowering, which wraps what is stored

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
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,       // a * 2^b                overflow, also unless 0 <= b <= 31
  ShiftRight,      // a / 2^b, downwards     overflow unless 0 <= b <= 31
  AddModulo,       // (a + b) modulo value + 1, from 0 on; the sum does not overflow
  MultiplyModulo,  // likewise a * b
  Singleton,       // the set of a, if 0 <= a < value; else the violation `range`
  CountBits,       // how many elements the set a has
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
  // Constant: the value; Local, LocalAt: the slot; Bound, Singleton: the size; AddModulo,
  // MultiplyModulo: the largest result.
  std::int32_t value = 0;
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

}  // namespace cml::ir
