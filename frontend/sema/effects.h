// What each function may do, with the functions that it calls: the facts behind the rules about
// conditions, atomic classes, initial values and processes.
//
// A fact is the first place in the text that establishes it, so that a message can show it. Facts
// of one body are collected by a scan; then they travel from callees to callers until nothing
// changes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/model.h"

namespace cml::sema {

struct Fact {
  SourceRange where;
  std::string what;  // "writes `x`", "calls `m.acquire()`"
};

struct Effects {
  std::optional<Fact> impure;    // writes objects, synchronises, chooses, allocates
  std::optional<Fact> stops;     // assert, assume, fail, cover
  std::optional<Fact> waits;     // blocks, chooses or spawns
  std::optional<Fact> touches;   // reads or writes any object, or operates on one
  std::optional<Fact> asks;      // whether the calling thread owns a lock
  std::optional<Fact> looks;     // at who owns a lock, from outside
  std::optional<Fact> belongs;   // uses memory or threads of the top-level process
  std::optional<Fact> posts;     // sends to a channel, takes from it or closes it
  std::optional<Fact> personal;  // owns locks, or claims an object: means nothing without a thread
};

/// Takes over from `other` what is not yet known.
void merge(Effects& effects, const Effects& other);

class EffectTable {
 public:
  explicit EffectTable(const model::Model& model);

  [[nodiscard]] const Effects& of(model::FunctionId function) const { return effects_[function]; }
  /// The facts that an expression or block establishes itself, without those of what it calls. The
  /// initial values of fields are part of `new`.
  [[nodiscard]] Effects direct(model::ExprId expr) const;
  [[nodiscard]] Effects direct(const model::Block& block) const;

 private:
  const model::Model& model_;
  IdVector<model::FunctionId, Effects> effects_;
};

/// All expressions below `expr` or in `block`, outermost first. An expression that is the target of
/// an assignment is passed with `written`.
using OnExpr = std::function<void(model::ExprId, bool written)>;
using OnStmt = std::function<void(const model::Stmt&)>;
void scan(const model::Model& model, model::ExprId expr, const OnExpr& on_expr,
          bool written = false);
void scan(const model::Model& model, const model::Block& block, const OnExpr& on_expr,
          const OnStmt& on_stmt);

/// The functions that evaluating this expression node itself calls: a call, or the constructor of
/// `new`.
[[nodiscard]] std::optional<model::FunctionId> called_by(const model::Model& model,
                                                         const model::Expr& expr);
/// The same with those that the initial values of fields call.
using OnCall = std::function<void(model::FunctionId)>;
void for_each_called(const model::Model& model, const model::Expr& expr, const OnCall& on_call);

/// "`x`", "`fork[…]`": how a place is called in messages.
[[nodiscard]] std::string place_name(const model::Model& model, model::ExprId place);

}  // namespace cml::sema
