// See effects.h. The scan over-approximates: what stands in a branch that is never taken counts.
#include "frontend/sema/effects.h"

#include <fmt/format.h>

#include "frontend/walk.h"

namespace cml::sema {
namespace {

using model::ExprId;
using model::Storage;

void set(std::optional<Fact>& fact, SourceRange where, const std::string& what) {
  if (!fact) fact = Fact{where, what};
}

/// Calls `visit` for the initial values of the fields of an object that is made, and for those of
/// objects that these make; each class once.
template <class Visit>
void for_each_initial(const model::Model& model, model::ClassId made, Visit visit) {
  IdVector<model::ClassId, bool> seen(model.classes.size(), false);
  std::vector<model::ClassId> pending{made};
  while (!pending.empty()) {
    const model::ClassId id = pending.back();
    pending.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    for (const model::ObjectId field : model.classes[id].fields) {
      const std::optional<ExprId>& initial = model.objects[field].initial;
      if (!initial) continue;
      scan(model, *initial, [&](ExprId part, bool) {
        visit(part);
        const auto* inner = std::get_if<model::New>(&model.exprs[part].node);
        if (inner != nullptr) pending.push_back(inner->decl);
      });
    }
  }
}

class Collector {
 public:
  Collector(const model::Model& model, Effects& effects) : model_(model), effects_(effects) {}

  void expression(ExprId id, bool written) {
    const model::Expr& expr = model_.exprs[id];
    const SourceRange where = expr.range;
    if (written && expr.storage != Storage::Local && expr.storage != Storage::Value) {
      set(effects_.impure, where, fmt::format("writes {}", place_name(model_, id)));
    }
    if (expr.storage == Storage::Shared || expr.storage == Storage::Atomic) {
      set(effects_.touches, where, fmt::format("uses {}", place_name(model_, id)));
    }
    if (const auto* object = std::get_if<model::ObjectRef>(&expr.node)) {
      const model::Object& declared = model_.objects[object->object];
      if (ast::is_memory(declared.kind) && !declared.process) {
        set(effects_.belongs, where, fmt::format("uses `{}`", declared.name));
      }
    } else if (const auto* operation = std::get_if<model::Operation>(&expr.node)) {
      this->operation(*operation, where);
    } else if (const auto* owned = std::get_if<model::OwnedBy>(&expr.node)) {
      look(owned->lock, model::Operator::Owner, where);
    } else if (const auto* object_made = std::get_if<model::New>(&expr.node)) {
      const std::string what = fmt::format("makes a `{}`", model_.classes[object_made->decl].name);
      set(effects_.impure, where, what);
      set(effects_.touches, where, what);
      if (object_made->unshared) set(effects_.personal, where, "claims an object for its thread");
      if (!in_initial_) {
        in_initial_ = true;
        for_each_initial(model_, object_made->decl, [&](ExprId part) { expression(part, false); });
        in_initial_ = false;
      }
    } else if (const auto* spawn = std::get_if<model::Spawn>(&expr.node)) {
      const model::Thread& thread = model_.threads[spawn->thread];
      const std::string what = fmt::format("spawns `{}`", thread.name);
      all(where, what);
      if (!thread.process) set(effects_.belongs, where, what);
    } else if (std::holds_alternative<model::Choose>(expr.node) ||
               std::holds_alternative<model::ChooseFrom>(expr.node)) {
      set(effects_.impure, where, "chooses a value");
      set(effects_.waits, where, "chooses a value");
    } else if (const auto call = called_by(model_, expr)) {
      const model::Function& function = model_.functions[*call];
      if (function.is_synchronized) {
        all(where, fmt::format("calls the synchronized `{}`", function.name));
      }
    }
  }

  void statement(const model::Stmt& stmt) {
    const SourceRange where = stmt.range;
    if (std::holds_alternative<model::With>(stmt.node)) {
      all(where, "takes a lock by `with`");
    } else if (std::holds_alternative<model::WaitUntil>(stmt.node)) {
      all(where, "waits");
    } else if (std::holds_alternative<model::Select>(stmt.node)) {
      all(where, "waits in a `select`");
    } else if (std::holds_alternative<model::Join>(stmt.node)) {
      all(where, "joins a thread");
    } else if (std::holds_alternative<model::Await>(stmt.node)) {
      set(effects_.impure, where, "waits for a condition");
      set(effects_.waits, where, "waits for a condition");
    } else if (std::holds_alternative<model::Either>(stmt.node)) {
      set(effects_.impure, where, "chooses a branch");
      set(effects_.waits, where, "chooses a branch");
    } else if (const auto* block = std::get_if<model::Atomic>(&stmt.node)) {
      set(effects_.impure, where,
          block->label.empty() ? "contains an atomic block" : "has a label");
    } else if (std::holds_alternative<model::Assert>(stmt.node)) {
      set(effects_.stops, where, "asserts");
    } else if (std::holds_alternative<model::Assume>(stmt.node)) {
      set(effects_.stops, where, "assumes");
    } else if (std::holds_alternative<model::Fail>(stmt.node)) {
      set(effects_.stops, where, "fails");
    } else if (std::holds_alternative<model::Cover>(stmt.node)) {
      set(effects_.stops, where, "has a `cover`");
    }
  }

 private:
  void all(SourceRange where, const std::string& what) {
    set(effects_.impure, where, what);
    set(effects_.waits, where, what);
    set(effects_.touches, where, what);
  }

  void look(ExprId lock, model::Operator op, SourceRange where) {
    const std::string what =
        fmt::format("asks for `{}` of {}", model::spelling(op), place_name(model_, lock));
    set(effects_.touches, where, what);
    set(effects_.looks, where, what);
  }

  void operation(const model::Operation& operation, SourceRange where) {
    using model::Manner;
    const Manner manner = model::info(operation.op).manner;
    if (manner == Manner::Looks) return look(operation.target, operation.op, where);
    const std::string place = place_name(model_, operation.target);
    const std::string_view name = model::spelling(operation.op);
    const std::string what = fmt::format("calls {}.{}()", place, name);
    set(effects_.touches, where, what);
    const model::Type& of = model_.type_of(operation.target);
    if (std::holds_alternative<model::LockType>(of) ||
        std::holds_alternative<model::RwLockType>(of) ||
        std::holds_alternative<model::ConditionType>(of))
      set(effects_.personal, where, what);
    if (manner == Manner::Asks)
      set(effects_.asks, where, fmt::format("asks for `{}` of {}", name, place));
    if (model::only_reads(operation.op)) return;
    set(effects_.impure, where, what);
    if (manner == Manner::Waits) set(effects_.waits, where, what);
    if (std::holds_alternative<model::ChannelType>(of)) set(effects_.posts, where, what);
  }

  const model::Model& model_;
  Effects& effects_;
  bool in_initial_ = false;  // of a field of an object that is made
};

}  // namespace

void merge(Effects& effects, const Effects& other) {
  const auto take = [](std::optional<Fact>& mine, const std::optional<Fact>& theirs) {
    if (!mine && theirs) mine = theirs;
  };
  take(effects.impure, other.impure);
  take(effects.stops, other.stops);
  take(effects.waits, other.waits);
  take(effects.touches, other.touches);
  take(effects.asks, other.asks);
  take(effects.looks, other.looks);
  take(effects.belongs, other.belongs);
  take(effects.posts, other.posts);
  take(effects.personal, other.personal);
}

void scan(const model::Model& model, ExprId expr, const OnExpr& on_expr, bool written) {
  on_expr(expr, written);
  // The parts of a place that is written are not themselves written.
  model::for_each_operand(model.exprs[expr],
                          [&](ExprId part) { scan(model, part, on_expr, false); });
}

void scan(const model::Model& model, const model::Block& block, const OnExpr& on_expr,
          const OnStmt& on_stmt) {
  for (const model::StmtId id : block.statements) {
    const model::Stmt& stmt = model.stmts[id];
    on_stmt(stmt);
    const auto* assign = std::get_if<model::Assign>(&stmt.node);
    model::for_each_part(
        stmt,
        [&](ExprId part) {
          scan(model, part, on_expr, assign != nullptr && part == assign->target);
        },
        [&](const model::Block& inner) { scan(model, inner, on_expr, on_stmt); });
  }
}

std::optional<model::FunctionId> called_by(const model::Model& model, const model::Expr& expr) {
  if (const auto* call = std::get_if<model::Call>(&expr.node)) return call->function;
  if (const auto* made = std::get_if<model::New>(&expr.node)) return model.classes[made->decl].init;
  return std::nullopt;
}

void for_each_called(const model::Model& model, const model::Expr& expr, const OnCall& on_call) {
  if (const auto callee = called_by(model, expr)) on_call(*callee);
  const auto* made = std::get_if<model::New>(&expr.node);
  if (made == nullptr) return;
  for_each_initial(model, made->decl, [&](ExprId part) {
    if (const auto callee = called_by(model, model.exprs[part])) on_call(*callee);
  });
}

std::string place_name(const model::Model& model, ExprId place) {
  std::string suffix;
  for (;;) {
    const model::Expr& expr = model.exprs[place];
    if (const auto* index = std::get_if<model::Index>(&expr.node)) {
      suffix.insert(0, "[…]");
      place = index->base;
    } else if (const auto* field = std::get_if<model::StructField>(&expr.node)) {
      const auto* type = std::get_if<model::StructType>(&model.type_of(field->base));
      if (type == nullptr) return "an object";
      suffix.insert(0, "." + model.structs[type->decl].fields[field->field].name);
      place = field->base;
    } else if (const auto* object = std::get_if<model::ObjectRef>(&expr.node)) {
      return fmt::format("`{}{}`", model.objects[object->object].name, suffix);
    } else if (const auto* member = std::get_if<model::FieldRef>(&expr.node)) {
      return fmt::format("`{}{}`", model.objects[member->field].name, suffix);
    } else if (std::holds_alternative<model::LocalRef>(expr.node)) {
      return "a parameter or local";
    } else if (std::holds_alternative<model::MonitorRef>(expr.node)) {
      return "the monitor of an object";
    } else {
      return "an object";
    }
  }
}

EffectTable::EffectTable(const model::Model& model)
    : model_(model), effects_(model.functions.size()) {
  using model::FunctionId;
  IdVector<FunctionId, std::vector<FunctionId>> callers(model.functions.size());
  std::vector<FunctionId> pending;
  for (const FunctionId id : model.functions.ids()) {
    effects_[id] = direct(model.functions[id].body.block);
    const model::Function& function = model.functions[id];
    if (function.is_synchronized) {
      set(effects_[id].personal, function.range, "takes the monitor of its object");
      set(effects_[id].impure, function.range, "takes the monitor of its object");
      set(effects_[id].waits, function.range, "takes the monitor of its object");
    }
    scan(
        model, function.body.block,
        [&](ExprId expr, bool) {
          for_each_called(model, model.exprs[expr],
                          [&](FunctionId callee) { callers[callee].push_back(id); });
        },
        [](const model::Stmt&) {});
    pending.push_back(id);
  }
  while (!pending.empty()) {
    const FunctionId id = pending.back();
    pending.pop_back();
    for (const FunctionId caller : callers[id]) {
      const Effects& from = effects_[id];
      Effects& to = effects_[caller];
      const bool changes = (from.impure && !to.impure) || (from.stops && !to.stops) ||
                           (from.waits && !to.waits) || (from.touches && !to.touches) ||
                           (from.asks && !to.asks) || (from.looks && !to.looks) ||
                           (from.belongs && !to.belongs) || (from.personal && !to.personal);
      if (!changes) continue;
      merge(to, Effects(from));
      pending.push_back(caller);
    }
  }
}

Effects EffectTable::direct(ExprId expr) const {
  Effects effects;
  Collector collector(model_, effects);
  scan(model_, expr, [&](ExprId part, bool written) { collector.expression(part, written); });
  return effects;
}

Effects EffectTable::direct(const model::Block& block) const {
  Effects effects;
  Collector collector(model_, effects);
  scan(
      model_, block, [&](ExprId part, bool written) { collector.expression(part, written); },
      [&](const model::Stmt& stmt) { collector.statement(stmt); });
  return effects;
}

}  // namespace cml::sema
