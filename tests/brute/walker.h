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

enum class Flow : std::uint8_t { Next, Break, Continue, Return };

/// A place: a part of a local, or of an object.
struct Place {
  bool local = false;
  std::uint32_t frame = 0;
  model::LocalId variable;
  Leaf leaf;                 // the element; its offset is the first word of the element
  std::uint32_t offset = 0;  // words behind the element's first (atomic structs) or in the local
  model::TypeId type;
  model::Storage storage = model::Storage::Local;
};

class Walker {
 public:
  Walker(const model::Model& model, World& world, Oracle*& oracle, std::set<std::string>& covered)
      : model_(&model), world_(&world), oracle_(&oracle), covered_(&covered) {}

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
  /// Executes the pending operation and goes on to the next; throws Disabled.
  void step();
  /// What `step` would read before it finds itself disabled or not: the accesses of pending guards.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] std::string pending_text() const;

  /// Evaluates without operations (constants, initial values).
  [[nodiscard]] Words constant(model::ExprId id);
  [[nodiscard]] Words default_value(model::TypeId id) const;
  [[nodiscard]] std::uint32_t size(model::TypeId id) const;

  /// Runs a whole body as one step (invariants, finally).
  void run_whole(const model::Body& body);
  [[nodiscard]] bool holds_whole(model::ExprId condition);

  std::optional<Stop> violation;  // of the last step
  /// The violation happened in a function that was called.
  [[nodiscard]] bool in_function() const { return violation && frames_.size() > 1; }

 private:
  struct Frame {
    const model::Body* body = nullptr;
    std::vector<Words> locals;
    std::map<std::uint32_t, Place> aliases;  // lock, semaphore and channel parameters
    std::optional<Words> result;
    std::optional<Place> alias_result;
  };
  class Mark;
  struct Suspend;

  Task<int> main(const model::Body& body);
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
  Task<Flow> select(const model::Stmt& stmt, const model::Select& node);
  Task<Flow> loop(model::StmtId id);
  Task<bool> condition(model::ExprId id);
  Suspend request(Request r);

  Words convert(Words value, model::TypeId from, model::TypeId to) const;
  std::int32_t arithmetic(model::BinaryOp op, std::int64_t a, std::int64_t b) const;
  void work();  // one unit of local work
  Frame& frame() { return frames_.back(); }
  [[nodiscard]] const model::Expr& expr(model::ExprId id) const { return model_->exprs[id]; }

  const model::Model* model_;
  World* world_;
  Oracle** oracle_;
  std::set<std::string>* covered_;

  std::vector<std::int64_t>
      trail_;  // unfinished statements and expressions, with their temporaries
  std::vector<Frame> frames_;
  std::coroutine_handle<> suspended_;
  std::optional<Task<int>> main_;
  int immediate_ = 0;  // inside an atomic block or a condition: operations do not stop
  std::uint64_t work_ = 0;
};

}  // namespace cml::brute
