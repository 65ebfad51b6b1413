// The checked model: names bound, types known, constants folded, modules loaded, templates
// instantiated. It is the front end's result and the lowering's input.
//
// Decided here, so that no later phase has to look again:
//
//  * every name is bound to one declaration (ids into the vectors of `Model`);
//  * constants are literals;
//  * every expression has a type; every operation on a lock, semaphore, channel, atomic or shared
//    object is an `Operation` node or a read/write of a place, not a call by name;
//  * classes and functions with type parameters exist once per instantiation;
//  * sizes, ranges, capacities, family bounds are numbers.
//
// Not decided here: nothing is specialised to a thread instance. The family index of a thread and
// the index of a process are `IndexRef`s, lock parameters are locals, and so on: that is `ir/`'s
// work.
//
// Where values are converted: a value of type S is stored, passed, returned or sent where T stands.
// If T is ranged and S may exceed it, the receiver checks the range (`range`); if T is a non-null
// reference and S nullable, it checks for null (`null`). If T is `mod(N)`, it wraps the value. No
// node is inserted for that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/ast.h"
#include "frontend/operations.h"
#include "frontend/source.h"
#include "frontend/temporal.h"
#include "support/ids.h"

namespace cml::model {

using TypeId = Id<struct MTypeTag>;
using ExprId = Id<struct MExprTag>;
using StmtId = Id<struct MStmtTag>;
using EnumId = Id<struct MEnumTag>;
using StructId = Id<struct MStructTag>;
using ClassId = Id<struct MClassTag>;
using ObjectId = Id<struct MObjectTag>;      // a declared object: top level, process or class field
using FunctionId = Id<struct MFunctionTag>;  // function, method or constructor
using FormulaId = Id<struct MFormulaTag>;    // within one Property
using ThreadId = Id<struct MThreadTag>;      // a thread declaration, not an instance
using ProcessId = Id<struct MProcessTag>;
using LocalId = Id<struct MLocalTag>;  // within one Body

using ast::BinaryOp;
using ast::ObjectKind;
using ast::UnaryOp;

// ---- types (interned: equal types have equal ids) ----------------------------------------------

struct ErrorType {
  friend bool operator==(const ErrorType&, const ErrorType&) = default;
};
struct VoidType {  // the result of a function without one
  friend bool operator==(const VoidType&, const VoidType&) = default;
};
struct NullType {  // of the literal `null`
  friend bool operator==(const NullType&, const NullType&) = default;
};
struct BoolType {
  friend bool operator==(const BoolType&, const BoolType&) = default;
};
struct IntType {  // plain `int` has the full 32-bit range
  std::int32_t lo = INT32_MIN;
  std::int32_t hi = INT32_MAX;
  friend bool operator==(const IntType&, const IntType&) = default;
};
/// Integers modulo last + 1. Sums, differences and products of such a type wrap; in all else the
/// value is that of an int in 0..last.
struct ModType {
  std::int32_t last = 0;
  friend bool operator==(const ModType&, const ModType&) = default;
};
/// Sets of integers in 0..<size. A value is one word, in which bit i says whether i is in it.
struct SetType {
  std::int32_t size = 1;
  friend bool operator==(const SetType&, const SetType&) = default;
};
inline constexpr std::int32_t kLargestSet = 31;
/// The word of the set of all its elements.
[[nodiscard]] constexpr std::int32_t all_of(const SetType& type) {
  return static_cast<std::int32_t>((std::int64_t{1} << type.size) - 1);
}
struct EnumType {
  EnumId decl;
  friend bool operator==(const EnumType&, const EnumType&) = default;
};
struct StructType {
  StructId decl;
  friend bool operator==(const StructType&, const StructType&) = default;
};
struct ClassType {
  ClassId decl;
  bool nullable = false;
  friend bool operator==(const ClassType&, const ClassType&) = default;
};
struct ThreadType {
  bool nullable = false;
  friend bool operator==(const ThreadType&, const ThreadType&) = default;
};
struct LockType {
  bool is_mutex = false;  // not reentrant, and without a wait set
  friend bool operator==(const LockType&, const LockType&) = default;
};
struct RwLockType {
  friend bool operator==(const RwLockType&, const RwLockType&) = default;
};
struct ConditionType {
  friend bool operator==(const ConditionType&, const ConditionType&) = default;
};
struct SemaphoreType {
  friend bool operator==(const SemaphoreType&, const SemaphoreType&) = default;
};
struct ChannelType {
  TypeId element;
  friend bool operator==(const ChannelType&, const ChannelType&) = default;
};
struct ArrayType {
  TypeId element;
  std::uint32_t size = 0;
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

using Type = std::variant<ErrorType, VoidType, NullType, BoolType, IntType, ModType, EnumType,
                          SetType, StructType, ClassType, ThreadType, LockType, RwLockType,
                          ConditionType, SemaphoreType, ChannelType, ArrayType>;

/// The number in 0..last that is equal to `value` modulo last + 1.
[[nodiscard]] constexpr std::int32_t wrapped(std::int64_t value, std::int32_t last) {
  const std::int64_t modulus = std::int64_t{last} + 1;
  const std::int64_t rest = value % modulus;
  return static_cast<std::int32_t>(rest < 0 ? rest + modulus : rest);
}

// ---- expressions -------------------------------------------------------------------------------
//
// Places are expressions, too. LocalRef, ObjectRef, FieldRef, StructField and Index denote places;
// where a value is wanted they are read, where they are the target of a store they are written.
// `storage` of Expr says what such an access is.

struct ErrorExpr {};
struct IntLiteral {  // of a set: its word
  std::int32_t value = 0;
};
struct BoolLiteral {
  bool value = false;
};
struct EnumLiteral {
  EnumId decl;
  std::uint32_t value = 0;
};
struct NullLiteral {};
struct LocalRef {
  LocalId local;
};
/// The family index of the enclosing thread, or the index of the enclosing process.
struct IndexRef {
  bool of_process = false;
};
/// An object at top level or of a process. `process_index` is absent for top-level objects and for
/// objects of the process the code itself stands in (then the instance is the current one).
struct ObjectRef {
  ObjectId object;
  std::optional<ExprId> process_index;
};
struct ThisRef {};
/// A field of an object of the heap (`object` has class type; null is checked at run time).
struct FieldRef {
  ExprId object;
  ObjectId field;
};
/// The monitor of an object of the heap: `o.acquire()`, `with o`, `synchronized`.
struct MonitorRef {
  ExprId object;
};
/// A field of a struct value or place.
struct StructField {
  ExprId base;
  std::uint32_t field = 0;
};
struct Index {
  ExprId base;
  ExprId index;
};
struct Unary {
  UnaryOp op;
  ExprId operand;
};
/// `&&` and `||` are lazy. `+`, `-` and `*` whose type is a `mod(N)` wrap, and so does a negation;
/// one operand may be any int then. On sets, `+` and `-` have an int on the right, whose range is
/// checked, and `in` has one on the left.
struct Binary {
  BinaryOp op;
  ExprId left;
  ExprId right;
};
struct Conditional {
  ExprId condition;
  ExprId if_true;
  ExprId if_false;
};
struct Call {
  FunctionId function;
  std::optional<ExprId> receiver;  // methods
  std::vector<ExprId> arguments;
};
struct StructMake {
  StructId decl;
  std::vector<ExprId> fields;                   // in the order of declaration
  std::vector<std::uint32_t> evaluation_order;  // positions in `fields`, as written
};
struct New {
  ClassId decl;
  bool unshared = false;
  std::vector<ExprId> arguments;
};
struct Spawn {
  ThreadId thread;
  std::vector<ExprId> arguments;
};
struct SetMake {  // `{e, …}`
  std::vector<ExprId> elements;
};
struct SetSize {  // `s.size`
  ExprId set;
};
struct ChooseFrom {  // `choose(s)`
  ExprId set;
};
struct Choose {  // both bounds inclusive unless half_open
  ExprId lo;
  ExprId hi;
  bool half_open = false;
};

/// `target.op(arguments)`: the target is a place of the object's type (for locks also a
/// MonitorRef). tryRecv's argument is the place of a local. `owner` alone is no operation: see
/// OwnedBy.
struct Operation {
  Operator op;
  ExprId target;
  std::vector<ExprId> arguments;
};

/// `lock.owner == T`, where T names one thread instance; `!=` is its negation. `process_index` is
/// absent for top-level threads, for those of a single process, and for those of the process the
/// code itself stands in.
struct OwnedBy {
  ExprId lock;  // a place of lock type or a MonitorRef
  ThreadId thread;
  std::optional<ExprId> process_index;
  std::optional<ExprId> index;  // of a family
};

/// `[e, …]` as an initialiser: one value for each element.
struct ArrayMake {
  std::vector<ExprId> elements;
};

enum class Storage : std::uint8_t {
  Value,     // no place: computed, or a constant
  Local,     // a local variable or parameter, or a part of one
  Shared,    // MLD-checked
  Atomic,    // communication
  Var,       // private field of an atomic class
  Constant,  // const field of an object
  Handle,    // a lock, semaphore or channel itself
};

struct Expr {
  SourceRange range;
  TypeId type;
  Storage storage = Storage::Value;
  std::variant<ErrorExpr, IntLiteral, BoolLiteral, EnumLiteral, NullLiteral, LocalRef, IndexRef,
               ObjectRef, ThisRef, FieldRef, MonitorRef, StructField, Index, Unary, Binary,
               Conditional, Call, StructMake, New, Spawn, Choose, SetMake, SetSize, ChooseFrom,
               Operation, OwnedBy, ArrayMake>
      node;
};

/// Whether `left op right` wraps where its type is a `mod(N)`.
[[nodiscard]] constexpr bool wraps(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply;
}

// ---- statements --------------------------------------------------------------------------------

struct Block {
  std::vector<StmtId> statements;
  SourceRange range;
};

struct BlockStmt {
  Block block;
};
struct LocalDecl {  // a local with a default value if `initial` is absent
  LocalId local;
  std::optional<ExprId> initial;
};
struct Assign {
  ExprId target;
  std::optional<BinaryOp> op;  // x += e: the target's place is evaluated once
  ExprId value;
};
struct ExprStmt {  // a Call, Operation, New or Spawn whose result is dropped
  ExprId expr;
};
struct If {
  struct Arm {
    ExprId condition;
    Block body;
  };
  std::vector<Arm> arms;
  std::optional<Block> otherwise;
};
struct While {
  ExprId condition;
  Block body;
};
struct Loop {
  Block body;
};
struct For {
  LocalId index;
  ExprId lo;
  ExprId hi;
  bool half_open = false;
  Block body;
};
struct Break {};
struct Continue {};
struct Return {
  std::optional<ExprId> value;
};
struct With {
  ExprId lock;  // a place of lock type or a MonitorRef, evaluated once
  ast::LockMode mode = ast::LockMode::Alone;
  Block body;
};
struct WaitUntil {
  ExprId target;  // a lock, a MonitorRef or a condition
  ExprId condition;
};
struct Await {
  ExprId condition;
};
struct Atomic {
  Block body;
  std::string label;  // of `label "cs";`, whose block is empty
};
struct Match {  // its cases have all values, or there is a default
  struct Case {
    std::vector<std::int32_t> values;  // of a bool 0 and 1, of an enum their positions
    Block body;
    SourceRange range;
  };
  ExprId value;
  std::vector<Case> cases;
  std::optional<Block> otherwise;
};
struct Select {
  enum class Kind : std::uint8_t { Receive, Send, Down, Acquire, Await };
  struct Case {
    Kind kind;
    ExprId target;                   // channel, semaphore or lock; of Await: invalid
    std::optional<ExprId> value;     // what to send
    std::optional<LocalId> binding;  // case x = c.recv()
    std::optional<ExprId> guard;     // when e; of Await: what it waits for
    Block body;
    SourceRange range;
    SourceRange range_of_operation;  // without guard and body
  };
  std::vector<Case> cases;
  std::optional<Block> otherwise;  // default

  /// Then no case takes a lock or a permit of a semaphore.
  [[nodiscard]] bool is_guarded() const {
    return std::any_of(cases.begin(), cases.end(),
                       [](const Case& c) { return c.guard.has_value(); });
  }
};
struct Either {
  std::vector<Block> branches;
};
struct Assert {
  ExprId condition;
  std::string message;
};
struct Assume {
  ExprId condition;
};
struct Fail {
  std::string message;
};
struct Cover {
  std::string label;
};
struct Join {
  ExprId handle;
};
struct Skip {};

struct Stmt {
  SourceRange range;
  std::variant<BlockStmt, LocalDecl, Assign, ExprStmt, If, While, Loop, For, Break, Continue,
               Return, With, WaitUntil, Await, Atomic, Match, Select, Either, Assert, Assume, Fail,
               Cover, Join, Skip>
      node;
  bool is_implied = false;  // no statement of the text, but a part of what one means
};

// ---- declarations ------------------------------------------------------------------------------

struct Local {
  std::string name;
  TypeId type;
  SourceRange range;
  bool is_let = false;
  bool is_parameter = false;
};

/// Code with its locals. Parameters are the first locals, in order.
struct Body {
  IdVector<LocalId, Local> locals;
  std::uint32_t parameter_count = 0;
  Block block;
};

struct Enum {
  std::string name;
  std::vector<std::string> enumerators;
};
struct Struct {
  struct Field {
    std::string name;
    TypeId type;
  };
  std::string name;
  std::vector<Field> fields;
};

/// `init by Main;`, `init by Worker[2];`: which one thread instance.
struct InitBy {
  ThreadId thread;
  std::optional<ExprId> process_index;  // constant, may mention the process's own index
  std::optional<std::int32_t> index;
};

struct Object {
  ObjectKind kind;
  bool is_const = false;  // a const field of a class (kind is Var)
  std::string name;
  SourceRange range;                 // the name
  TypeId type;                       // with its dimensions; lock, semaphore, channel arrays too
  std::optional<ProcessId> process;  // declared in this process
  std::optional<ClassId> owner;      // a field of this class
  std::optional<ExprId> initial;     // evaluated anew for each element, or an ArrayMake
  std::int32_t capacity = 0;         // channel
  std::optional<std::int32_t> max;   // semaphore
  std::optional<ExprId>
      guarded_by;                // a lock place (for a field: relative to ThisRef), or MonitorRef
  std::optional<ExprId> of;      // condition: its lock, like that of guarded_by
  bool prefers_writers = false;  // rwlock
  std::optional<InitBy> init_by;
  std::string doc;
};

struct Function {
  std::string name;  // with the class ("Queue<int, 3>.put") and type arguments
  SourceRange range;
  std::optional<ClassId> owner;
  std::optional<ProcessId> process;  // declared in this process
  bool is_synchronized = false;
  bool is_atomic = false;  // `atomic fun`: a call is one transition
  bool is_init = false;
  TypeId result;  // VoidType if none
  Body body;
};

struct Commutes {
  struct Method {
    FunctionId function;
    std::vector<LocalId> parameters;  // of `body`, where named; invalid id where `_`
  };
  std::vector<Method> methods;  // two
  std::optional<ExprId> when;
  IdVector<LocalId, Local> locals;  // the named parameters
  SourceRange range;
};

struct Class {
  std::string name;  // with its arguments: "Queue<int, 3>"
  SourceRange range;
  bool is_atomic = false;
  std::vector<ObjectId> fields;
  std::vector<FunctionId> methods;
  std::optional<FunctionId> init;
  std::vector<Commutes> commutes;
};

struct IndexRange {  // empty if hi < lo
  std::string name;
  std::int32_t lo = 0;
  std::int32_t hi = 0;  // inclusive
};

struct Thread {
  std::string name;
  SourceRange range;
  bool is_daemon = false;
  bool is_spawned = false;  // has a parameter list: runs only when spawned
  std::optional<IndexRange> index;
  std::optional<ProcessId> process;
  Body body;
};

struct Process {
  std::string name;
  SourceRange range;
  std::optional<IndexRange> index;
};

struct Invariant {
  std::string name;  // empty if unnamed
  SourceRange range;
  std::optional<ProcessId> process;
  ExprId condition;
};
struct Finally {
  SourceRange range;
  std::optional<ProcessId> process;
  Body body;
};

/// `property lin: Set implements SetSpec;`
struct Implementation {
  struct Method {
    FunctionId of;
    FunctionId specification;
  };
  std::string name;
  SourceRange range;  // the name
  ClassId of;
  ClassId specification;
  std::vector<Method> methods;  // that both have: calls of these are compared
};

/// A part of a temporal formula; its operands come before it.
struct Formula {
  FormulaKind kind = FormulaKind::Condition;
  SourceRange range;
  FormulaId left = {};
  FormulaId right = {};
  ExprId condition = {};
  ThreadId thread = {};
  std::optional<std::int32_t> process_index = {};
  std::optional<std::int32_t> index = {};
  std::string label = {};
};

/// `property served: always (asked implies eventually got);`, a member of a family of such, or
/// `terminates;`.
struct Property {
  std::string name;  // "served", "served[2]", "terminates"
  SourceRange range;
  bool is_termination = false;  // then there is no formula
  std::optional<Fairness> fairness;
  IdVector<FormulaId, Formula> parts;  // the last is the whole
};

struct Constant {  // top-level constants of the main file, after -D, for reports
  std::string name;
  std::variant<std::int32_t, bool, std::string> value;  // an enumerator is its name
};

/// What is demanded of shared objects: one lock for each, or that no two accesses race.
enum class Discipline : std::uint8_t { Locks, Races };

struct Model {
  std::string title;
  Discipline discipline = Discipline::Locks;  // `discipline races;`
  FileId main_file;
  std::vector<Constant> constants;
  IdVector<TypeId, Type> types;
  IdVector<EnumId, Enum> enums;
  IdVector<StructId, Struct> structs;
  IdVector<ClassId, Class> classes;
  IdVector<ObjectId, Object> objects;
  IdVector<FunctionId, Function> functions;
  IdVector<ThreadId, Thread> threads;
  IdVector<ProcessId, Process> processes;
  std::vector<Invariant> invariants;
  std::vector<Finally> finals;
  std::vector<Implementation> implementations;
  std::vector<Property> properties;
  std::optional<Fairness> fairness;  // of those that do not say which
  IdVector<ExprId, Expr> exprs;
  IdVector<StmtId, Stmt> stmts;
  std::vector<TypeId> closed_channels;  // the types of those that some code closes

  [[nodiscard]] const Type& type_of(ExprId e) const { return types[exprs[e].type]; }
};

/// "{1, 3}": the set that has this word.
[[nodiscard]] std::string set_text(std::int32_t word);

/// "int(0..5)", "Queue<int, 3>?", "bool[4]": for messages.
[[nodiscard]] std::string type_name(const Model& model, TypeId type);

}  // namespace cml::model
