// Methods of atomic classes are one operation on one object: they use the fields of their own
// object, locals and pure functions, and nothing else that is shared (docs/reference.md,
// "Classes").
#include <fmt/format.h>

#include "frontend/sema/rules.h"

namespace cml::sema {
namespace {

void check_method(const RuleContext& context, const CodeBody& code, model::ClassId self) {
  const model::Model& model = context.model;
  const auto report = [&](SourceRange where, const std::string& what) -> Diagnostic& {
    auto& diagnostic = context.reporter.report(
        Code::AtomicMethodEffect, where,
        fmt::format("{} in a method of an atomic class, which is one operation on its own object",
                    what),
        code.note);
    return diagnostic.cure("pass values in and out as arguments and results");
  };
  scan(
      model, code.body->block,
      [&](model::ExprId id, bool) {
        const model::Expr& expr = model.exprs[id];
        const bool object = std::holds_alternative<model::ObjectRef>(expr.node) ||
                            std::holds_alternative<model::FieldRef>(expr.node);
        // What is wrong with a field of the class itself is reported at its declaration.
        const auto* field = std::get_if<model::FieldRef>(&expr.node);
        const bool own_field = field != nullptr && std::holds_alternative<model::ThisRef>(
                                                       model.exprs[field->object].node);
        if (object && !own_field &&
            (expr.storage == model::Storage::Shared || expr.storage == model::Storage::Atomic)) {
          report(expr.range, fmt::format("{} is used", place_name(model, id)));
        } else if (const auto* operation = std::get_if<model::Operation>(&expr.node)) {
          report(expr.range, fmt::format("`{}` is used", model::spelling(operation->op)));
        } else if (std::holds_alternative<model::OwnedBy>(expr.node)) {
          report(expr.range, "`owner` is used");
        } else if (std::holds_alternative<model::New>(expr.node)) {
          report(expr.range, "`new` is used");
        } else if (const auto* call = std::get_if<model::Call>(&expr.node)) {
          const model::Function& callee = model.functions[call->function];
          const bool own =
              callee.owner == self && call->receiver &&
              std::holds_alternative<model::ThisRef>(model.exprs[*call->receiver].node);
          if (own) return;
          const auto& touches = context.effects.of(call->function).touches;
          if (callee.owner || touches) {
            auto& diagnostic = report(expr.range, fmt::format("`{}` is called", callee.name));
            if (touches) diagnostic.also(touches->where, fmt::format("here it {}", touches->what));
          }
        }
      },
      [&](const model::Stmt& stmt) {
        if (std::holds_alternative<model::With>(stmt.node)) report(stmt.range, "`with` is used");
        if (std::holds_alternative<model::Select>(stmt.node))
          report(stmt.range, "`select` is used");
      });
}

}  // namespace

void check_atomic_classes(const RuleContext& context) {
  for (const CodeBody& code : context.bodies) {
    if (!code.function) continue;
    const auto owner = context.model.functions[*code.function].owner;
    if (owner && context.model.classes[*owner].is_atomic) check_method(context, code, *owner);
  }
}

}  // namespace cml::sema
