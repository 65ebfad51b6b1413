// Conditions of `await`, `until`, `when` and `invariant`, and `finally`: pure functions only, and
// nothing that blocks or chooses (docs/reference.md, "Expressions"). Constructors that run for an
// initial value of the model must not wait or choose either, because they are part of the one
// initial state; nor own locks or claim objects, because no thread executes them.
#include <fmt/format.h>

#include "frontend/sema/rules.h"

namespace cml::sema {
namespace {

class Purity {
 public:
  explicit Purity(const RuleContext& context) : context_(context), model_(context.model) {}

  void condition(model::ExprId expr, std::string_view what, NoteId note) {
    what_ = what;
    note_ = note;
    in_finally_ = false;
    scan(model_, expr, [&](model::ExprId part, bool written) { expression(part, written); });
  }

  void finally(const CodeBody& code) {
    what_ = "`finally`";
    note_ = code.note;
    in_finally_ = true;
    scan(
        model_, code.body->block,
        [&](model::ExprId part, bool written) { expression(part, written); },
        [&](const model::Stmt& stmt) { statement(stmt); });
  }

 private:
  Diagnostic& report(SourceRange where, std::string message) {
    return context_.reporter.report(Code::ImpureCondition, where, std::move(message), note_);
  }

  void expression(model::ExprId id, bool written) {
    const model::Expr& expr = model_.exprs[id];
    using model::Storage;
    if (written && expr.storage != Storage::Local && expr.storage != Storage::Value) {
      report(expr.range,
             fmt::format("{} writes {}: it may only read", what_, place_name(model_, id)))
          .cure("compute in a local `var`");
      return;
    }
    if (const auto* operation = std::get_if<model::Operation>(&expr.node)) {
      if (model::only_reads(operation->op)) return;
      report(
          expr.range,
          fmt::format("`{}()` in {}: it may only read, and never block, choose or change anything",
                      model::spelling(operation->op), what_))
          .cure("keep operations out of the condition; wait for one of several with `select`");
    } else if (std::holds_alternative<model::Choose>(expr.node) ||
               std::holds_alternative<model::ChooseFrom>(expr.node)) {
      report(expr.range, fmt::format("`choose` in {}: it may not choose", what_))
          .cure("choose before, into a local");
    } else if (std::holds_alternative<model::New>(expr.node)) {
      report(expr.range, fmt::format("`new` in {}: it may only read", what_));
    } else if (std::holds_alternative<model::Spawn>(expr.node)) {
      report(expr.range, fmt::format("`spawn` in {}: it may only read", what_));
    } else if (const auto callee = called_by(model_, expr)) {
      const Effects& effects = context_.effects.of(*callee);
      const auto& fact = effects.impure ? effects.impure
                         : in_finally_  ? std::nullopt
                                        : effects.stops;
      if (!fact) return;
      report(expr.range, fmt::format("`{}` is called in {}, but it is not pure",
                                     model_.functions[*callee].name, what_))
          .also(fact->where, fmt::format("here it {}", fact->what))
          .cure("only functions that read, compute and return may be called there");
    }
  }

  void statement(const model::Stmt& stmt) {
    const auto forbidden = [&](std::string_view name) {
      report(stmt.range, fmt::format("`{}` in {}: it may not block or choose", name, what_));
    };
    if (std::holds_alternative<model::With>(stmt.node)) {
      report(stmt.range, "`with` in `finally`: it may not block")
          .cure("no lock is needed: all threads have ended");
    } else if (std::holds_alternative<model::WaitUntil>(stmt.node)) {
      forbidden("wait");
    } else if (std::holds_alternative<model::Await>(stmt.node)) {
      forbidden("await");
    } else if (std::holds_alternative<model::Select>(stmt.node)) {
      forbidden("select");
    } else if (std::holds_alternative<model::Either>(stmt.node)) {
      forbidden("either");
    } else if (std::holds_alternative<model::Join>(stmt.node)) {
      forbidden("join");
    } else if (std::holds_alternative<model::Atomic>(stmt.node)) {
      forbidden("atomic");
    }
  }

  const RuleContext& context_;
  const model::Model& model_;
  std::string_view what_;
  NoteId note_;
  bool in_finally_ = false;
};

void check_initial(const RuleContext& context, model::ExprId initial) {
  const model::Model& model = context.model;
  scan(model, initial, [&](model::ExprId part, bool) {
    const model::Expr& expr = model.exprs[part];
    const auto* made = std::get_if<model::New>(&expr.node);
    if (made == nullptr) return;
    Effects effects = context.effects.direct(part);
    for_each_called(model, expr,
                    [&](model::FunctionId callee) { merge(effects, context.effects.of(callee)); });
    const std::string& name = model.classes[made->decl].name;
    if (effects.waits) {
      context.reporter
          .report(
              Code::BlockingInitialiser, expr.range,
              fmt::format("the constructor of `{}` waits or chooses, but this object is part of "
                          "the initial state",
                          name))
          .also(effects.waits->where, fmt::format("here it {}", effects.waits->what))
          .cure("make the object in a thread");
    } else if (effects.personal) {
      context.reporter
          .report(
              Code::BlockingInitialiser, expr.range,
              fmt::format("this `{}` is part of the initial state, which no thread makes, so no "
                          "lock can be owned and no object claimed",
                          name))
          .also(effects.personal->where, fmt::format("here it {}", effects.personal->what))
          .cure("make the object in a thread");
    } else if (effects.posts) {
      context.reporter
          .report(Code::BlockingInitialiser, expr.range,
                  fmt::format("this `{}` is part of the initial state, in which channels are open "
                              "and empty",
                              name))
          .also(effects.posts->where, fmt::format("here it {}", effects.posts->what))
          .cure("make the object in a thread");
    }
  });
}

}  // namespace

void check_purity(const RuleContext& context) {
  const model::Model& model = context.model;
  Purity purity(context);
  for (const CodeBody& code : context.bodies) {
    if (code.is_finally) purity.finally(code);
    scan(
        model, code.body->block, [](model::ExprId, bool) {},
        [&](const model::Stmt& stmt) {
          if (const auto* await = std::get_if<model::Await>(&stmt.node)) {
            purity.condition(await->condition, "the condition of `await`", code.note);
          } else if (const auto* wait = std::get_if<model::WaitUntil>(&stmt.node)) {
            purity.condition(wait->condition, "the condition of `until`", code.note);
          } else if (const auto* select = std::get_if<model::Select>(&stmt.node)) {
            for (const model::Select::Case& c : select->cases) {
              if (!c.guard) continue;
              const bool awaits = c.kind == model::Select::Kind::Await;
              purity.condition(*c.guard,
                               awaits ? "the condition of `await`" : "the condition of `when`",
                               code.note);
            }
          }
        });
  }
  for (const model::Invariant& invariant : model.invariants) {
    purity.condition(invariant.condition, "an invariant", {});
  }
  for (const model::Property& property : model.properties) {
    for (const model::Formula& part : property.parts) {
      if (part.condition.valid()) purity.condition(part.condition, "a property", {});
    }
  }
  for (const model::Class& cls : model.classes) {
    for (const model::Commutes& commutes : cls.commutes) {
      if (commutes.when) purity.condition(*commutes.when, "the condition of `when`", {});
    }
  }
  for (const model::Object& object : model.objects) {
    if (object.initial && !object.owner) check_initial(context, *object.initial);
  }
}

}  // namespace cml::sema
