// One thread of a brute-force run: a coroutine that walks the statements of its body.
#pragma once

#include <coroutine>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/brute/task.h"
#include "tests/brute/world.h"

namespace cml::brute {

class KeyText;
class Names;

/// Calls inside each other, unless asked otherwise (`--max-stack`).
constexpr std::size_t kMaxStack = 500;

enum class Flow : std::uint8_t { Next, Break, Continue, Return };

/// A place: a part of a local, or of an object.
struct Place {
  bool local = false;
  std::uint32_t frame = 0;
  model::LocalId variable;
  Leaf leaf;                 // the element; its offset is the first word of the element
  std::uint32_t offset = 0;  // words behind the element's first (atomic structs) or in the local
  bool inside = false;       // a part of what is one object or a local
  model::TypeId type;
  model::Storage storage = model::Storage::Local;
};

class Walker {
 public:
  Walker(const model::Model& model, World& world, Oracle*& oracle, std::set<std::string>& covered,
         std::size_t max_stack)
      : model_(&model),
        world_(&world),
        oracle_(&oracle),
        covered_(&covered),
        max_stack_(max_stack) {}

  // Who it is.
  int number = 0;
  std::string name;
  bool daemon = false;
  std::int32_t index = 0, process = 0;

  enum class Status : std::uint8_t { Fresh, Pending, Ended, Stopped, Assumed, Diverged };
  Status status = Status::Fresh;
  Request pending;
  SourceRange begun;  // the statement or expression that was begun last

  /// Runs the local beginning, up to the first operation.
  void begin(const model::Body& body);
  /// A spawned thread: stands before its first step.
  void begin_spawned(const model::Thread& thread, Words arguments,
                     std::map<std::uint32_t, Place> handles);
  /// The locks and the like that the arguments of a `spawn` are, which it is about to execute.
  std::map<std::uint32_t, Place> passed;
  /// Whether it has this handle, or may have.
  [[nodiscard]] bool refers_to(std::int32_t handle) const;
  /// Executes the pending operation and goes on to the next; throws Disabled.
  void step();
  /// What a pending condition reads, and with which locks held.
  [[nodiscard]] std::vector<Access> guard_accesses() const;
  /// Where it stands; what it refers to gets names.
  [[nodiscard]] std::string key(Names& names) const;
  [[nodiscard]] std::string pending_text() const;

  /// Evaluates without operations (constants, initial values).
  [[nodiscard]] Words constant(model::ExprId id);
  [[nodiscard]] std::uint32_t size(model::TypeId id) const { return world_->kinds().size(id); }
  /// Gives an object of the initial state its value.
  void initialise_now(model::ObjectId id);

  /// Makes an object, and calls a method, as one step.
  std::int32_t make_alone(model::ClassId cls, const Words& arguments);
  Words call_alone(model::FunctionId function, std::int32_t self, const Words& arguments);

  bool records = true;  // calls are logged
  /// The pending operation begins a call.
  [[nodiscard]] bool begins_call() const { return calling_.has_value(); }

  /// Runs a whole body as one step (invariants, finally).
  void run_whole(const model::Body& body);
  [[nodiscard]] bool holds_whole(model::ExprId condition);

  std::optional<Stop> violation;  // of the last step
  /// The violation happened in a function that was called.
  [[nodiscard]] bool in_function() const { return violation && frames_.size() > 1; }

  /// What it waits at, if that is a block, an `await`, or a `select` with guards.
  [[nodiscard]] std::string block_text() const;

 private:
  struct Frame {
    const model::Body* body = nullptr;
    std::vector<Words> locals;
    std::map<std::uint32_t, Place> aliases;  // lock, semaphore and channel parameters
    std::optional<Words> result;
    std::optional<model::TypeId> result_type;
    std::int32_t self = 0;  // `this`
  };
  class Mark;
  struct Suspend;

  Task<int> main(const model::Body& body);
  Task<int> spawned(const model::Thread& thread, Words arguments,
                    std::map<std::uint32_t, Place> handles);
  Task<Words> spawn(model::ExprId id, const model::Spawn& node);
  void finish_resume();

  Task<Flow> exec(const model::Block& block);
  Task<Flow> exec(model::StmtId id);
  Task<Words> eval(model::ExprId id);
  Task<Words> eval_as(model::ExprId id, model::TypeId target);
  Task<Place> place(model::ExprId id);
  Task<Words> load(Place place);
  Task<int> store(Place place, Words value);
  Task<Words> operation(const model::Expr& expr, const model::Operation& node);
  Task<Words> owned_by(const model::OwnedBy& node);
  Task<Words> call(const model::Expr& expr, const model::Call& node);
  Task<int> arguments(const std::vector<model::ExprId>& arguments, const model::Function& function,
                      Frame& callee);
  /// Of the function whose frame is the last.
  Task<Words> run(model::FunctionId function, const model::Expr& at, bool is_operation);
  void enter(Frame callee);
  Task<Words> make(const model::Expr& expr, const model::New& node);
  /// Makes an object; the frame is that of its constructor.
  Task<int> construct(model::ClassId cls, bool unshared);
  Task<Words> whole_call(model::FunctionId function);
  void begin_log(model::ClassId cls, std::int32_t self);
  void enter_with(model::FunctionId function, std::int32_t self, const Words& arguments);
  Task<int> initialise(model::ObjectId id, std::int32_t reference);
  Task<int> initialise(Place place, model::ExprId initial);
  Task<Words> reference(model::ExprId id);
  Task<Flow> atomically(const model::Block& block);
  Task<Flow> select(const model::Stmt& stmt, const model::Select& node);
  /// Is there a condition to wait for in the block?
  [[nodiscard]] bool waits_inside(const SourceRange& block) const;
  Task<Flow> guarded(const model::Stmt& stmt, const model::Select& node);
  Task<Flow> meeting(const model::Stmt& stmt, const model::Select& node,
                     std::vector<SelectCase> cases);
  Task<Flow> loop(model::StmtId id);
  Task<bool> condition(model::ExprId id);
  Task<Words> request(Request r);
  Suspend suspend(Request r);
  /// A call that is logged begins with its first operation, if that is one that is always visible.
  [[nodiscard]] bool begins_with(const Request& r) const;
  Task<int> begin_call();
  void operate(const Request& r, Words& result);

  Words convert(Words value, model::TypeId from, model::TypeId to) const;
  static std::int32_t of_sets(model::BinaryOp op, std::int32_t a, std::int32_t b,
                              const model::SetType& type);
  std::int32_t arithmetic(model::BinaryOp op, std::int64_t a, std::int64_t b,
                          model::TypeId of) const;
  void work();  // one unit of local work
  void work_anew() {
    work_ = 0;
    deepest_ = frames_.size();
  }
  [[nodiscard]] bool prefers_writers(const Leaf& rwlock) const {
    return model_->objects[model::ObjectId(rwlock.object)].prefers_writers;
  }
  [[nodiscard]] bool is_alias(model::TypeId type) const;
  /// Moves a place to a part of it.
  void move(Place& place, std::uint32_t distance) const;
  [[nodiscard]] bool is_plain(const Place& place) const;
  [[nodiscard]] Words& words_of(const Place& place);
  Frame& frame() { return frames_.back(); }
  [[nodiscard]] const model::Expr& expr(model::ExprId id) const { return model_->exprs[id]; }

  const model::Model* model_;
  World* world_;
  Oracle** oracle_;
  std::set<std::string>* covered_;

  std::vector<std::int64_t>
      trail_;  // unfinished statements and expressions, with their temporaries
  std::vector<Frame> frames_;
  std::optional<Request> calling_;  // a call that has not begun
  SourceRange calls_at_;            // where
  std::coroutine_handle<> suspended_;
  std::optional<Task<int>> main_;
  int immediate_ = 0;  // inside an atomic block or a condition: operations do not stop
  std::uint64_t work_ = 0;
  std::size_t deepest_ = 0;  // calls inside each other, since the last operation
  std::size_t max_stack_;
  const model::Stmt* waits_at_ = nullptr;      // an `await`, a `select` or a block
  const model::Function* waits_in_ = nullptr;  // an atomic function
  bool guard_only_ = false;                    // goes no further than a condition
};

}  // namespace cml::brute
