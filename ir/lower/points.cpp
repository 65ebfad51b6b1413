// Collects points by walking the checked model, so that code that no instance contains is there,
// too. Functions that nothing calls have none: a module of the standard library is not to be used
// up.
#include "ir/lower/points.h"

#include <set>
#include <vector>

#include "frontend/walk.h"

namespace cml::ir::lowering {
namespace {

class PointCollector {
 public:
  explicit PointCollector(Context& context) : context_(context) {}

  void collect(const model::Body& body) {
    visit(body.block);
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
      visit(context_.model.functions[next].body.block);
    }
  }

  void visit(const model::Block& block) {
    for (const model::StmtId stmt : block.statements)
      visit(stmt);
  }

  void visit(model::StmtId id) {
    const model::Stmt& stmt = context_.model.stmts[id];
    const Nesting nesting(context_, stmt.range);
    if (context_.failed()) return;
    const auto* cover = std::get_if<model::Cover>(&stmt.node);
    if (!std::holds_alternative<model::BlockStmt>(stmt.node) && !context_.points.contains(id)) {
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
  for (const model::Finally& final : context.model.finals)
    collector.collect(final.body);
}

}  // namespace cml::ir::lowering
