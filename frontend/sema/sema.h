// Semantic analysis: one pass over a program that binds names, folds constants, checks types and
// builds the Model.
//
//   symbols ──▶ declarations (types, objects, signatures) ──▶ bodies and initialisers ──▶ analyses
//
// Everything at top level and in classes may be used before it is declared, so declarations are
// resolved on demand and marked busy meanwhile; what meets itself again is a cycle. Generic classes
// and functions exist once per distinct arguments. Expressions and statements are translated in one
// walk over the AST; the rules that need whole functions (effects, control flow, initialisation)
// are analyses of the finished model (frontend/sema/rules.h).
//
// An error leaves an `ErrorExpr` or `ErrorType` behind, about which no rule reports anything. They
// also stand for the parameters when a generic declaration is checked without arguments.
//
// The class is split over the .cpp files of this folder by concept; this header is their common
// ground and private to them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/constant_value.h"
#include "frontend/load_model.h"
#include "frontend/model.h"
#include "frontend/name_index.h"
#include "frontend/sema/program.h"
#include "frontend/sema/reporter.h"

namespace cml {
class Suggestion;
}

namespace cml::sema {

using SymbolId = Id<struct SymbolTag>;
using model::ExprId;
using model::StmtId;
using model::TypeId;

// ---- limits: nothing that a user writes may exhaust the tool ------------------------------------

inline constexpr std::uint64_t kMaxElements = 1'000'000;  // scalars of one object, and of all
/// Scalars that one instruction moves: of a local, a result, a value of an atomic or a channel. The
/// frame of a thread has no more (ir/lower/context.h).
inline constexpr std::uint64_t kMaxValue = 65'536;
inline constexpr std::int64_t kMaxInstances = 10'000;  // threads and processes
inline constexpr std::uint32_t kMaxInstantiationDepth = 50;
inline constexpr std::size_t kMaxInstantiations = 2'000;
inline constexpr std::size_t kMaxTypeName = 2'000;  // bytes
inline constexpr std::size_t kMaxChain = 1'000;     // operands of one chain a + b + c …
inline constexpr std::uint32_t kMaxExprDepth = 300;
inline constexpr std::size_t kMaxStructDepth = 60;
inline constexpr std::uint32_t kMaxBodyDepth = 40;  // functions checked because constants call them

// ---- what names stand for -----------------------------------------------------------------------

enum class SymbolKind : std::uint8_t {
  Constant,
  Enum,
  Struct,
  Class,
  Object,
  Function,
  Thread,
  Process
};

enum class Progress : std::uint8_t { Fresh, Busy, Done };

/// A constant's value, or unknown: after an error, or because it depends on a constant parameter.
struct Constant {
  TypeId type;
  std::optional<model::Value> value;
};

/// A declaration at top level or in a process. Ids of the model are set once it is declared there.
struct Symbol {
  SymbolKind kind;
  std::string_view name;
  SourceRange where;  // the name
  ModuleId module;
  ast::DeclId decl;
  SymbolId process;  // the process it stands in, if any
  Progress progress = Progress::Fresh;
  Constant constant = {};
  model::EnumId enumeration = {};
  model::StructId structure = {};
  model::ObjectId object = {};
  model::ThreadId thread = {};
  model::ProcessId model_process = {};
};

using Scope = std::unordered_map<std::string_view, SymbolId>;

/// What a type or constant parameter stands for.
struct Binding {
  std::string_view name;
  SourceRange where;
  bool is_const = false;
  TypeId type = {};
  Constant constant = {};
};

/// Where code, a type or a constant stands: what its names mean.
struct Env {
  ModuleId module;
  SymbolId process;                        // none at top level
  model::ClassId cls;                      // none outside classes
  std::span<const Binding> bindings = {};  // of the function; those of the class are found by `cls`
  NoteId note = {};                        // the instantiation that this belongs to
  std::uint32_t depth = 0;                 // how many instantiations led here
};

/// A member of one instance of a class.
struct Member {
  ast::DeclId decl;
  std::string_view name;
  SourceRange where;
  model::ObjectId object;               // fields
  model::FunctionId function;           // methods
  Progress progress = Progress::Fresh;  // of a constant field's value
  std::optional<Constant> constant = {};
};

struct ClassInstance {
  SymbolId symbol;
  std::vector<Binding> bindings;
  std::unordered_map<std::string_view, std::size_t> by_name;
  std::vector<Member> members;  // in the order of declaration, `init` too
  NoteId note;
  std::uint32_t depth = 0;
  Progress progress = Progress::Fresh;
};

struct FunctionInstance {
  const ast::FunctionDecl* decl = nullptr;
  Env env;
  std::vector<Binding> bindings;
  std::uint32_t depth = 0;
  Progress progress = Progress::Fresh;  // of the body
};

// ---- code that is being checked -----------------------------------------------------------------

enum class CodeKind : std::uint8_t {
  Thread,
  Function,
  Initialiser,
  Invariant,
  Finally,
  When,
  Constant,
  Clause
};

/// A name in a function or thread: a local, a constant `let`, or the index of a family.
struct LocalName {
  enum class Kind : std::uint8_t { Local, Constant, ThreadIndex, ProcessIndex, Element };
  std::string_view name;
  SourceRange where;
  Kind kind = Kind::Local;
  model::LocalId local = {};
  TypeId type = {};
  Constant constant = {};
  bool is_for_index = false;
  ast::ExprId array = {};  // of an Element, which a quantifier names
  std::int32_t element = 0;
};

struct Context {
  CodeKind kind;
  Env env;
  TypeId result = {};  // of functions; VoidType elsewhere
  model::Body body = {};
  std::vector<LocalName> names = {};
  std::uint32_t loops = 0;
  std::uint32_t atomic_blocks = 0;  // around the statement
  std::uint32_t guards = 0;         // around the expression: conditions of `await` and the like
  bool is_init = false;             // the constructor of `env.cls`
};

// ---- semantic analysis --------------------------------------------------------------------------

class Sema {
  friend class Enter;

 public:
  /// `index`: told what names mean, if somebody wants to know.
  Sema(const Program& program, const Definitions& definitions, Reporter& reporter,
       NameIndex* index = nullptr);

  /// The model of the whole program.
  model::Model check();
  /// Checks each generic class and function once, its parameters being unknown.
  void check_generics();
  [[nodiscard]] bool has_generics() const;

 private:
  // symbols.cpp
  void collect_symbols();
  void collect_items(ModuleId module, std::span<const ast::DeclId> items, SymbolId process,
                     Scope& scope);
  void check_import_clashes(ModuleId module);
  [[nodiscard]] const ast::Decl& decl_of(const Symbol& symbol) const;
  [[nodiscard]] const ast::Ast& tree(ModuleId module) const { return program_.modules[module].ast; }
  [[nodiscard]] const ast::Ast& tree() const { return tree(env().module); }
  [[nodiscard]] SymbolId find_symbol(const Env& env, std::string_view name) const;
  void collect_candidates(Suggestion& suggestion, bool types_only) const;
  [[nodiscard]] const LocalName* find_local(std::string_view name) const;
  [[nodiscard]] const Binding* find_binding(const Env& env, std::string_view name) const;
  Diagnostic& report_unknown(const ast::Name& name, std::string_view what, bool types_only = false);
  [[nodiscard]] Env env_of(SymbolId symbol) const;
  [[nodiscard]] Env env_of(model::ClassId cls) const;

  // definitions.cpp
  void apply_definitions();
  std::optional<model::Value> parse_definition(const Symbol& symbol, TypeId type,
                                               const std::string& text);

  // constants.cpp
  const Constant& constant_of(SymbolId symbol);
  std::optional<Constant> constant_of(model::ClassId cls, std::size_t member);
  std::optional<Constant> evaluate_declared(const ast::ConstDecl& decl, const Env& env);
  /// Checks and evaluates a constant expression; errors have been reported if there is no value.
  Constant constant(ast::ExprId expr, TypeId expected = {});
  std::optional<std::int32_t> constant_int(ast::ExprId expr, std::string_view what);
  Constant evaluate_checked(ExprId expr);
  bool bodies_ready(ExprId expr);
  struct RangeBounds {
    std::int64_t lo;
    std::int64_t hi;  // inclusive
  };
  std::optional<RangeBounds> constant_range(const ast::Range& range, std::string_view what);
  ExprId literal(SourceRange range, const Constant& constant);
  ExprId literal_value(SourceRange range, TypeId type, const model::Value& value);
  [[nodiscard]] std::optional<Constant> literal_of(ExprId expr) const;
  bool fits(SourceRange where, TypeId type, const model::Value& value);
  void report_constant_cycle(std::string_view name, SourceRange where);

  // types.cpp
  TypeId intern(const model::Type& type);
  TypeId resolve_type(ast::TypeId type);
  TypeId resolve_named(const ast::NamedType& named, SourceRange range, bool silent_unknown = false);
  TypeId resolve_class(SymbolId symbol, const ast::NamedType& named, SourceRange range);
  TypeId with_dimensions(TypeId element, std::span<const ast::ExprId> dimensions);
  TypeId array_of(TypeId element, ast::ExprId size);
  void declare_enum(SymbolId symbol);
  void declare_struct(SymbolId symbol);
  /// Reports types that no variable, field, … may have: locks, nothing, too large ones.
  bool storable(TypeId type, SourceRange where, std::string_view what);
  bool limit_elements(TypeId type, std::uint64_t factor, SourceRange where, std::string_view what);
  bool limit_value(TypeId type, SourceRange where, std::string_view what);
  [[nodiscard]] bool has_default(TypeId type) const;
  [[nodiscard]] bool carries_references(TypeId type) const;
  [[nodiscard]] bool comparable(TypeId type) const;
  [[nodiscard]] std::string name_of(TypeId type) const { return model::type_name(model_, type); }
  [[nodiscard]] TypeId element_of(TypeId type) const;  // through all dimensions
  template <class T>
  [[nodiscard]] const T* as(TypeId type) const {
    return std::get_if<T>(&model_.types[type]);
  }
  [[nodiscard]] bool is_error(TypeId type) const { return as<model::ErrorType>(type) != nullptr; }
  [[nodiscard]] bool is_error(ExprId expr) const { return is_error(model_.exprs[expr].type); }
  [[nodiscard]] bool is_handle(TypeId type) const;  // lock, mutex, condition, semaphore, channel

  // modular.cpp
  TypeId resolve_mod(const ast::ModType& type);
  [[nodiscard]] bool is_number(TypeId type) const {  // an int or a `mod(N)`
    return as<model::IntType>(type) != nullptr || as<model::ModType>(type) != nullptr;
  }
  [[nodiscard]] bool of_two_moduli(TypeId a, TypeId b) const;
  /// The type of `left op right` on numbers; nothing after an error.
  std::optional<TypeId> type_of_numbers(ast::BinaryOp op, ExprId left, ExprId right,
                                        SourceRange where);
  Diagnostic& report_two_moduli(SourceRange where, std::string_view what, TypeId a, TypeId b);
  /// A literal as one of the other's type, where that is a `mod(N)`.
  void adapt(ExprId& literal, TypeId type);

  // sets.cpp
  TypeId resolve_set(const ast::SetType& type);
  [[nodiscard]] bool is_set(ExprId expr) const {
    return as<model::SetType>(type_of(expr)) != nullptr;
  }
  /// `{…}`, whose type the other side of an operator says.
  [[nodiscard]] bool is_set_literal(ast::ExprId expr) const {
    return std::holds_alternative<ast::SetExpr>(ast_expr(strip(expr)).node);
  }
  /// Then the right side is looked at first.
  [[nodiscard]] bool is_loose_set(const ast::BinaryExpr& node) const {
    return is_set_literal(node.left) && !is_set_literal(node.right) &&
           node.op != ast::BinaryOp::Add && node.op != ast::BinaryOp::Subtract &&
           node.op != ast::BinaryOp::In;
  }
  ExprId set_literal(const ast::SetExpr& node, SourceRange range, TypeId expected);
  /// An operator of which a side is a set.
  ExprId combine_sets(const ast::BinaryExpr& node, ExprId left, ExprId right, SourceRange range);
  TypeId any_set() { return intern(model::SetType{model::kLargestSet}); }
  ExprId of_element(ast::Quantifier quantifier, ast::ExprId over, std::size_t element, ExprId said,
                    SourceRange range);
  bool changes_set(ast::BinaryOp op, ExprId target, ExprId value, SourceRange range);
  ExprId choose_from(ast::ExprId set, SourceRange range);
  ExprId set_member(ExprId set, const ast::Name& member, SourceRange range);
  void for_each_element(const ast::ForStmt& node, ExprId set, SourceRange range,
                        model::Block& into);
  /// False, with an error, if it reads objects where each time could give something else.
  bool can_be_read_again(ExprId set, std::string_view word);

  // objects.cpp
  void declare_object(SymbolId symbol);
  model::Object make_object(const ast::ObjectDecl& decl, const Env& env, const std::string& doc);
  void finish_object(model::ObjectId id, const ast::ObjectDecl& decl, const Env& env);
  void check_semaphore(model::ObjectId id, const ast::ObjectDecl& decl);
  std::optional<ExprId> check_initial(ast::ExprId expr, TypeId type, const Env& env);
  ExprId initial_value(ast::ExprId expr, TypeId type);
  bool check_static(ExprId expr, TypeId type);
  void check_guard(model::ObjectId id, ast::ExprId expr, const Env& env);
  void check_condition(model::ObjectId id, ast::ExprId expr, const Env& env);
  /// A lock that is known without running anything, named by this clause.
  std::optional<ExprId> fixed_lock(ast::ExprId expr, const Env& env, Code code,
                                   std::string_view clause);
  void check_init_by(model::ObjectId id, ast::ExprId expr, const Env& env);
  void count_elements();

  // classes.cpp
  model::ClassId instantiate(SymbolId symbol, std::vector<Binding> bindings, SourceRange where);
  ClassInstance& instance(model::ClassId cls) { return *class_instances_[cls]; }
  [[nodiscard]] const ClassInstance& instance(model::ClassId cls) const {
    return *class_instances_[cls];
  }
  void declare_members(model::ClassId cls);
  void declare_member(model::ClassId cls, std::size_t position);
  void finish_class(model::ClassId cls);
  void check_commutes(model::ClassId cls, const ast::CommutesDecl& decl, SourceRange range);
  [[nodiscard]] const Member* find_member(model::ClassId cls, std::string_view name);
  void check_member_rules(const ast::ClassDecl& cls, const ast::Decl& member,
                          std::optional<SourceRange>& first_init);
  std::string key_of(std::span<const Binding> bindings) const;
  std::string arguments_text(std::span<const Binding> bindings) const;
  [[nodiscard]] bool too_many_instances(std::uint32_t depth, std::size_t name_length,
                                        SourceRange where, std::string_view what);

  // implementations.cpp
  void declare_implementation(const ast::PropertyDecl& property);
  void finish_implementations();
  /// The class that a property names, if it may stand there.
  std::optional<model::ClassId> class_of_property(ast::TypeId type, bool is_specification);
  void match_methods(model::Implementation& property);
  void match_constructors(const model::Implementation& property);
  bool same_parameters(model::FunctionId a, model::FunctionId b) const;

  // formulas.cpp
  [[nodiscard]] bool is_about_thread(ast::ExprId expr) const;
  [[nodiscard]] bool is_formula(ast::ExprId expr) const;
  model::FormulaId add_part(model::Property& property, model::Formula part);
  model::FormulaId formula(ast::ExprId expr, model::Property& property);
  model::FormulaId quantified_formula(const ast::QuantifiedExpr& node, SourceRange range,
                                      model::Property& property);
  void thread_part(const ast::CallExpr& node, model::Formula& part);
  [[nodiscard]] std::set<std::string> labels_of(model::ThreadId thread) const;
  void check_labels();
  std::optional<Fairness> fairness(const std::optional<ast::Name>& name);
  void declare_fairness(const ast::FairnessDecl& decl);
  void declare_termination(const ast::TerminatesDecl& decl, SourceRange range);
  void warn_of_no_time(const model::Property& property, SourceRange formula);
  void declare_formulas(const ast::FormulaDecl& decl);

  // functions.cpp
  model::FunctionId function_of(SymbolId symbol, std::vector<Binding> bindings,
                                std::optional<SourceRange> call);
  model::FunctionId declare_function(const ast::FunctionDecl& decl, Env env,
                                     std::vector<Binding> bindings);
  void check_body(model::FunctionId function);
  void declare_parameters(std::span<const ast::Parameter> parameters);
  TypeId parameter_type(const ast::Parameter& parameter);
  /// As the first locals of a body whose code comes later.
  void add_parameters(std::span<const ast::Parameter> parameters, model::Body& body);
  /// Reports type parameters of one name.
  void names_differ(std::span<const ast::TypeParameter> parameters);
  /// Arguments for parameters of known types.
  std::vector<ExprId> check_arguments(std::span<const ast::Argument> arguments,
                                      std::span<const TypeId> types, SourceRange call,
                                      SourceRange declared, std::string_view signature);
  std::vector<ExprId> check_loose_arguments(std::span<const ast::Argument> arguments);
  ExprId call_function(SymbolId symbol, const ast::CallExpr& call, SourceRange range);
  ExprId call_method(model::ClassId cls, const Member& member, ExprId receiver,
                     const ast::CallExpr& call, SourceRange range);
  ExprId finish_call(model::FunctionId function, std::optional<ExprId> receiver,
                     std::span<const ast::Argument> arguments, SourceRange range);
  ExprId finish_inferred(model::FunctionId function, std::optional<ExprId> receiver,
                         std::vector<ExprId> values, SourceRange range);
  std::optional<std::vector<Binding>> infer_all(const ast::FunctionDecl& decl, const Env& where,
                                                std::span<const ExprId> values, SourceRange range);
  void infer(TypeId actual, ast::TypeId formal, const Env& where, std::vector<Binding>& bindings,
             bool exact);
  std::string signature(model::FunctionId function) const;

  // expressions.cpp
  ExprId expression(ast::ExprId expr, TypeId expected = {});  // value or place
  ExprId value(ast::ExprId expr, TypeId expected = {});       // something a variable can hold
  ExprId comparand(ast::ExprId expr, TypeId expected = {});   // a value, or `m.owner`
  ExprId typed(ast::ExprId expr, TypeId type, std::string_view what);  // value, converted
  ExprId condition(ast::ExprId expr, std::string_view what);
  ExprId guard(ast::ExprId expr, std::string_view what);  // a condition that is waited for
  ExprId integer(ast::ExprId expr, std::string_view what);
  bool convert(ExprId value, TypeId type, std::string_view what);
  ExprId unary(const ast::UnaryExpr& node, SourceRange range);
  ExprId binary_chain(ast::ExprId expr, TypeId expected);
  ExprId equality(const ast::BinaryExpr& node, SourceRange range);
  ExprId combine(const ast::BinaryExpr& node, ExprId left, ExprId right, SourceRange range);
  bool check_comparable(ExprId left, ExprId right, ast::BinaryOp op, SourceRange where);
  ExprId conditional(const ast::ConditionalExpr& node, SourceRange range, TypeId expected);
  ExprId choose(const ast::ChooseExpr& node, SourceRange range);
  ExprId index(const ast::IndexExpr& node, SourceRange range);
  ExprId new_object(const ast::NewExpr& node, SourceRange range);
  ExprId spawn(const ast::SpawnExpr& node, SourceRange range);
  ExprId int_literal(const ast::IntLiteral& node, SourceRange range);
  ExprId this_ref(SourceRange range);
  ExprId add(SourceRange range, TypeId type, decltype(model::Expr::node) node,
             model::Storage storage = model::Storage::Value);
  ExprId error(SourceRange range) { return add(range, error_, model::ErrorExpr{}); }
  TypeId type_of(ExprId expr) const { return model_.exprs[expr].type; }
  SourceRange range_of(ExprId expr) const { return model_.exprs[expr].range; }
  [[nodiscard]] const ast::Expr& ast_expr(ast::ExprId expr) const { return tree().exprs[expr]; }
  [[nodiscard]] ast::ExprId strip(ast::ExprId expr) const;  // without parentheses

  // names.cpp
  ExprId name(const ast::NameExpr& node, SourceRange range, TypeId expected);
  ExprId symbol_value(SymbolId symbol, const ast::Name& name, SourceRange range);
  ExprId object_ref(SymbolId symbol, SourceRange range, std::optional<ExprId> process_index = {});
  ExprId member_value(model::ClassId cls, const Member& member, ExprId object, bool through_this,
                      SourceRange range);
  ExprId enumerator(std::string_view name, SourceRange range, TypeId expected, bool report);
  bool is_loose_enumerator(ast::ExprId expr);

  // lock_owner.cpp
  [[nodiscard]] bool is_owner(ExprId expr) const;  // `m.owner` alone
  ExprId owner_not_compared(ExprId owner, std::string_view cure = {});
  ExprId owned_by(ExprId owner, ast::ExprId thread, ast::BinaryOp op, SourceRange range);
  struct ThreadName {  // `Main`, `Worker[e]`, `Node[e].Main`, `Node[e].Worker[e]`
    SymbolId symbol;
    SymbolId process = {};  // if it is named
    std::optional<ast::ExprId> process_index = {};
    std::optional<ast::ExprId> index = {};
  };
  std::optional<ThreadName> thread_name(ast::ExprId expr);

  // members.cpp
  ExprId member(const ast::MemberExpr& node, SourceRange range);
  ExprId member_call(const ast::MemberExpr& callee, const ast::CallExpr& call, SourceRange range);
  ExprId process_member(const ast::MemberExpr& node, SymbolId process,
                        std::optional<ast::ExprId> index, SourceRange range);
  /// The symbol that a bare name denotes, if it is of this kind and nothing hides it.
  std::optional<SymbolId> named_symbol(ast::ExprId base, SymbolKind kind);
  bool may_access(model::ClassId cls, const Member& member, ExprId object, SourceRange where);
  ExprId property(model::Operator op, ExprId object, SourceRange range);
  TypeId operand_type(model::OperandType type, ExprId target);
  std::vector<TypeId> parameter_types(model::Operator op, ExprId target);
  TypeId amount_type(ExprId channel);
  ExprId operation(model::Operator op, ExprId target, const ast::CallExpr& call, SourceRange range);
  ExprId finish_operation(model::Operator op, ExprId target, const std::vector<TypeId>& types,
                          const ast::CallExpr& call, SourceRange range);
  std::optional<ExprId> atomic_call(ExprId base, std::string_view name, const ast::CallExpr& call,
                                    SourceRange range);
  ExprId receive_into(model::Operator op, ExprId channel, TypeId element, const ast::CallExpr& call,
                      SourceRange range);
  ExprId no_member(ExprId base, const ast::Name& member, bool is_call);

  // calls.cpp
  ExprId call(const ast::CallExpr& node, SourceRange range);
  ExprId named_call(const ast::NameExpr& callee, const ast::CallExpr& node, SourceRange range);
  ExprId make_struct(SymbolId symbol, const ast::CallExpr& node, SourceRange range);

  // statements.cpp
  model::Block block(const ast::Block& b);
  void statement(ast::StmtId stmt, model::Block& into);
  void label(const ast::LabelStmt& node, SourceRange range, model::Block& into);
  void local_decl(const ast::LocalDecl& decl, SourceRange range, model::Block& into);
  TypeId inferred_type(const ast::LocalDecl& decl, ExprId initial);
  void atomic_value(const ast::LocalDecl& decl, SourceRange range, model::Block& into);
  void handle_let(const ast::LocalDecl& decl, ExprId initial, SourceRange range,
                  model::Block& into);
  model::LocalId declare_local(const ast::Name& name, TypeId type, bool is_let, bool parameter);
  void declare_name(LocalName name);
  bool check_hiding(const ast::Name& name);
  void assign(const ast::AssignStmt& node, SourceRange range, model::Block& into);
  bool assignable(ExprId target, ast::ExprId written);
  void report_read_only(SourceRange where, std::string message, std::string cure,
                        std::optional<SourceRange> declared = {});
  void expression_statement(const ast::ExprStmt& node, SourceRange range, model::Block& into);
  void return_statement(const ast::ReturnStmt& node, SourceRange range, model::Block& into);
  void with_statement(const ast::WithStmt& node, SourceRange range, model::Block& into);
  ExprId lock_place(ast::ExprId expr, ast::LockMode mode);
  void wait_until(const ast::WaitUntilStmt& node, SourceRange range, model::Block& into);
  void for_statement(const ast::ForStmt& node, SourceRange range, model::Block& into);
  void for_each_received(const ast::ForStmt& node, ExprId channel, SourceRange range,
                         model::Block& into);
  void push_stmt(model::Block& into, SourceRange range, decltype(model::Stmt::node) node);
  ExprId right_side(ast::ExprId expr, TypeId expected);

  // quantifiers.cpp
  std::optional<std::int64_t> for_each_value(const ast::QuantifiedExpr& node, SourceRange range,
                                             const std::function<bool()>& check);
  ExprId quantified(const ast::QuantifiedExpr& node, SourceRange range);
  struct Elements;
  std::optional<Elements> elements(const ast::QuantifiedExpr& node);
  ExprId joined(ast::Quantifier quantifier, const std::vector<ExprId>& parts, SourceRange range);

  // match.cpp
  void match(const ast::MatchStmt& node, SourceRange range, model::Block& into);
  void match_case(const ast::MatchStmt::Case& c, model::Match& into, TypeId type,
                  std::map<std::int32_t, SourceRange>& seen);
  void check_complete(TypeId type, const std::map<std::int32_t, SourceRange>& seen,
                      SourceRange range);

  // select.cpp
  void select(const ast::SelectStmt& node, SourceRange range, model::Block& into);
  void check_guards(const model::Select& select);
  std::optional<model::Select::Case> select_case(const ast::SelectStmt::Case& c);
  void check_closing();  // closing.cpp

  // threads.cpp
  void declare_process(SymbolId symbol);
  void declare_thread(SymbolId symbol);
  std::optional<model::IndexRange> family(const ast::IndexDecl& index, std::string_view what);
  void check_thread(SymbolId symbol);
  void add_index_names();
  void check_properties(ModuleId module, std::span<const ast::DeclId> items, SymbolId process);
  void check_thread_count();
  void choose_discipline(const ast::Name& which);

  // inspection.cpp: what editors are told
  void saw(SourceRange use, SourceRange declared);
  void saw_operation(SourceRange use, model::Operator op);
  void saw_enumerator(SourceRange use, SymbolId enumeration, std::size_t position);
  void saw_field(SourceRange use, model::StructId structure, std::string_view name);
  void note_declared(SourceRange where, NameKind kind, TypeId type, std::string value = {});
  void note_local(const LocalName& name);
  void note_symbols();
  void note_parameters(std::span<const ast::TypeParameter> parameters);
  [[nodiscard]] bool is_asked(std::string_view name) const;
  void answer(std::string_view name, NameKind kind, TypeId type);
  void answer_symbol(SymbolId id);
  void answer_scope(const Scope& scope, bool types_only);
  void answer_visible(bool types_only);
  void answer_member(const Member& member);
  void answer_members(ExprId base, std::span<const model::Family> families);
  void answer_enumerators(SymbolId enumeration);
  void answer_process(SymbolId process);

  // sema.cpp
  void declare_all();
  void finish_all();
  void drain();
  [[nodiscard]] std::vector<NoteId> function_notes() const;

  [[nodiscard]] const Env& env() const { return context_->env; }
  Diagnostic& report(Code code, SourceRange where, std::string message) {
    return reporter_.report(code, where, std::move(message),
                            context_ != nullptr ? context_->env.note : NoteId{});
  }

  const Program& program_;
  const Definitions& definitions_;
  Reporter& reporter_;
  NameIndex* index_;
  model::Model model_;

  IdVector<SymbolId, Symbol> symbols_;
  IdVector<ModuleId, Scope> scopes_;
  std::map<SymbolId, Scope> process_scopes_;
  std::map<std::string_view, std::vector<SymbolId>> enumerators_;  // enums by enumerator

  IdVector<model::ClassId, std::unique_ptr<ClassInstance>> class_instances_;
  std::map<std::pair<SymbolId, std::string>, model::ClassId> classes_by_key_;
  IdVector<model::FunctionId, std::unique_ptr<FunctionInstance>> function_instances_;
  std::map<std::tuple<const ast::FunctionDecl*, model::ClassId, std::string>, model::FunctionId>
      functions_by_key_;
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint64_t>, TypeId> interned_;
  std::vector<model::FunctionId> pending_functions_;
  std::vector<model::ClassId> pending_classes_;

  struct Evaluating {
    std::string name;
    SourceRange where;
  };
  std::vector<Evaluating> evaluating_;       // the chain of constants that is being evaluated
  std::map<SymbolId, std::string> defined_;  // -D
  Context* context_ = nullptr;
  std::uint32_t expr_depth_ = 0;
  std::uint64_t copies_ = 1;  // of the expression, for the values of quantifiers around it
  std::uint32_t body_depth_ = 0;
  std::uint32_t instantiation_depth_ = 0;
  bool generics_only_ = false;

  TypeId error_, void_, null_, bool_, int_, thread_, lock_, mutex_, condition_, rwlock_, semaphore_;
};

}  // namespace cml::sema
