// Lowers the code of one thread instance, invariant or `finally`.
//
// Evaluation order is that of docs/reference.md, "Expressions", "Statements" and "Transitions":
// left to right, every access to an object an instruction of its own. Values of expressions are IR
// expressions over the frame for as long as possible; some must be evaluated into temporaries:
//
//  * what may fail, before the next instruction that is an operation (local computation belongs to
//    the transition before it);
//  * what a later operand changes (`x + (c.tryRecv(x) ? 1 : 0)`).
//
// Temporaries are reset to 0 as soon as they are used, variables when their scope is left, on every
// exit: so no two states differ in dead values only.
//
//   expression.cpp  values and conditions      statement.cpp    statements, scopes, exits
//   place.cpp       places of objects          synchronise.cpp  with, await, atomic, select, either
//   frame.cpp       slots, variables, stores   call.cpp         functions, expanded where called
//   operation.cpp   operations on objects      spawn.cpp        spawned threads
//   heap.cpp        references, `new`          routine.cpp      functions that call themselves
//   commutes.cpp    calls by nobody             histories.cpp    calls that are recorded
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/lower/code_builder.h"
#include "ir/lower/context.h"
#include "ir/lower/objects.h"
#include "ir/lower/scalar.h"

namespace cml::ir::lowering {

inline constexpr WordType kBool{WordType::Kind::Bool, 0, 1, {}};

inline void append(std::vector<Slot>& to, const std::vector<Slot>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The words of a value, and the temporaries that they live in. Temporaries are released once.
struct Value {
  std::vector<Scalar> words;
  std::vector<Slot> temporaries;
  bool stored = false;  // it is in its destination already
};

/// stride * index, where 0 <= index < size: a part of a place that is known at run time only.
struct Term {
  Scalar index;
  std::uint32_t stride = 1;
  std::uint32_t size = 1;
  ClassId of = {};  // it is a reference to an object of this class

  [[nodiscard]] WordType type() const {
    return {of.valid() ? WordType::Kind::Reference : WordType::Kind::Int,
            0,
            static_cast<std::int32_t>(size) - 1,
            {},
            of};
  }
};

/// A place among objects. Terms choose the object; within an atomic struct, word terms choose the
/// word.
struct ObjectPlace {
  ObjectKind kind = ObjectKind::Shared;
  ObjectId base;
  std::vector<Term> terms;
  bool within = false;  // inside an object of several words
  std::uint32_t word = 0;
  std::vector<Term> word_terms;
  model::TypeId type;
  std::vector<Slot> temporaries;
};

/// A place in the frame.
struct FramePlace {
  Slot slot = 0;
  std::vector<Term> terms;
  model::TypeId type;
  std::string name;
  std::optional<Scalar> known;  // of a scalar variable: its interval and stability
  bool stable = false;
  std::vector<Slot> temporaries;
};

/// Where a value is wanted: words of the frame with their types. `name` is what traces call a store
/// of them all, `label` the variable or the part of it; temporaries have neither.
struct Destination {
  Slot slot = 0;
  std::optional<Scalar> index;
  std::uint32_t count = 1;
  std::vector<WordType> words;
  TextId name;
  std::string label;
};

/// What happens to the value of an expression: nothing special, stored, or dropped.
struct Want {
  const Destination* destination = nullptr;
  bool drop = false;
};

[[nodiscard]] ExprOp arithmetic_op(model::BinaryOp op);

/// A call that is compared with that of a specification.
struct RecordedCall {
  std::uint32_t specification = 0;
  std::uint32_t method = 0;
  model::ClassId of;
};

class ThreadTable;

/// The argument of a spawned thread if it is a lock, a semaphore or a channel: its place, whose
/// indices are arguments themselves.
using SpawnedHandle = std::optional<ObjectPlace>;

/// What code is specialised to.
struct Instance {
  ThreadId thread;  // invalid: of an invariant or `finally`
  std::optional<std::int32_t> thread_index;
  std::optional<model::ProcessId> process;
  std::optional<std::int32_t> process_index;
  bool is_region = false;  // invariants and finally: one transition anyway
  bool records = true;     // calls are part of the history; those in invariants are not
  // Of a spawned thread:
  std::optional<ObjectId> life;
  bool is_reused = false;
  std::vector<SpawnedHandle> handles;  // by parameter
};

class BodyLowering {
 public:
  /// All must outlive it.
  BodyLowering(Context& context, Expressions& expressions, const ObjectTable& objects,
               ThreadTable& threads, Instance instance);

  [[nodiscard]] Code lower_body(const model::Body& body, SourceRange range);
  [[nodiscard]] Code lower_invariant(const model::Invariant& invariant);
  /// What makes the initial value of a declared object, in an instance of its process.
  [[nodiscard]] Code lower_initialiser(model::ObjectId object, std::uint32_t instance);
  /// Calls for the verification of `commutes`.
  [[nodiscard]] CallCode lower_method(model::FunctionId method);
  [[nodiscard]] CallCode lower_constructor(model::ClassId of);
  [[nodiscard]] CallCode lower_when(model::ClassId of, const model::Commutes& commutes);

 private:
  struct Variable {
    Slot slot = 0;
    std::optional<Scalar> known;
    bool immutable = false;
    std::optional<ObjectPlace> handle;  // a lock, semaphore or channel parameter or `let`
  };
  struct Loop {
    Loop(Label breaks, Label continues) : on_break(breaks), on_continue(continues) {}

    Label on_break;
    Label on_continue;
    std::size_t depth;  // scopes outside the loop's body
    // Of a `for` with constant bounds: its index, which begins at `lo`, and has so many values.
    std::optional<Scalar> index;
    std::int32_t lo = 0;
    std::uint64_t rounds = 0;
  };
  struct Frame {
    const model::Body* body = nullptr;
    std::vector<Variable> variables;
    std::vector<Loop> loops;
    Label exit = 0;
    std::size_t depth = 0;  // scopes outside the call
    std::optional<Destination> result;
    model::TypeId result_type;
    std::optional<Scalar> self;  // `this`
  };
  struct Exit {  // an exit of an atomic region other than its end
    Label target;
    std::size_t depth;
  };
  struct Scope {
    std::vector<Slot> slots;          // reset on exit
    std::optional<ObjectPlace> lock;  // released on exit
    SourceRange range;
    std::optional<Label> region_end;  // an atomic region
    std::optional<Slot> exit_code;
    std::vector<Exit> exits;
    std::size_t first_routine = 0;  // outside the region
  };

  // ---- expression.cpp
  Value lower(model::ExprId expr, Want want = {});
  Value lower_node(model::ExprId id, const model::Expr& expr, Want want);
  Value lower_binary(const model::Expr& expr, const model::Binary& node);
  Value lower_lazy(const model::Expr& expr, const model::Binary& node);
  Value lower_conditional(const model::Expr& expr, const model::Conditional& node, Want want);
  Value lower_struct(const model::StructMake& node);
  Value lower_array(const model::Expr& expr, const model::ArrayMake& node);
  Value lower_choose(const model::Expr& expr, const model::Choose& node, Want want);
  Value lower_set(const model::Expr& expr, const model::SetMake& node);
  Value lower_choose_from(const model::Expr& expr, const model::ChooseFrom& node, Want want);
  Value lower_part(const model::Expr& expr);  // a field or element of a computed value
  void lower_condition(model::ExprId expr, Label if_true, Label if_false);
  /// The value checked to lie in `type`, or wrapped; evaluated now, unless it certainly does and
  /// cannot fail.
  Value converted(Value value, model::TypeId type, SourceRange range);
  Value compare(model::BinaryOp op, Value left, Value right, SourceRange range);
  /// Of integers; wraps if the type is a `mod(N)`.
  Scalar calculate(model::BinaryOp op, const Scalar& a, const Scalar& b, model::TypeId type,
                   SourceRange range);

  // ---- frame.cpp
  Slot allocate_temporaries(const std::vector<WordType>& words, SourceRange range);
  void reset(Slot slot, SourceRange range);
  /// Resets and frees.
  void release(std::vector<Slot>& temporaries, SourceRange range);
  /// Frees `temporaries` now and resets them behind what `work` emits, except those that `work` has
  /// allocated again.
  template <class Work>
  void recycle(std::vector<Slot>& temporaries, SourceRange range, Work&& work);
  /// Evaluates a word into a temporary that takes the place of those it was computed from.
  Scalar materialise(const Scalar& scalar, std::vector<Slot>& temporaries, const WordType& type,
                     Bounds bounds, SourceRange range);
  /// Makes a value safe for what is evaluated before it is used.
  void protect(Value& value, const model::Expr& from, bool code_follows, bool locals_change);
  void protect(Value& value, model::ExprId from, model::ExprId next) {
    protect(value, context_.model.exprs[from], context_.needs_code(next),
            context_.modifies_locals(next));
  }
  Variable& variable(model::LocalId local);
  /// Gives a variable its slots, until the scope is left.
  Variable declare(const model::Local& local, const std::vector<WordType>& words);
  /// The variable that a case of a `select` receives into.
  Destination declare_received(model::LocalId binding);
  Slot scoped_slots(const std::vector<WordType>& words, SourceRange range);
  /// Where `check_now`, indices are checked by instructions of their own, else by the reading
  /// expression.
  FramePlace frame_place(model::ExprId expr, bool check_now);
  Value read_frame(FramePlace place, SourceRange range);
  Destination destination(FramePlace& place, SourceRange range);
  Destination destination(Slot slot, std::vector<WordType> words);  // of temporaries
  Destination destination(Slot slot, std::vector<WordType> words, std::string label,
                          model::TypeId type);
  /// What traces call a store of all words of a variable or of a part of one.
  TextId name_of(const std::string& label, model::TypeId type);
  LocalPlace word_of(const Destination& destination, std::size_t k) const;
  void store(Value value, const Destination& destination, SourceRange range);
  void lower_into(model::ExprId expr, const Destination& destination, SourceRange range);
  /// Where an operation puts its result: the destination if the words fit, else temporaries, which
  /// `value` then consists of.
  std::vector<LocalPlace> results(const std::vector<WordType>& words, Want want, Value& value,
                                  SourceRange range);

  // ---- place.cpp
  ObjectPlace object_place(model::ExprId expr);
  ObjectPlace object_reference(const model::Expr& expr, const model::ObjectRef& node);
  void add_index(std::vector<Term>& terms, std::vector<Slot>& temporaries, std::uint32_t& offset,
                 model::ExprId index, std::uint32_t size, std::uint32_t stride, bool check_now);
  Scalar linear(const std::vector<Term>& terms, std::uint32_t divisor);
  Place place(const ObjectPlace& place, std::uint32_t unit = 0);
  /// Saves in temporaries those terms that later code may change.
  void save_terms(std::vector<Term>& terms, std::vector<Slot>& temporaries, SourceRange range);
  void save_terms(ObjectPlace& place, SourceRange range);
  /// A lock, semaphore or channel whose index is evaluated now and kept until the scope is left.
  ObjectPlace scoped_handle(model::ExprId expr);
  Value read_object(ObjectPlace place, Want want, SourceRange range, bool keep_place);
  void write_object(const ObjectPlace& place, const Value& value, SourceRange range);
  [[nodiscard]] bool is_local(const Place& place) const;
  void emit_read(Read read, SourceRange range);
  void emit_write(Write write, SourceRange range);
  /// Emits, for each word of an atomic struct that the place may be, what is done to that word.
  void for_each_chosen_word(const ObjectPlace& of, SourceRange range,
                            const std::function<void(std::uint32_t word)>& emit);

  // ---- operation.cpp
  Value lower_operation(const model::Expr& expr, const model::Operation& node, Want want);
  Value lower_owned_by(const model::Expr& expr, const model::OwnedBy& node);
  /// The number of the lock's owner plus 1, or 0.
  Value read_owner(ObjectPlace lock, SourceRange range);
  /// index - lo, checked now: it must lie in 0..<size.
  Scalar instance_position(model::ExprId index, std::int32_t lo, std::uint32_t size,
                           std::vector<Slot>& temporaries);
  Value lower_update(const model::Expr& expr, const model::Operation& node, Want want);
  Value lower_send(const model::Expr& expr, const model::Operation& node, Want want);
  Value lower_receive(const model::Expr& expr, const model::Operation& node, Want want);
  /// Emits `make(target)`, an operation that says whether it succeeded.
  template <class Make>
  Value flag_operation(std::vector<Slot>& temporaries, Want want, SourceRange range, Make&& make);
  /// Values that an operation takes: infallible, and inside `type`.
  Value operand(model::ExprId expr, model::TypeId type);
  std::vector<ExprId> expressions_of(const Value& value) const;

  // ---- spawn.cpp
  Value lower_spawn(const model::Expr& expr, const model::Spawn& node, Want want);
  /// The first step of a spawned thread: it takes its arguments.
  void begin_spawned(const model::Body& body, SourceRange range);
  /// Where all loops around this place count: how often it is executed at most, and which time this
  /// is.
  struct Rounds {
    std::uint64_t count = 1;
    std::vector<Term> index;
  };
  [[nodiscard]] std::optional<Rounds> rounds(SourceRange range);

  // ---- heap.cpp
  /// The handle or reference, where it is not null: else that is a violation.
  Scalar not_null(const Scalar& word, const WordType& type, std::vector<Slot>& temporaries,
                  SourceRange range);
  /// Checks that what is stored where `type` stands is not null if it must not be.
  Scalar without_null(const Scalar& word, const WordType& type, std::vector<Slot>& temporaries,
                      SourceRange range);
  /// A reference that is not null.
  Scalar lower_reference(model::ExprId expr, std::vector<Slot>& temporaries);
  ObjectPlace field_place(const model::Expr& expr, const model::FieldRef& node);
  ObjectPlace monitor_place(const model::Expr& expr, const model::MonitorRef& node);
  [[nodiscard]] ObjectPlace monitor_of(const Scalar& self, model::ClassId of) const;
  Value lower_new(const model::Expr& expr, const model::New& node, Want want);
  void emit_new(model::ClassId of, bool unshared, Slot target, SourceRange range);
  /// Fields whose initial values are objects of their own.
  void allocate_fields(const Scalar& self, model::ClassId of);
  /// Evaluates the initialiser anew for each element of the place.
  void initialise_object(ObjectPlace to, model::ExprId initial, SourceRange range);

  // ---- call.cpp
  /// The text of a call, as the name of its value; empty: there is none that is short.
  std::string call_text(SourceRange range) const;
  Value lower_call(const model::Expr& expr, const model::Call& node, Want want);
  Value lower_recorded(const model::Call& node, const model::Function& function,
                       const RecordedCall& recorded, SourceRange range);
  Scalar keep_receiver(model::ExprId receiver, SourceRange range);
  /// What a function or constructor is given, in a scope of its own.
  void pass_arguments(const model::Function& function, const std::vector<model::ExprId>& arguments,
                      Frame& frame);
  void lower_function(model::FunctionId id, Frame frame, SourceRange range);

  // ---- histories.cpp
  [[nodiscard]] std::optional<RecordedCall> recorded_call(
      model::FunctionId function, const std::optional<model::ExprId>& receiver) const;
  [[nodiscard]] Place history_of(const Scalar& self, model::ClassId of);
  void invoke(const RecordedCall& call, const Scalar& self, std::vector<ExprId> arguments,
              SourceRange range);
  void respond(const RecordedCall& call, const Scalar& self, std::vector<ExprId> results,
               SourceRange range);
  /// Of a new object; `constructor` has its arguments.
  void begin_history(const Scalar& self, model::ClassId of, const Frame* constructor,
                     SourceRange range);
  /// Appends the words of the variable that begins there.
  void append_variable(Slot first, model::TypeId type, std::vector<ExprId>& out, SourceRange range);

  // ---- commutes.cpp
  [[nodiscard]] bool takes_lock(const model::Function& function) const;
  /// The first words of the frame, in order.
  Scalar reserve_self(model::ClassId of);
  Slot reserve_value(model::TypeId type, CallCode::Value& value, SourceRange range);
  void reserve_parameters(const model::Function& function, CallCode& call, Frame& frame);
  [[nodiscard]] Code finish_call(SourceRange range);

  // ---- routine.cpp
  /// A function that may call itself: lowered once for all calls in a thread, or in a block, that
  /// pass the same locks.
  struct Routine {
    model::FunctionId function;
    std::vector<std::optional<ObjectPlace>> handles;  // by parameter
    bool has_self = false;
    std::vector<WordType> words;  // what is passed, `this` first
    Slot first = 0;               // where that is
    std::vector<WordType> results;
    Slot result = 0;
    Label entry = 0;
    Label exit = 0;
    std::vector<Label> sites;  // where it is called from
    bool is_lowered = false;
  };
  /// Saved words are put on stacks, one for each kind of words, so that it is known of each what it
  /// can refer to.
  struct Stack {
    WordType type;
    std::uint32_t words = 0;  // of one call
  };
  /// An instruction that stores on a stack, or an expression that reads from it, until it is known
  /// where that lies.
  struct Saved {
    std::size_t stack = 0;
    std::uint32_t word = 0;
    std::optional<Pc> store;
    ExprId load;
  };
  Value call_routine(model::FunctionId function, const std::optional<model::ExprId>& receiver,
                     const std::optional<Scalar>& self, const std::vector<model::ExprId>& arguments,
                     SourceRange range, Want want,
                     const std::optional<RecordedCall>& recorded = {});
  std::size_t routine_of(model::FunctionId function, bool has_self,
                         const std::vector<WordType>& words,
                         const std::vector<std::optional<ObjectPlace>>& handles, SourceRange range);
  std::size_t stack_of(const WordType& type);
  void save(std::size_t stack, std::uint32_t word, const Scalar& value, SourceRange range);
  Scalar saved(std::size_t stack, std::uint32_t word, const WordType& type, SourceRange range);
  /// Code of the routines that were called since `first`.
  void lower_routines(std::size_t first);
  void lower_routine(std::size_t number);
  void return_from(const Routine& routine);
  void lay_out_stacks(SourceRange range);

  // ---- statement.cpp
  void lower_block(const model::Block& block);
  void lower_statement(model::StmtId stmt);
  void lower_node(const model::Stmt& stmt, const model::BlockStmt& node);
  void lower_node(const model::Stmt& stmt, const model::LocalDecl& node);
  void lower_node(const model::Stmt& stmt, const model::Assign& node);
  void lower_node(const model::Stmt& stmt, const model::ExprStmt& node);
  void lower_node(const model::Stmt& stmt, const model::If& node);
  void lower_node(const model::Stmt& stmt, const model::While& node);
  void lower_node(const model::Stmt& stmt, const model::Loop& node);
  void lower_node(const model::Stmt& stmt, const model::For& node);
  void lower_node(const model::Stmt& stmt, const model::Break& node);
  void lower_node(const model::Stmt& stmt, const model::Continue& node);
  void lower_node(const model::Stmt& stmt, const model::Return& node);
  void lower_node(const model::Stmt& stmt, const model::With& node);
  void lower_node(const model::Stmt& stmt, const model::WaitUntil& node);
  void lower_node(const model::Stmt& stmt, const model::Await& node);
  void lower_node(const model::Stmt& stmt, const model::Atomic& node);
  void lower_node(const model::Stmt& stmt, const model::Select& node);
  void lower_guarded(const model::Stmt& stmt, const model::Select& node);
  struct GuardedCase;
  [[nodiscard]] bool closes_such(const ObjectPlace& channel) const;
  [[nodiscard]] bool may_meet(const model::Select& node);
  [[nodiscard]] bool is_rendezvous(model::ExprId channel);
  std::optional<ExprId> guard_of_meeting(model::ExprId guard, SourceRange range,
                                         std::vector<Slot>& used);
  Scalar guarded_lock(const Place& lock, SourceRange range);
  Scalar guarded_permit(const Place& semaphore, SourceRange range);
  Scalar guarded_ready(const model::Select::Case& c, GuardedCase& prepared);
  void lower_node(const model::Stmt& stmt, const model::Match& node);
  void lower_node(const model::Stmt& stmt, const model::Either& node);
  void lower_node(const model::Stmt& stmt, const model::Assert& node);
  void lower_node(const model::Stmt& stmt, const model::Assume& node);
  void lower_node(const model::Stmt& stmt, const model::Fail& node);
  void lower_node(const model::Stmt& stmt, const model::Cover& node);
  void lower_node(const model::Stmt& stmt, const model::Join& node);
  void lower_node(const model::Stmt& stmt, const model::Skip& node);
  void lower_loop_body(const model::Block& body, Loop loop);
  void initialise_array(model::ExprId initial, model::TypeId type, const Destination& to,
                        SourceRange range);
  /// `old op with`: the right side of `x op= with`.
  Value combine(model::BinaryOp op, Value old, model::ExprId with, model::TypeId type,
                SourceRange range);
  void assign_frame(const model::Stmt& stmt, const model::Assign& node);
  void assign_object(const model::Stmt& stmt, const model::Assign& node);
  void check(model::ExprId condition, bool is_assume, const std::string& message,
             SourceRange range);

  void open_scope(SourceRange range);
  void close_scope();
  /// Emits code that leaves all scopes but the outer `depth` and continues at `target`.
  void leave(std::size_t depth, Label target, SourceRange range);
  void open_region(SourceRange range);
  void close_region();
  [[nodiscard]] bool in_region() const;
  /// At a lock or a condition; `timed`: and where to store whether it was notified, if anywhere.
  void wait(const ObjectPlace& target, SourceRange range,
            const std::optional<std::optional<LocalPlace>>& timed = {});
  // Reader-writer locks: read_write.cpp.
  ObjectPlace part_of(const ObjectPlace& rwlock, ObjectId first, std::uint32_t thread,
                      ObjectKind kind) const;
  [[nodiscard]] ObjectPlace readers_lock(const ObjectPlace& rwlock) const;
  [[nodiscard]] ObjectPlace writers_flag(const ObjectPlace& rwlock) const;
  Scalar can_take(const ObjectPlace& rwlock, bool writes, SourceRange range);
  void announce(const ObjectPlace& rwlock, bool waits, SourceRange range);
  /// Returns the lock that was taken, and is to be released.
  ObjectPlace acquire(const ObjectPlace& rwlock, bool writes, SourceRange range);
  Value try_acquire(ObjectPlace rwlock, bool writes, Want want, SourceRange range);
  void describe_region(const ObjectPlace& rwlock, std::string_view operation);
  /// The lock that is freed while a thread waits for this condition.
  [[nodiscard]] ObjectPlace lock_of(const ObjectPlace& condition) const;

  void unsupported(std::string message, SourceRange range) {
    context_.unsupported(std::move(message), range);
    code_.set_unreachable();
  }
  [[nodiscard]] const model::Expr& expr_of(model::ExprId id) const {
    return context_.model.exprs[id];
  }
  [[nodiscard]] bool is_array(model::TypeId type) const {
    return std::holds_alternative<model::ArrayType>(context_.model.types[type]);
  }

  Context& context_;
  Expressions& expressions_;
  const ObjectTable& objects_;
  ThreadTable& threads_;
  Instance instance_;
  CodeBuilder code_;
  std::vector<Frame> frames_;
  std::vector<Scope> scopes_;
  std::vector<Routine> routines_;
  std::size_t first_routine_ = 0;       // that code here may call
  std::optional<std::size_t> routine_;  // whose code is lowered
  bool in_region_of_routine_ = false;
  bool makes_atomic_ = false;          // in a constructor of an atomic class
  bool writes_initial_value_ = false;  // of a field
  std::vector<Stack> stacks_;
  std::vector<Saved> saved_;
  std::optional<Slot> depth_;                      // how many calls of routines the thread is in
  std::pair<std::int32_t, std::int32_t> spawned_;  // the handles of the last spawn
};

template <class Work>
void BodyLowering::recycle(std::vector<Slot>& temporaries, SourceRange range, Work&& work) {
  for (const Slot slot : temporaries)
    code_.free(slot);
  work();
  for (const Slot slot : temporaries)
    if (!code_.in_use(slot)) reset(slot, range);
  temporaries.clear();
}

}  // namespace cml::ir::lowering
