// `select`: each case is one operation that may block, with what follows when it goes
// (docs/reference.md, "Statements").
#include <algorithm>
#include <fmt/format.h>

#include "frontend/sema/sema.h"
#include "frontend/walk.h"

namespace cml::sema {
namespace {

/// An operation on a channel without room. Which one a parameter is depends on the call.
bool is_at_rendezvous(const model::Model& model, const model::Select::Case& c) {
  if (c.kind != model::Select::Kind::Send && c.kind != model::Select::Kind::Receive) return false;
  ExprId channel = c.target;
  while (const auto* index = std::get_if<model::Index>(&model.exprs[channel].node))
    channel = index->base;
  const auto& node = model.exprs[channel].node;
  std::optional<model::ObjectId> object;
  if (const auto* ref = std::get_if<model::ObjectRef>(&node)) object = ref->object;
  if (const auto* field = std::get_if<model::FieldRef>(&node)) object = field->field;
  return object && model.objects[*object].kind == model::ObjectKind::Channel &&
         model.objects[*object].capacity == 0;
}

bool asks_locals_only(const model::Model& model, ExprId id) {
  const model::Expr& expr = model.exprs[id];
  bool result = expr.storage != model::Storage::Shared && expr.storage != model::Storage::Atomic &&
                !std::holds_alternative<model::Operation>(expr.node) &&
                !std::holds_alternative<model::Call>(expr.node);
  model::for_each_operand(expr,
                          [&](ExprId part) { result = result && asks_locals_only(model, part); });
  return result;
}

}  // namespace

void Sema::select(const ast::SelectStmt& node, SourceRange range, model::Block& into) {
  model::Select result;
  if (node.cases.empty()) {
    report(Code::BadSelect, range, "a `select` without a case: nothing could ever go")
        .cure("add a case such as `case x = c.recv():`");
  }
  if (node.defaults.size() > 1) {
    report(Code::BadSelect, node.defaults[1].range, "a second `default`; there is at most one")
        .also(node.defaults[0].range, "the first one");
  } else if (!node.defaults.empty() && !node.default_last) {
    report(Code::BadSelect, node.defaults[0].range, "`default` stands before a case; it comes last")
        .cure("move it to the end of the `select`");
  }
  for (const ast::SelectStmt::Case& c : node.cases) {
    if (auto checked = select_case(c)) result.cases.push_back(std::move(*checked));
  }
  check_guards(result);
  for (const ast::Block& last : node.defaults) {
    model::Block body = block(last);
    if (!result.otherwise) result.otherwise = std::move(body);
  }
  push_stmt(into, range, std::move(result));
}

/// Who meets another thread does not look at objects in the same transition.
void Sema::check_guards(const model::Select& select) {
  if (std::none_of(select.cases.begin(), select.cases.end(),
                   [this](const auto& c) { return is_at_rendezvous(model_, c); }))
    return;
  for (const model::Select::Case& c : select.cases) {
    if (!c.guard || is_error(*c.guard) || asks_locals_only(model_, *c.guard)) continue;
    report(Code::BadSelect, range_of(*c.guard),
           "a guard beside a rendezvous that asks for more than locals")
        .cure("read it into a local before the `select`");
  }
}

std::optional<model::Select::Case> Sema::select_case(const ast::SelectStmt::Case& c) {
  using model::Operator;
  model::Select::Case result;
  result.range = c.range;
  if (c.is_await) {
    result.kind = model::Select::Kind::Await;
    result.guard = guard(c.operation, "`await`");
    result.body = block(c.body);
    return result;
  }
  if (c.guard) result.guard = guard(*c.guard, "`when`");
  const ExprId checked = expression(c.operation);
  const auto* operation = std::get_if<model::Operation>(&model_.exprs[checked].node);
  TypeId received = error_;
  bool good = !is_error(checked);
  if (good) {
    const Operator op = operation != nullptr ? operation->op : Operator::Held;
    switch (op) {
      case Operator::Receive:
        result.kind = model::Select::Kind::Receive;
        received = type_of(checked);
        break;
      case Operator::Send:
        result.kind = model::Select::Kind::Send;
        if (!operation->arguments.empty()) result.value = operation->arguments.front();
        break;
      case Operator::Down:
        result.kind = model::Select::Kind::Down;
        break;
      case Operator::Acquire:
        result.kind = model::Select::Kind::Acquire;
        break;
      default:
        report(Code::BadSelectCase, range_of(checked),
               "a case of `select` is `[x =] c.recv()`, `c.send(e)`, `s.down()` or `m.acquire()`")
            .cure("wait for a condition with `case await e:`");
        good = false;
        break;
    }
    if (good) result.target = operation->target;
    result.range_of_operation = range_of(checked);
  }
  const bool is_void = good && as<model::VoidType>(received) != nullptr;
  if (good && c.binding && (result.kind != model::Select::Kind::Receive || is_void)) {
    report(Code::BadSelect, c.binding->range,
           is_void ? fmt::format("`{} =` before a receive of nothing: this channel carries no "
                                 "values",
                                 c.binding->text)
                   : fmt::format("`{} =` before an operation that returns nothing: only `recv` "
                                 "does",
                                 c.binding->text));
  }
  if (is_void) received = error_;
  const std::size_t mark = context_->names.size();
  if (c.binding && !c.binding->text.empty()) {
    if (as<model::IntType>(received) != nullptr) received = int_;
    const model::LocalId local = declare_local(*c.binding, received, true, false);
    if (result.kind == model::Select::Kind::Receive) result.binding = local;
  }
  result.body = block(c.body);
  context_->names.resize(mark);
  if (!good) {
    // Kept for the control flow; the error has been reported.
    result.target = error(c.range);
    result.kind = model::Select::Kind::Down;
    result.binding.reset();
  }
  return result;
}

}  // namespace cml::sema
