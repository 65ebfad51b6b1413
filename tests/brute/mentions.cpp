#include "tests/brute/mentions.h"

#include <variant>

namespace cml::brute {

using namespace model;  // NOLINT: all about the model

namespace {

bool inside(const SourceRange& inner, const SourceRange& outer) {
  return inner.file == outer.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

std::set<std::uint32_t> objects_named(const Model& model, SourceRange piece) {
  std::set<std::uint32_t> out;
  bool calls = false;
  for (const Expr& expr : model.exprs) {
    if (!inside(expr.range, piece)) continue;
    if (const auto* object = std::get_if<ObjectRef>(&expr.node)) out.insert(object->object.index);
    calls = calls || std::holds_alternative<Call>(expr.node);
  }
  if (!calls) return out;
  for (const Function& function : model.functions)
    for (const Expr& expr : model.exprs) {
      const auto* object = std::get_if<ObjectRef>(&expr.node);
      if (object != nullptr && inside(expr.range, function.body.block.range))
        out.insert(object->object.index);
    }
  return out;
}

void add_variables_named(const Model& model, SourceRange piece, Variables& out) {
  std::set<ExprId> told;  // bases of elements
  for (const Expr& expr : model.exprs) {
    if (!inside(expr.range, piece)) continue;
    if (std::holds_alternative<Call>(expr.node)) throw Unsupported{};
    const auto* element = std::get_if<Index>(&expr.node);
    if (element == nullptr) continue;
    const auto* object = std::get_if<ObjectRef>(&model.exprs[element->base].node);
    const auto* index = std::get_if<IntLiteral>(&model.exprs[element->index].node);
    const Type& type = model.types[expr.type];
    const bool scalar =
        !std::holds_alternative<ArrayType>(type) && !std::holds_alternative<StructType>(type);
    if (object == nullptr || index == nullptr || !scalar) continue;
    out.elements.insert({object->object.index, static_cast<std::uint32_t>(index->value)});
    told.insert(element->base);
  }
  for (const ExprId id : model.exprs.ids()) {
    const auto* object = std::get_if<ObjectRef>(&model.exprs[id].node);
    if (object != nullptr && inside(model.exprs[id].range, piece) && !told.contains(id))
      out.whole.insert(object->object.index);
  }
}

}  // namespace cml::brute
