// The abstract syntax tree: what the text says, before names are bound and types checked.
//
// Nodes live in flat vectors of an `Ast` and refer to each other by typed ids, so that a tree of
// any shape is built and destroyed without recursion. Each node is one struct, and a variant closes
// the set: a missing case does not compile. Nothing here knows ANTLR; the parse tree ends in
// `frontend/syntax/`. Strings are views into the source text, which the `SourceSet` owns.
// Children of invalid code never exist: the builder leaves out what could not be parsed, or puts
// `ErrorExpr` / `ErrorType` there, about which later phases report nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/source.h"
#include "frontend/temporal.h"
#include "support/ids.h"

namespace cml::ast {

using ExprId = Id<struct ExprTag>;
using StmtId = Id<struct StmtTag>;
using TypeId = Id<struct TypeTag>;
using DeclId = Id<struct DeclTag>;

/// An identifier where it stands. An empty text means it was missing (a syntax error was reported).
struct Name {
  std::string_view text;
  SourceRange range;
};

/// A string literal: where it stands and its value, escapes resolved.
struct StringLiteral {
  std::string value;
  SourceRange range;
};

/// `lo..hi` (inclusive) or `lo..<hi`.
struct Range {
  ExprId lo;
  ExprId hi;
  bool half_open = false;
  SourceRange range;
};

// ---- types -------------------------------------------------------------------------------------

struct ErrorType {};
struct BoolType {};
struct IntType {
  std::optional<Range> bounds;
};
struct ModType {  // mod(N)
  ExprId modulus;
};
struct SetType {  // set(0..<N)
  Range elements;
};
struct ThreadType {};
struct LockType {};
struct SemaphoreType {};
struct ChannelType {  // only parameters: channel<T>, or channel; then the element is invalid
  TypeId element;
};
/// An enum, struct, class or type parameter. An argument is a type or a constant expression; a bare
/// name can be either, and stands as a NamedType without arguments until names are bound.
struct NamedType {
  Name name;
  std::vector<std::variant<TypeId, ExprId>> arguments;
};
struct NullableType {
  TypeId inner;
};
struct ArrayType {
  TypeId element;
  ExprId size;
};

struct Type {
  SourceRange range;
  std::variant<ErrorType, BoolType, IntType, ModType, SetType, ThreadType, LockType, SemaphoreType,
               ChannelType, NamedType, NullableType, ArrayType>
      node;
};

// ---- expressions -------------------------------------------------------------------------------

enum class UnaryOp : std::uint8_t { Negate, Not, Complement };
enum class BinaryOp : std::uint8_t {
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  In
};
/// As written: "||", "+", …
[[nodiscard]] std::string_view spelling(BinaryOp op);

struct ErrorExpr {};
/// The magnitude; above 2^31 it is reported by the builder and stored as 0. 2^31 itself is only
/// legal as the operand of a Negate, which `Sema` verifies.
struct IntLiteral {
  std::uint32_t value = 0;
};
struct BoolLiteral {
  bool value = false;
};
struct NullLiteral {};
struct ThisExpr {};
struct NameExpr {
  Name name;
};
struct MemberExpr {
  ExprId base;
  Name member;
};
struct IndexExpr {
  ExprId base;
  ExprId index;
};
struct Argument {
  std::optional<Name> name;  // S(f: 1)
  ExprId value;
};
/// `f(a)`, `o.method(a)`, `S(f: 1)`, `wait()`: the callee is a NameExpr or a MemberExpr.
struct CallExpr {
  ExprId callee;
  std::vector<Argument> arguments;
};
struct NewExpr {
  bool unshared = false;
  TypeId type;  // always a NamedType
  std::vector<Argument> arguments;
};
struct SpawnExpr {
  ExprId thread;  // a NameExpr (anything else is reported by `Sema`)
  std::vector<Argument> arguments;
};
struct ChooseExpr {
  std::variant<Range, ExprId> from;  // or a set
};
struct UnaryExpr {
  UnaryOp op;
  ExprId operand;
};
struct BinaryExpr {
  BinaryOp op;
  ExprId left;
  ExprId right;
  SourceRange op_range;
};
struct ConditionalExpr {
  ExprId condition;
  ExprId if_true;
  ExprId if_false;
};
/// `forall i in 0..<3: e`, `exists v in votes: e`, `count …`: over a range, or over the elements of
/// an array.
enum class Quantifier : std::uint8_t { Forall, Exists, Count };
struct QuantifiedExpr {
  Quantifier quantifier;
  Name index;
  std::variant<Range, ExprId> over;
  ExprId body;
};
/// `[e, …]`: only as the initialiser of an array.
struct ArrayExpr {
  std::vector<ExprId> elements;
};
/// `{e, …}`.
struct SetExpr {
  std::vector<ExprId> elements;
};
/// `always`, `eventually`, `until`, `release`, `implies`; the first two have one operand. Stands in
/// the formula of a property only, which `Sema` verifies.
struct TemporalExpr {
  FormulaKind op;
  std::optional<ExprId> left;
  ExprId right;
  SourceRange op_range;
};
/// The name of a label, in the formula of a property: `at(T, "cs")`.
struct LabelExpr {
  StringLiteral label;
};
/// A parenthesised expression: kept, because `(a = b)` hints and the formatter want it.
struct ParenExpr {
  ExprId inner;
};

struct Expr {
  SourceRange range;
  std::variant<ErrorExpr, IntLiteral, BoolLiteral, NullLiteral, ThisExpr, NameExpr, MemberExpr,
               IndexExpr, CallExpr, NewExpr, SpawnExpr, ChooseExpr, UnaryExpr, BinaryExpr,
               ConditionalExpr, QuantifiedExpr, ArrayExpr, SetExpr, TemporalExpr, LabelExpr,
               ParenExpr>
      node;
};

// ---- statements --------------------------------------------------------------------------------

struct Block {
  std::vector<StmtId> statements;
  SourceRange range;  // with the braces
};

struct BlockStmt {
  Block block;
};
/// `atomic { … yield e; }`: the statements without the last one.
struct AtomicValue {
  Block body;
  ExprId yielded;
};
struct LocalDecl {  // var x: T[n] = e;  let x = e;  let x = atomic { … yield e; };
  bool is_let = false;
  Name name;
  std::vector<ExprId> dimensions;  // x[N][M]: T
  std::optional<TypeId> type;
  std::optional<ExprId> initial;
  std::optional<AtomicValue> atomic;  // then there is no initial
};
struct AssignStmt {  // x = e;  x += e;
  ExprId target;
  std::optional<BinaryOp> op;  // Add, Subtract, Multiply, Divide, Remainder
  ExprId value;
};
struct ExprStmt {
  ExprId expr;  // a call or a spawn, after checking
};
struct IfStmt {
  struct Arm {
    ExprId condition;
    Block body;
  };
  std::vector<Arm> arms;  // if, else if, else if …: a list, not a nest
  std::optional<Block> otherwise;
};
struct WhileStmt {
  ExprId condition;
  Block body;
};
struct LoopStmt {
  Block body;
};
struct ForStmt {
  Name index;
  Range range;  // without a channel
  Block body;
  std::optional<ExprId> channel;
};
struct BreakStmt {};
struct ContinueStmt {};
struct ReturnStmt {
  std::optional<ExprId> value;
};
/// How a `with` holds its lock: Read and Write are for reader-writer locks, which have no other.
enum class LockMode : std::uint8_t { Alone, Read, Write };
struct WithStmt {
  ExprId lock;
  LockMode mode = LockMode::Alone;
  Block body;
};
struct WaitUntilStmt {  // m.wait() until cond;  (call is the CallExpr of `m.wait()` or `wait()`)
  ExprId call;
  ExprId condition;
};
struct AwaitStmt {
  ExprId condition;
};
struct AtomicStmt {
  Block body;
};
struct LabelStmt {  // label "cs";
  StringLiteral label;
};
struct MatchStmt {
  struct Case {
    std::vector<ExprId> values;
    Block body;  // without braces in the text: the statements after `:`
    SourceRange range;
  };
  ExprId value;
  std::vector<Case> cases;
  std::vector<Block> defaults;  // at most one, last: checked later
  bool default_last = true;
};
struct SelectStmt {
  struct Case {
    std::optional<Name> binding;  // case x = c.recv()
    ExprId operation;             // a CallExpr, or the condition of `case await e`
    bool is_await = false;
    std::optional<ExprId> guard;  // when e
    Block body;                   // without braces in the text: the statements after `:`
    SourceRange range;
  };
  std::vector<Case> cases;
  std::vector<Block> defaults;  // at most one, last: checked later
  bool default_last = true;     // false: a case follows a default
};
struct EitherStmt {
  std::vector<Block> branches;
};
struct AssertStmt {
  ExprId condition;
  std::optional<StringLiteral> message;
};
struct AssumeStmt {
  ExprId condition;
};
struct FailStmt {
  std::optional<StringLiteral> message;
};
struct CoverStmt {
  StringLiteral label;
};
struct JoinStmt {
  ExprId handle;
};
struct SkipStmt {};

struct Stmt {
  SourceRange range;
  std::variant<BlockStmt, LocalDecl, AssignStmt, ExprStmt, IfStmt, WhileStmt, LoopStmt, ForStmt,
               BreakStmt, ContinueStmt, ReturnStmt, WithStmt, WaitUntilStmt, AwaitStmt, AtomicStmt,
               MatchStmt, SelectStmt, EitherStmt, AssertStmt, AssumeStmt, FailStmt, CoverStmt,
               JoinStmt, SkipStmt, LabelStmt>
      node;
};

// ---- declarations ------------------------------------------------------------------------------

struct ModelDecl {
  StringLiteral title;
};
struct DisciplineDecl {  // discipline races;
  Name which;
};
struct ImportDecl {
  std::vector<Name> module;           // std.rwlock; empty if a file
  std::optional<StringLiteral> file;  // "shapes.cml"
};
struct ConstDecl {  // const N = 5;  in a class also: const id: int;
  Name name;
  std::optional<TypeId> type;
  std::optional<ExprId> value;
};
struct EnumDecl {
  Name name;
  std::vector<Name> enumerators;
};
struct StructDecl {
  struct Field {
    Name name;
    std::vector<ExprId> dimensions;
    TypeId type;
  };
  Name name;
  std::vector<Field> fields;
};

enum class ObjectKind : std::uint8_t {
  Shared,
  Atomic,
  Lock,
  Mutex,
  Condition,
  RwLock,
  Semaphore,
  Channel,
  Var,
};
[[nodiscard]] std::string_view spelling(ObjectKind kind);
/// Threads of other processes cannot name it.
[[nodiscard]] constexpr bool is_memory(ObjectKind kind) {
  return kind == ObjectKind::Shared || kind == ObjectKind::Lock || kind == ObjectKind::Mutex ||
         kind == ObjectKind::Condition || kind == ObjectKind::RwLock;
}

struct ObjectDecl {  // all but var stand anywhere; var in an atomic class
  ObjectKind kind;
  Name name;
  std::vector<ExprId> dimensions;  // x[N][M]: T
  std::optional<TypeId> type;      // shared, atomic, channel, var
  std::optional<ExprId> initial;   // also the initial value of a semaphore
  std::optional<ExprId> capacity;  // channel
  std::optional<ExprId> max;       // semaphore
  std::optional<ExprId> of;        // condition: its lock
  bool prefers_writers = false;    // rwlock
  std::optional<ExprId> guarded_by;
  std::optional<ExprId>
      init_by;  // NameExpr or IndexExpr over one (member of a process: MemberExpr)
};
struct Parameter {
  Name name;
  std::optional<TypeId> type;  // missing only after a syntax error
};
struct TypeParameter {  // class Queue<T, const CAP>
  bool is_const = false;
  Name name;
};
struct FunctionDecl {
  bool is_synchronized = false;
  bool is_atomic = false;  // a call is one transition
  bool is_init = false;    // the constructor of a class, named `init`
  Name name;
  std::vector<TypeParameter> type_parameters;
  std::vector<Parameter> parameters;
  std::optional<TypeId> result;
  Block body;
};
struct IndexDecl {  // [i in 0..<N]
  Name name;
  Range range;
};
struct ThreadDecl {
  bool is_daemon = false;
  Name name;
  std::optional<IndexDecl> index;
  std::vector<Parameter> parameters;
  bool has_parameters = false;  // `thread Task()` is spawned, `thread Task` runs from the start
  Block body;
};
struct ProcessDecl {
  Name name;
  std::optional<IndexDecl> index;
  std::vector<DeclId> members;
};
struct CommutesDecl {  // commutes put(_), get() when cond;
  struct Method {
    Name name;
    std::vector<Name> parameters;  // "_" where not named
    SourceRange range;
  };
  std::vector<Method> methods;  // one or two; the pair of a single one is with itself
  std::optional<ExprId> when;
};
struct ClassDecl {
  bool is_atomic = false;
  Name name;
  std::vector<TypeParameter> type_parameters;
  std::vector<DeclId> members;  // ObjectDecl, ConstDecl, FunctionDecl, CommutesDecl
};
struct InvariantDecl {
  std::optional<Name> name;
  ExprId condition;
};
struct FinallyDecl {
  Block body;
};
struct PropertyDecl {  // property lin: Set implements SetSpec;
  Name name;
  TypeId of;
  TypeId specification;
};

/// `property served[i in 0..<N]: always eventually turn[i] under strong fairness;`
struct FormulaDecl {
  Name name;
  std::optional<IndexDecl> index;
  ExprId formula;
  std::optional<Name> fairness;
};
struct TerminatesDecl {  // terminates;
  std::optional<Name> fairness;
};
struct FairnessDecl {  // fairness weak;
  Name kind;
};

struct Decl {
  SourceRange range;
  std::string doc;  // the `///` lines before it, without the slashes, joined by '\n'
  std::variant<ModelDecl, DisciplineDecl, ImportDecl, ConstDecl, EnumDecl, StructDecl, ObjectDecl,
               FunctionDecl, ThreadDecl, ProcessDecl, CommutesDecl, ClassDecl, InvariantDecl,
               FinallyDecl, PropertyDecl, FormulaDecl, TerminatesDecl, FairnessDecl>
      node;
};

/// One file.
struct Ast {
  FileId file;
  IdVector<ExprId, Expr> exprs;
  IdVector<StmtId, Stmt> stmts;
  IdVector<TypeId, Type> types;
  IdVector<DeclId, Decl> decls;
  std::vector<DeclId> items;  // the top level, in order
};

}  // namespace cml::ast
