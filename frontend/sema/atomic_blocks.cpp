// Atomic blocks and the methods of atomic classes: one transition, of which only the first
// operation may block; `wait`, `join` and `spawn` stand nowhere in it (docs/reference.md,
// "Statements").
//
// The walk follows whether an operation may have happened before, through calls by means of a
// summary of each function, which is computed until nothing changes.
#include <fmt/format.h>

#include "frontend/sema/rules.h"
#include "frontend/sema/statement_flow.h"
#include "frontend/walk.h"

namespace cml::sema {
namespace {

using model::ExprId;
using model::Storage;

struct Summary {
  std::optional<Fact> first;      // a blocking operation that may be the first one
  std::optional<Fact> later;      // a blocking operation behind another operation
  std::optional<Fact> forbidden;  // wait, join, spawn, a rendezvous
  bool operates = false;
};

using Summaries = IdVector<model::FunctionId, Summary>;

struct Before {
  bool reachable = true;
  bool operated = false;
  bool by_loop = false;  // operated, but only in an earlier round of a loop
  void join(const Before& other) {
    if (!other.reachable) return;
    const bool here = reachable && operated;
    by_loop = (here && by_loop && (other.by_loop || !other.operated)) || (!here && other.by_loop);
    operated = here || other.operated;
    reachable = true;
  }
};

/// Walks a body or block and hands what it finds to `Summary`; reporting is up to the caller.
class Walk : public StatementFlow<Before> {
 public:
  struct Finding {
    bool forbidden = false;  // else: blocks behind another operation
    bool meets = false;      // forbidden: a rendezvous
    bool by_loop = false;    // behind one of an earlier round
    Fact fact;
    std::optional<SourceRange> inner;  // in the called function
  };

  Walk(const model::Model& model, const Summaries& summaries, std::optional<model::ClassId> self)
      : StatementFlow(model), summaries_(summaries), self_(self) {}

  Summary run(const model::Block& body) {
    Before state;
    block(state, body);
    return summary_;
  }
  const std::vector<Finding>& findings() const { return findings_; }

 protected:
  void evaluate(Before& state, ExprId id) override {
    const model::Expr& expr = model_.exprs[id];
    if (expr.storage == Storage::Handle || expr.storage == Storage::Shared ||
        expr.storage == Storage::Atomic) {
      place(state, id);
      if (expr.storage != Storage::Handle) operate(state);
      return;
    }
    if (const auto* two = std::get_if<model::Binary>(&expr.node)) {
      evaluate(state, two->left);
      if (two->op != model::BinaryOp::And && two->op != model::BinaryOp::Or) {
        evaluate(state, two->right);
        return;
      }
      Before right = state;
      evaluate(right, two->right);
      state.join(right);
    } else if (const auto* choice = std::get_if<model::Conditional>(&expr.node)) {
      evaluate(state, choice->condition);
      Before no = state;
      evaluate(state, choice->if_true);
      evaluate(no, choice->if_false);
      state.join(no);
    } else if (const auto* operation = std::get_if<model::Operation>(&expr.node)) {
      evaluate(state, operation->target);
      for (const ExprId argument : operation->arguments)
        evaluate(state, argument);
      perform(state, *operation, expr.range);
    } else {
      model::for_each_operand(expr, [&](ExprId part) { evaluate(state, part); });
      if (std::holds_alternative<model::Choose>(expr.node) ||
          std::holds_alternative<model::ChooseFrom>(expr.node))
        operate(state);
      if (const auto* spawn = std::get_if<model::Spawn>(&expr.node)) {
        forbid({expr.range, fmt::format("`spawn {}`", model_.threads[spawn->thread].name)});
        operate(state);
      }
      if (const auto callee = called_by(model_, expr)) call(state, *callee, expr.range);
    }
  }

  void assign(Before& state, const model::Assign& node) override {
    const Storage storage = model_.exprs[node.target].storage;
    const bool object = storage == Storage::Shared || storage == Storage::Atomic;
    place(state, node.target);
    if (node.op && object) operate(state);
    evaluate(state, node.value);
    if (object) operate(state);
  }

  void act(Before& state, const model::Stmt& stmt) override {
    if (std::holds_alternative<model::With>(stmt.node)) {
      blocking(state, {keyword(stmt.range, 4), "`with`"});
    } else if (std::holds_alternative<model::Await>(stmt.node)) {
      blocking(state, {stmt.range, "`await`"});
    } else if (const auto* select = std::get_if<model::Select>(&stmt.node)) {
      for (const model::Select::Case& c : select->cases)
        if (c.kind == model::Select::Kind::Send || c.kind == model::Select::Kind::Receive)
          meet(c.target, c.range_of_operation,
               c.kind == model::Select::Kind::Send ? "`send()`" : "`recv()`");
      if (select->otherwise) {
        operate(state);
      } else {
        blocking(state, {keyword(stmt.range, 6), "`select`"});
      }
    } else if (std::holds_alternative<model::Either>(stmt.node)) {
      operate(state);
    } else if (std::holds_alternative<model::Join>(stmt.node)) {
      forbid({stmt.range, "`join`"});
      operate(state);
    } else if (std::holds_alternative<model::WaitUntil>(stmt.node)) {
      forbid({stmt.range, "`wait`"});
      operate(state);
    }
  }

  // What comes back to the head of a loop has operated in an earlier round: then a blocking
  // operation in the loop, its condition included, is not the first one. A round that cannot come
  // back (`loop { c.recv(); break; }`) does not count.
  void before_loop(Before& state, const Loop& loop) override {
    if (state.operated || trying_) return;
    trying_ = true;
    Before behind = state;
    const Before back = once_around(behind, loop);
    trying_ = false;
    if (back.reachable && back.operated) state.operated = state.by_loop = true;
  }
  void after_loop(Before& exit, const Before& back) override {
    if (exit.reachable && back.reachable && back.operated) exit.operated = true;
    exit.by_loop = false;
  }

 private:
  static SourceRange keyword(SourceRange where, std::uint32_t length) {
    return {where.file, where.begin, std::min(where.end, where.begin + length)};
  }

  /// The parts of a place that are evaluated to find it.
  void place(Before& state, ExprId id) {
    const model::Expr& expr = model_.exprs[id];
    if (const auto* field = std::get_if<model::StructField>(&expr.node)) {
      place(state, field->base);
    } else if (const auto* index = std::get_if<model::Index>(&expr.node)) {
      place(state, index->base);
      evaluate(state, index->index);
    } else if (std::holds_alternative<model::ObjectRef>(expr.node) ||
               std::holds_alternative<model::FieldRef>(expr.node) ||
               std::holds_alternative<model::MonitorRef>(expr.node)) {
      model::for_each_operand(expr, [&](ExprId part) { evaluate(state, part); });
    } else if (!std::holds_alternative<model::LocalRef>(expr.node)) {
      evaluate(state, id);
    }
  }

  void operate(Before& state) {
    state.operated = true;
    state.by_loop = false;
    if (state.reachable && !trying_) summary_.operates = true;
  }

  void forbid(Fact fact, std::optional<SourceRange> inner = {}) {
    if (trying_) return;
    if (!summary_.forbidden) summary_.forbidden = fact;
    const bool meets = !rendezvous_of(fact).empty();
    findings_.push_back({true, meets, false, std::move(fact), inner});
  }
  /// An operation on a channel, if that is one without room.
  void meet(ExprId channel, SourceRange where, std::string_view operation) {
    while (const auto* index = std::get_if<model::Index>(&model_.exprs[channel].node))
      channel = index->base;
    const auto& node = model_.exprs[channel].node;
    std::optional<model::ObjectId> object;
    if (const auto* ref = std::get_if<model::ObjectRef>(&node)) object = ref->object;
    if (const auto* field = std::get_if<model::FieldRef>(&node)) object = field->field;
    if (!object) return;  // which one a parameter is depends on the call
    const model::Object& declared = model_.objects[*object];
    if (declared.kind != model::ObjectKind::Channel || declared.capacity > 0) return;
    forbid({where, fmt::format("{} at the rendezvous `{}`", operation, declared.name)});
  }
  /// " at the rendezvous `c`"; empty: the fact is about none.
  static std::string rendezvous_of(const Fact& fact) {
    const std::size_t at = fact.what.find(" at the rendezvous ");
    return at == std::string::npos ? "" : fact.what.substr(at);
  }

  void blocking(Before& state, Fact fact, std::optional<SourceRange> inner = {}) {
    if (trying_) return operate(state);
    if (state.reachable && state.operated) {
      if (!summary_.later) summary_.later = fact;
      findings_.push_back({false, false, state.by_loop, std::move(fact), inner});
    } else if (!summary_.first) {
      summary_.first = std::move(fact);
    }
    operate(state);
  }

  void perform(Before& state, const model::Operation& operation, SourceRange where) {
    Fact fact{where, fmt::format("`{}()`", model::spelling(operation.op))};
    if (operation.op == model::Operator::Wait ||
        operation.op == model::Operator::WaitTimed) {  // it would end the block in the middle
      forbid(std::move(fact));
      operate(state);
      return;
    }
    switch (operation.op) {
      case model::Operator::Send:
      case model::Operator::TrySend:
      case model::Operator::Receive:
      case model::Operator::ReceiveInto:
      case model::Operator::TryReceive:
        meet(operation.target, where, fact.what);
        break;
      default:
        break;
    }
    if (model::info(operation.op).manner == model::Manner::Waits) {
      blocking(state, std::move(fact));
    } else {
      operate(state);
    }
  }

  void call(Before& state, model::FunctionId id, SourceRange where) {
    const model::Function& function = model_.functions[id];
    const Summary& callee = summaries_[id];
    const std::string what = fmt::format("`{}`", function.name);
    const bool is_method = function.owner && model_.classes[*function.owner].is_atomic &&
                           function.owner != self_ && !function.is_init;
    const bool indivisible = function.is_atomic || is_method;
    if (callee.forbidden)
      forbid({where, what + rendezvous_of(*callee.forbidden)}, callee.forbidden->where);
    if (indivisible) {
      const auto& wait = callee.first ? callee.first : callee.later;
      if (wait) {
        blocking(state, {where, what}, wait->where);
      } else {
        operate(state);
      }
      return;
    }
    if (function.is_synchronized) blocking(state, {where, what}, function.range);
    if (callee.first) blocking(state, {where, what}, callee.first->where);
    if (callee.later && !trying_) {
      if (!summary_.later) summary_.later = Fact{where, what};
      findings_.push_back({false, false, false, {where, what}, callee.later->where});
    }
    if (callee.operates) operate(state);
  }

  const Summaries& summaries_;
  std::optional<model::ClassId> self_;
  Summary summary_;
  std::vector<Finding> findings_;
  bool trying_ = false;  // a round of a loop, only to know what it may do
};

Summaries summarize(const model::Model& model) {
  Summaries summaries(model.functions.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const model::FunctionId id : model.functions.ids()) {
      const model::Function& function = model.functions[id];
      const Summary fresh = Walk(model, summaries, function.owner).run(function.body.block);
      Summary& known = summaries[id];
      changed = changed || fresh.first.has_value() != known.first.has_value() ||
                fresh.later.has_value() != known.later.has_value() ||
                fresh.forbidden.has_value() != known.forbidden.has_value() ||
                fresh.operates != known.operates;
      known = fresh;
    }
  }
  return summaries;
}

void report(const RuleContext& context, const Walk& walk, std::string_view where, NoteId note) {
  for (const Walk::Finding& finding : walk.findings()) {
    auto& diagnostic = context.reporter.report(
        finding.forbidden ? Code::AtomicForbidden : Code::AtomicBlocks, finding.fact.where,
        finding.meets
            ? fmt::format("{} in {}: it moves two threads, and this is one transition of one",
                          finding.fact.what, where)
        : finding.forbidden
            ? fmt::format("{} in {}: `wait`, `join` and `spawn` cannot be part of one transition",
                          finding.fact.what, where)
            : fmt::format("{} may block in the middle of {}{}: only its first operation may block",
                          finding.fact.what, where,
                          finding.by_loop ? ", when the loop comes back to it" : ""),
        note);
    if (finding.inner) diagnostic.also(*finding.inner, "here, in the called function");
    if (finding.meets) diagnostic.cure("meet before the block, or give the channel room");
    if (!finding.forbidden) {
      diagnostic.cure(
          finding.by_loop
              ? "put the loop around the block: each round is a transition then"
              : "move it to the beginning, or read what comes before into locals first");
    }
  }
}

/// A call is one transition, so it cannot contain another one that is.
void check_recursion(const RuleContext& context, model::FunctionId id, NoteId note) {
  const model::Model& model = context.model;
  IdVector<model::FunctionId, bool> seen(model.functions.size(), false);
  std::vector<model::FunctionId> work{id};
  while (!work.empty() && !seen[id]) {
    const model::FunctionId at = work.back();
    work.pop_back();
    scan(
        model, model.functions[at].body.block,
        [&](ExprId expr, bool) {
          for_each_called(model, model.exprs[expr], [&](model::FunctionId callee) {
            if (seen[callee]) return;
            seen[callee] = true;
            work.push_back(callee);
          });
        },
        [](const model::Stmt&) {});
  }
  if (!seen[id]) return;
  context.reporter
      .report(Code::AtomicForbidden, model.functions[id].range,
              fmt::format("the atomic function `{}` calls itself", model.functions[id].name), note)
      .cure("make the part that recurs an ordinary function, and call it in an atomic one");
}

}  // namespace

void check_atomic_blocks(const RuleContext& context) {
  const model::Model& model = context.model;
  bool needed = false;
  for (const model::Stmt& stmt : model.stmts) {
    needed = needed || std::holds_alternative<model::Atomic>(stmt.node);
  }
  for (const model::Class& cls : model.classes)
    needed = needed || cls.is_atomic;
  for (const model::Function& function : model.functions)
    needed = needed || function.is_atomic;
  if (!needed) return;
  const Summaries summaries = summarize(model);
  for (const CodeBody& code : context.bodies) {
    std::optional<model::ClassId> self;
    if (code.function) self = model.functions[*code.function].owner;
    scan(
        model, code.body->block, [](ExprId, bool) {},
        [&](const model::Stmt& stmt) {
          const auto* block = std::get_if<model::Atomic>(&stmt.node);
          if (block == nullptr) return;
          Walk walk(model, summaries, self);
          walk.run(block->body);
          report(context, walk, "an atomic block", code.note);
        });
    if (code.function && model.functions[*code.function].is_atomic) {
      Walk walk(model, summaries, self);
      walk.run(code.body->block);
      report(context, walk, "an atomic function", code.note);
      check_recursion(context, *code.function, code.note);
    } else if (self && model.classes[*self].is_atomic) {
      Walk walk(model, summaries, self);
      walk.run(code.body->block);
      report(context, walk, "a method of an atomic class", code.note);
    }
  }
}

}  // namespace cml::sema
