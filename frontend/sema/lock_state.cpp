// Who may ask what about a lock (docs/reference.md, "Shared state" and "Properties"). `m.held` is
// about the thread that asks: in an invariant, in `finally` and in the condition of `when` there is
// none. `m.owner` and `m.free` look from outside: in the code of a thread the answer would be out
// of date at once, and that code would depend on it all the same. Both reach through calls.
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/sema/rules.h"

namespace cml::sema {
namespace {

class LockState {
 public:
  explicit LockState(const RuleContext& context) : context_(context), model_(context.model) {}

  /// Code that no thread runs: `held` has no meaning there.
  void nobody_asks(model::ExprId id, std::string_view where, NoteId note) {
    const model::Expr& expr = model_.exprs[id];
    const std::string cure =
        "ask whether a certain thread owns it, `….owner == T`, or whether nobody does, `….free`";
    const auto* operation = std::get_if<model::Operation>(&expr.node);
    if (has_manner(operation, model::Manner::Asks)) {
      context_.reporter
          .report(Code::HeldByNobody, expr.range,
                  fmt::format("`{}` in {}: it says whether the thread that asks owns the lock, "
                              "and no thread asks here",
                              model::spelling(operation->op), where),
                  note)
          .cure(cure);
    } else if (const auto callee = called_by(model_, expr)) {
      const auto& fact = context_.effects.of(*callee).asks;
      if (!fact) return;
      report_call(Code::HeldByNobody, expr,
                  fmt::format("`{}` is called in {}, but it asks whether the calling thread owns a "
                              "lock, and no thread asks here",
                              model_.functions[*callee].name, where),
                  *fact, note)
          .cure(cure);
    }
  }

  /// Code that is neither an invariant nor `finally`: it cannot look from outside.
  void nobody_looks(model::ExprId id, std::string_view where, NoteId note) {
    const model::Expr& expr = model_.exprs[id];
    const std::string cure =
        "a thread asks `….held` for its own locks, and takes a lock if it is free by "
        "`….tryAcquire()`";
    if (const auto what = looked_at(expr); !what.empty()) {
      context_.reporter
          .report(Code::LockSeenByThread, expr.range,
                  fmt::format("`{}` in {}: only invariants and `finally` look at a lock from "
                              "outside",
                              what, where),
                  note)
          .cure(cure);
    } else if (const auto callee = called_by(model_, expr)) {
      const auto& fact = context_.effects.of(*callee).looks;
      if (!fact) return;
      report_call(Code::LockSeenByThread, expr,
                  fmt::format("`{}` is called in {}, but it looks at a lock from outside, as only "
                              "invariants and `finally` may",
                              model_.functions[*callee].name, where),
                  *fact, note)
          .cure(cure);
    }
  }

 private:
  /// A call of a function that establishes a fact, with the place where it does.
  Diagnostic& report_call(Code code, const model::Expr& expr, std::string message, const Fact& fact,
                          NoteId note) {
    return context_.reporter.report(code, expr.range, std::move(message), note)
        .also(fact.where, fmt::format("here it {}", fact.what));
  }

  static bool has_manner(const model::Operation* operation, model::Manner manner) {
    return operation != nullptr && model::info(operation->op).manner == manner;
  }

  static std::string_view looked_at(const model::Expr& expr) {
    if (std::holds_alternative<model::OwnedBy>(expr.node))
      return model::spelling(model::Operator::Owner);
    const auto* operation = std::get_if<model::Operation>(&expr.node);
    return has_manner(operation, model::Manner::Looks) ? model::spelling(operation->op)
                                                       : std::string_view();
  }

  const RuleContext& context_;
  const model::Model& model_;
};

}  // namespace

void check_lock_state(const RuleContext& context) {
  const model::Model& model = context.model;
  LockState rules(context);
  for (const CodeBody& code : context.bodies) {
    if (code.function) continue;  // it depends on who calls it
    scan(
        model, code.body->block,
        [&](model::ExprId part, bool) {
          if (code.is_finally)
            rules.nobody_asks(part, "`finally`", code.note);
          else
            rules.nobody_looks(part, "the code of a thread", code.note);
        },
        [](const model::Stmt&) {});
  }
  for (const model::Invariant& invariant : model.invariants)
    scan(model, invariant.condition,
         [&](model::ExprId part, bool) { rules.nobody_asks(part, "an invariant", {}); });
  for (const model::Property& property : model.properties)
    for (const model::Formula& part : property.parts)
      if (part.condition.valid())
        scan(model, part.condition,
             [&](model::ExprId expr, bool) { rules.nobody_asks(expr, "a property", {}); });
  const auto neither = [&](model::ExprId expr, std::string_view where) {
    scan(model, expr, [&](model::ExprId part, bool) {
      rules.nobody_asks(part, where, {});
      rules.nobody_looks(part, where, {});
    });
  };
  for (const model::Class& cls : model.classes)
    for (const model::Commutes& commutes : cls.commutes)
      if (commutes.when) neither(*commutes.when, "the condition of `when`");
  for (const model::Object& object : model.objects)
    if (object.initial && !object.owner) neither(*object.initial, "an initial value");
}

}  // namespace cml::sema
