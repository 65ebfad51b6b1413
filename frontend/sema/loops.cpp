// `for`: over a range, and over what a channel receives.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {

/// `for x in c { … }`: loop { var x; if !c.recv(x) { break; } … }. Which channel it is is evaluated
/// once.
void Sema::for_each_received(const ast::ForStmt& node, ExprId channel, SourceRange range,
                             model::Block& into) {
  const SourceRange where = range_of(channel);
  TypeId element = error_;
  if (const auto* type = as<model::ChannelType>(type_of(channel)); type != nullptr) {
    element = type->element;
    if (as<model::VoidType>(element) != nullptr) {
      report(Code::BadForChannel, where, "`for` over a channel that carries no values")
          .cure("receive in a loop: `while !c.closed { c.recv(); }`, or declare what it carries");
      element = error_;
    }
  } else if (!is_error(channel)) {
    report(Code::BadForChannel, where,
           fmt::format("`for` over a `{}`: it goes over a range, a set, or what a channel receives",
                       name_of(type_of(channel))))
        .cure("write `for i in 0..<n { … }`");
  }
  const std::size_t mark = context_->names.size();
  model::Block all;
  all.range = range;
  if (!is_error(element) && !std::holds_alternative<model::ObjectRef>(model_.exprs[channel].node)) {
    model::Local handle;
    handle.type = type_of(channel);
    handle.range = where;
    handle.is_let = true;
    const model::LocalId local = context_->body.locals.push(std::move(handle));
    push_stmt(all, range, model::LocalDecl{local, channel});
    channel = add(where, type_of(channel), model::LocalRef{local}, model::Storage::Handle);
  }
  model::Loop loop;
  loop.body.range = range;
  const model::LocalId item = declare_local(node.index, element, true, false);
  if (!is_error(element)) {
    push_stmt(loop.body, range, model::LocalDecl{item, {}});
    model_.stmts.back().is_implied = true;
    const ExprId place =
        add(node.index.range, element, model::LocalRef{item}, model::Storage::Local);
    const ExprId came =
        add(range_of(channel), bool_,
            model::Operation{model::Operator::ReceiveInto, channel, std::vector<ExprId>{place}});
    const ExprId none = add(where, bool_, model::Unary{model::UnaryOp::Not, came});
    model::Block leaves;
    leaves.range = range;
    push_stmt(leaves, range, model::Break{});
    model_.stmts.back().is_implied = true;
    model::If decides;
    decides.arms.push_back({none, std::move(leaves)});
    push_stmt(loop.body, where, std::move(decides));
    model_.stmts.back().is_implied = true;
  }
  ++context_->loops;
  model::Block body = block(node.body);
  --context_->loops;
  context_->names.resize(mark);
  if (is_error(element)) return push_stmt(into, range, model::BlockStmt{std::move(body)});
  const SourceRange of_body = body.range;
  push_stmt(loop.body, of_body, model::BlockStmt{std::move(body)});
  push_stmt(all, range, std::move(loop));
  push_stmt(into, range, model::BlockStmt{std::move(all)});
}

void Sema::for_statement(const ast::ForStmt& node, SourceRange range, model::Block& into) {
  if (node.channel) {
    const ExprId over = value(*node.channel, is_set_literal(*node.channel) ? any_set() : TypeId{});
    return is_set(over) ? for_each_element(node, over, range, into)
                        : for_each_received(node, over, range, into);
  }
  const ExprId lo = integer(node.range.lo, "a bound of `for`");
  const ExprId hi = integer(node.range.hi, "a bound of `for`");
  const std::size_t mark = context_->names.size();
  const model::LocalId index = declare_local(node.index, int_, true, false);
  context_->names.back().is_for_index = true;
  ++context_->loops;
  model::Block body = block(node.body);
  --context_->loops;
  context_->names.resize(mark);
  push_stmt(into, range, model::For{index, lo, hi, node.range.half_open, std::move(body)});
}

}  // namespace cml::sema
