// One walk over the control flow of a body, for analyses that follow a state along all paths:
// break, continue, return and what never ends are handled here, what the state means by the
// analysis.
//
// `State` has `bool reachable` and `void join(const State&)`, which merges another path's state
// into it. A loop is walked once: `before_loop` gets the loop and adds to the state what earlier
// rounds may have done, which `once_around` finds out by a walk of its own. Cost: linear in the
// body for each level of nested loops.
#pragma once

#include <variant>
#include <vector>

#include "frontend/model.h"

namespace cml::sema {

template <class State>
class StatementFlow {
 public:
  explicit StatementFlow(const model::Model& model) : model_(model) {}
  virtual ~StatementFlow() = default;
  StatementFlow(const StatementFlow&) = delete;
  StatementFlow& operator=(const StatementFlow&) = delete;

 protected:
  /// An expression is evaluated for its value.
  virtual void evaluate(State&, model::ExprId) {}
  virtual void assign(State&, const model::Assign&) {}
  /// The statement itself acts, after its expressions: await, join, wait, select, either, with,
  /// atomic.
  virtual void act(State&, const model::Stmt&) {}
  struct Loop {
    const model::Block& body;
    const model::ExprId* condition;  // of `while`
    bool counted;                    // `for`
  };
  virtual void before_loop(State&, const Loop&) {}
  /// `exit`: behind the loop; `back`: where control goes back to its head.
  virtual void after_loop(State& exit, const State& back) {
    static_cast<void>(exit);
    static_cast<void>(back);
  }
  virtual void leave(State&, SourceRange) {}  // return
  /// A statement in a block, with the state before it.
  virtual void visit(const State&, const model::Stmt&, bool) {}

  void block(State& state, const model::Block& b);
  void statement(State& state, const model::Stmt& stmt);
  /// One round: makes `state` the one behind the loop, and returns the one with which control goes
  /// back to its head.
  State once_around(State& state, const Loop& loop);

  const model::Model& model_;

 private:
  struct Jumps {
    State breaks;
    State continues;
  };

  static State nowhere(const State& like) {
    State state = like;
    state.reachable = false;
    return state;
  }
  void loop(State& state, const Loop& loop);
  template <class Blocks>
  void branches(State& state, const Blocks& blocks);

  std::vector<Jumps> loops_;
};

template <class State>
void StatementFlow<State>::block(State& state, const model::Block& b) {
  for (const model::StmtId id : b.statements) {
    visit(state, model_.stmts[id], id == b.statements.front());
    statement(state, model_.stmts[id]);
  }
}

template <class State>
State StatementFlow<State>::once_around(State& state, const Loop& loop) {
  bool endless = !loop.counted;
  if (loop.condition != nullptr) {
    evaluate(state, *loop.condition);
    const auto* known = std::get_if<model::BoolLiteral>(&model_.exprs[*loop.condition].node);
    endless = known != nullptr && known->value;
  }
  loops_.push_back({nowhere(state), nowhere(state)});
  State back = state;
  block(back, loop.body);
  const Jumps jumps = loops_.back();
  loops_.pop_back();
  back.join(jumps.continues);
  if (endless) {
    state = jumps.breaks;
  } else {
    state.join(back);
    state.join(jumps.breaks);
  }
  return back;
}

template <class State>
void StatementFlow<State>::loop(State& state, const Loop& loop) {
  before_loop(state, loop);
  const State back = once_around(state, loop);
  after_loop(state, back);
}

template <class State>
template <class Blocks>
void StatementFlow<State>::branches(State& state, const Blocks& blocks) {
  State after = nowhere(state);
  for (const model::Block* b : blocks) {
    State taken = state;
    block(taken, *b);
    after.join(taken);
  }
  state = after;
}

template <class State>
void StatementFlow<State>::statement(State& state, const model::Stmt& stmt) {
  if (const auto* node = std::get_if<model::BlockStmt>(&stmt.node)) {
    block(state, node->block);
  } else if (const auto* local = std::get_if<model::LocalDecl>(&stmt.node)) {
    if (local->initial) evaluate(state, *local->initial);
  } else if (const auto* store = std::get_if<model::Assign>(&stmt.node)) {
    assign(state, *store);
  } else if (const auto* alone = std::get_if<model::ExprStmt>(&stmt.node)) {
    evaluate(state, alone->expr);
  } else if (const auto* choice = std::get_if<model::If>(&stmt.node)) {
    State after = nowhere(state);
    for (const model::If::Arm& arm : choice->arms) {
      evaluate(state, arm.condition);
      State taken = state;
      block(taken, arm.body);
      after.join(taken);
    }
    if (choice->otherwise) block(state, *choice->otherwise);
    state.join(after);
  } else if (const auto* repeat = std::get_if<model::While>(&stmt.node)) {
    loop(state, {repeat->body, &repeat->condition, false});
  } else if (const auto* forever = std::get_if<model::Loop>(&stmt.node)) {
    loop(state, {forever->body, nullptr, false});
  } else if (const auto* counted = std::get_if<model::For>(&stmt.node)) {
    evaluate(state, counted->lo);
    evaluate(state, counted->hi);
    loop(state, {counted->body, nullptr, true});
  } else if (std::holds_alternative<model::Break>(stmt.node)) {
    if (!loops_.empty()) loops_.back().breaks.join(state);
    state.reachable = false;
  } else if (std::holds_alternative<model::Continue>(stmt.node)) {
    if (!loops_.empty()) loops_.back().continues.join(state);
    state.reachable = false;
  } else if (const auto* result = std::get_if<model::Return>(&stmt.node)) {
    if (result->value) evaluate(state, *result->value);
    leave(state, stmt.range);
    state.reachable = false;
  } else if (const auto* held = std::get_if<model::With>(&stmt.node)) {
    evaluate(state, held->lock);
    act(state, stmt);
    block(state, held->body);
  } else if (const auto* wait = std::get_if<model::WaitUntil>(&stmt.node)) {
    evaluate(state, wait->target);
    act(state, stmt);
  } else if (std::holds_alternative<model::Await>(stmt.node)) {
    act(state, stmt);
  } else if (const auto* indivisible = std::get_if<model::Atomic>(&stmt.node)) {
    act(state, stmt);
    block(state, indivisible->body);
  } else if (const auto* match = std::get_if<model::Match>(&stmt.node)) {
    evaluate(state, match->value);
    std::vector<const model::Block*> bodies;
    for (const model::Match::Case& c : match->cases)
      bodies.push_back(&c.body);
    if (match->otherwise) bodies.push_back(&*match->otherwise);
    if (!bodies.empty()) branches(state, bodies);
  } else if (const auto* alternatives = std::get_if<model::Select>(&stmt.node)) {
    for (const model::Select::Case& c : alternatives->cases) {
      if (c.target.valid()) evaluate(state, c.target);
      if (c.value) evaluate(state, *c.value);
    }
    act(state, stmt);
    std::vector<const model::Block*> bodies;
    for (const model::Select::Case& c : alternatives->cases)
      bodies.push_back(&c.body);
    if (alternatives->otherwise) bodies.push_back(&*alternatives->otherwise);
    if (!bodies.empty()) branches(state, bodies);
  } else if (const auto* either = std::get_if<model::Either>(&stmt.node)) {
    act(state, stmt);
    std::vector<const model::Block*> bodies;
    for (const model::Block& b : either->branches)
      bodies.push_back(&b);
    if (!bodies.empty()) branches(state, bodies);
  } else if (const auto* assertion = std::get_if<model::Assert>(&stmt.node)) {
    evaluate(state, assertion->condition);
  } else if (const auto* assumption = std::get_if<model::Assume>(&stmt.node)) {
    evaluate(state, assumption->condition);
    const auto* known = std::get_if<model::BoolLiteral>(&model_.exprs[assumption->condition].node);
    if (known != nullptr && !known->value) state.reachable = false;
  } else if (std::holds_alternative<model::Fail>(stmt.node)) {
    state.reachable = false;
  } else if (const auto* join = std::get_if<model::Join>(&stmt.node)) {
    evaluate(state, join->handle);
    act(state, stmt);
  }
}

}  // namespace cml::sema
