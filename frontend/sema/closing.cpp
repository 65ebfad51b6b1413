// Which channels are closed, and what that forbids (docs/reference.md, "Shared state"): a plain
// receive from a closed channel that is empty returns the default of its type, so there must be
// one. Which channel a parameter or a `let` means is not known here: it may be any of its type.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

/// The declaration of a channel; invalid where it is not known.
model::ObjectId declaration_of(const model::Model& model, ExprId channel) {
  while (const auto* index = std::get_if<model::Index>(&model.exprs[channel].node))
    channel = index->base;
  const auto& node = model.exprs[channel].node;
  if (const auto* object = std::get_if<model::ObjectRef>(&node)) return object->object;
  if (const auto* field = std::get_if<model::FieldRef>(&node)) return field->field;
  return {};
}

}  // namespace

void Sema::check_closing() {
  struct Close {
    TypeId type;
    model::ObjectId declaration;
    SourceRange where;
  };
  std::vector<Close> all;
  for (const model::Expr& expr : model_.exprs) {
    const auto* operation = std::get_if<model::Operation>(&expr.node);
    if (operation == nullptr || operation->op != model::Operator::Close) continue;
    const TypeId type = type_of(operation->target);
    all.push_back({type, declaration_of(model_, operation->target), expr.range});
    model_.closed_channels.push_back(type);
  }
  for (const model::Expr& expr : model_.exprs) {
    const auto* operation = std::get_if<model::Operation>(&expr.node);
    if (operation == nullptr || operation->op != model::Operator::Receive) continue;
    const TypeId type = type_of(operation->target);
    const auto* channel = as<model::ChannelType>(type);
    if (channel == nullptr || has_default(channel->element)) continue;
    const model::ObjectId declaration = declaration_of(model_, operation->target);
    for (const Close& close : all) {
      const bool may_be_it =
          close.type == type &&
          (!close.declaration.valid() || !declaration.valid() || close.declaration == declaration);
      if (!may_be_it) continue;
      report(Code::NothingToReceive, expr.range,
             fmt::format("`recv()` may find the channel closed and empty, and `{}` has no default "
                         "that it could return",
                         name_of(channel->element)))
          .also(close.where, "closed here")
          .cure("use `for x in c { … }`, or `c.recv(x)`, which says whether a value came");
      break;
    }
  }
}

}  // namespace cml::sema
