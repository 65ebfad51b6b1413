// Collects points by walking the checked model, so that code that no instance contains is included.
// Functions that are never called have none: a model need not use all of a library module.
//
// Nor have statements that a correct model does not reach: `fail`, a branch that ends with it, and
// the functions that conditions call, where `return false` must not be reached (`invariant same:
// allSame();`). How often such a function is evaluated is no property of the model either: it
// depends on the reduction in how many states a guard is evaluated. Conditions are those of
// `await`, `until`, `assert`, `assume` and invariants, and all that a `finally` calls. Cover labels
// are asked for by the user, so they have points everywhere.
#include "ir/lower/points.h"

#include <set>
#include <vector>

#include "frontend/walk.h"

namespace cml::ir::lowering {
namespace {

/// The functions that conditions call, directly or not.
class ConditionFunctions {
 public:
  explicit ConditionFunctions(Context& context) : context_(context) {}

  std::set<model::FunctionId> run() {
    for (const model::Stmt& stmt : context_.model.stmts) {
      if (const auto* await = std::get_if<model::Await>(&stmt.node)) visit(await->condition);
      if (const auto* until = std::get_if<model::WaitUntil>(&stmt.node)) visit(until->condition);
      if (const auto* property = std::get_if<model::Assert>(&stmt.node)) visit(property->condition);
      if (const auto* assume = std::get_if<model::Assume>(&stmt.node)) visit(assume->condition);
    }
    for (const model::Invariant& invariant : context_.model.invariants)
      visit(invariant.condition);
    for (const model::Property& property : context_.model.properties)
      for (const model::Formula& part : property.parts)
        if (part.condition.valid()) visit(part.condition);
    for (const model::Finally& final : context_.model.finals)
      visit(final.body.block);
    while (!waiting_.empty()) {
      const model::FunctionId next = waiting_.back();
      waiting_.pop_back();
      visit(context_.model.functions[next].body.block);
    }
    return std::move(found_);
  }

 private:
  void visit(const model::Block& block) {
    for (const model::StmtId id : block.statements) {
      const model::Stmt& stmt = context_.model.stmts[id];
      const Nesting nesting(context_, stmt.range);
      if (context_.failed()) return;
      model::for_each_part(
          stmt, [&](model::ExprId expr) { visit(expr); },
          [&](const model::Block& inner) { visit(inner); });
    }
  }

  void visit(model::ExprId id) {
    const model::Expr& expr = context_.model.exprs[id];
    const Nesting nesting(context_, expr.range);
    if (context_.failed()) return;
    if (const auto* call = std::get_if<model::Call>(&expr.node);
        call != nullptr && found_.insert(call->function).second)
      waiting_.push_back(call->function);
    model::for_each_operand(expr, [&](model::ExprId operand) { visit(operand); });
  }

  Context& context_;
  std::set<model::FunctionId> found_;
  std::vector<model::FunctionId> waiting_;
};

class PointCollector {
 public:
  explicit PointCollector(Context& context)
      : context_(context), of_conditions_(ConditionFunctions(context).run()) {}

  void collect(const model::Body& body) {
    visit_all(body.block);
    finish();
  }
  void collect(model::ExprId expr) {
    visit(expr);
    finish();
  }

 private:
  void finish() {
    while (!waiting_.empty()) {
      const model::FunctionId next = waiting_.back();
      waiting_.pop_back();
      is_to_be_reached_ = !of_conditions_.contains(next);
      visit_all(context_.model.functions[next].body.block);
      is_to_be_reached_ = true;
    }
  }

  [[nodiscard]] bool fails(model::StmtId id) const {
    const auto& node = context_.model.stmts[id].node;
    if (std::holds_alternative<model::Fail>(node)) return true;
    const auto* property = std::get_if<model::Assert>(&node);
    if (property == nullptr) return false;
    const auto* literal =
        std::get_if<model::BoolLiteral>(&context_.model.exprs[property->condition].node);
    return literal != nullptr && !literal->value;
  }

  void visit_all(const model::Block& block) {
    for (const model::StmtId stmt : block.statements)
      visit(stmt);
  }

  /// Of a branch or a loop.
  void visit(const model::Block& block) {
    const bool outside = is_to_be_reached_;
    is_to_be_reached_ = outside && (block.statements.empty() || !fails(block.statements.back()));
    visit_all(block);
    is_to_be_reached_ = outside;
  }

  void visit(model::StmtId id) {
    const model::Stmt& stmt = context_.model.stmts[id];
    const Nesting nesting(context_, stmt.range);
    if (context_.failed()) return;
    const auto* cover = std::get_if<model::Cover>(&stmt.node);
    const bool is_point =
        cover != nullptr || (is_to_be_reached_ && !fails(id) && !stmt.is_implied &&
                             !std::holds_alternative<model::BlockStmt>(stmt.node));
    if (is_point && !context_.points.contains(id)) {
      Point point{stmt.range, {}};
      if (cover != nullptr) point.label = cover->label;
      context_.points.emplace(id, context_.system.points.push(std::move(point)));
    }
    model::for_each_part(
        stmt, [&](model::ExprId expr) { visit(expr); },
        [&](const model::Block& block) { visit(block); });
  }

  void visit(model::ExprId id) {
    const model::Expr& expr = context_.model.exprs[id];
    const Nesting nesting(context_, expr.range);
    if (context_.failed()) return;
    if (const auto* call = std::get_if<model::Call>(&expr.node)) add(call->function);
    if (const auto* make = std::get_if<model::New>(&expr.node))
      if (const auto& init = context_.model.classes[make->decl].init) add(*init);
    model::for_each_operand(expr, [&](model::ExprId operand) { visit(operand); });
  }

  void add(model::FunctionId function) {
    if (seen_.insert(function).second) waiting_.push_back(function);
  }

  Context& context_;
  std::set<model::FunctionId> of_conditions_;
  bool is_to_be_reached_ = true;
  std::set<model::FunctionId> seen_;
  std::vector<model::FunctionId> waiting_;
};

}  // namespace

void make_points(Context& context) {
  PointCollector collector(context);
  for (const model::Thread& thread : context.model.threads)
    collector.collect(thread.body);
  for (const model::Invariant& invariant : context.model.invariants)
    collector.collect(invariant.condition);
  for (const model::Property& property : context.model.properties)
    for (const model::Formula& part : property.parts)
      if (part.condition.valid()) collector.collect(part.condition);
  for (const model::Finally& final : context.model.finals)
    collector.collect(final.body);
}

}  // namespace cml::ir::lowering
