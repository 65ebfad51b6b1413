#include "tests/brute/mentions.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

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

namespace {

/// The words that a part of an object may be: several where an index is computed.
struct Words {
  std::uint32_t object = 0;
  std::set<std::uint32_t> offsets;
};

class Parts {
 public:
  explicit Parts(const Model& model) : model_(model) {
    for (const Expr& expr : model.exprs)
      if (const auto base = base_of(expr)) bases_.insert(*base);
  }

  /// The whole of something: no index or field follows.
  [[nodiscard]] bool is_whole(ExprId id) const { return !bases_.contains(id); }

  [[nodiscard]] std::optional<Words> words(ExprId id) const {
    const Expr& expr = model_.exprs[id];
    if (const auto* object = std::get_if<ObjectRef>(&expr.node))
      return Words{object->object.index, {0}};
    const auto base = base_of(expr);
    if (!base) return std::nullopt;
    std::optional<Words> out = words(*base);
    if (!out) return out;
    const std::set<std::uint32_t> before = std::exchange(out->offsets, {});
    const auto move = [&](std::uint32_t distance) {
      for (const std::uint32_t offset : before)
        out->offsets.insert(offset + distance);
    };
    const Type& type = model_.types[model_.exprs[*base].type];
    if (const auto* field = std::get_if<StructField>(&expr.node)) {
      std::uint32_t distance = 0;
      for (std::uint32_t f = 0; f < field->field; ++f)
        distance += size(model_.structs[std::get<StructType>(type).decl].fields[f].type);
      move(distance);
      return out;
    }
    const auto& array = std::get<ArrayType>(type);
    const auto* literal =
        std::get_if<IntLiteral>(&model_.exprs[std::get<Index>(expr.node).index].node);
    for (std::uint32_t i = 0; i < array.size; ++i)
      if (literal == nullptr || std::cmp_equal(literal->value, i)) move(i * size(array.element));
    return out;
  }

  [[nodiscard]] std::uint32_t size(TypeId id) const {
    const Type& type = model_.types[id];
    if (const auto* array = std::get_if<ArrayType>(&type))
      return array->size * size(array->element);
    const auto* st = std::get_if<StructType>(&type);
    if (st == nullptr) return 1;
    std::uint32_t sum = 0;
    for (const auto& field : model_.structs[st->decl].fields)
      sum += size(field.type);
    return sum;
  }

 private:
  [[nodiscard]] static std::optional<ExprId> base_of(const Expr& expr) {
    if (const auto* element = std::get_if<Index>(&expr.node)) return element->base;
    if (const auto* field = std::get_if<StructField>(&expr.node)) return field->base;
    return std::nullopt;
  }

  const Model& model_;
  std::set<ExprId> bases_;
};

/// The piece, and the bodies of the functions that it calls, and of those that they call.
std::vector<SourceRange> with_functions(const Model& model, SourceRange piece) {
  std::vector<SourceRange> out{piece};
  std::set<FunctionId> called;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const SourceRange here = out[i];
    for (const Expr& expr : model.exprs) {
      const auto* call = std::get_if<Call>(&expr.node);
      if (call == nullptr || !inside(expr.range, here)) continue;
      if (called.insert(call->function).second)
        out.push_back(model.functions[call->function].body.block.range);
    }
  }
  return out;
}

}  // namespace

void add_variables_named(const Model& model, SourceRange piece, Variables& out) {
  const Parts parts(model);
  for (const SourceRange& range : with_functions(model, piece))
    for (const ExprId id : model.exprs.ids()) {
      if (!inside(model.exprs[id].range, range) || !parts.is_whole(id)) continue;
      const auto words = parts.words(id);
      if (!words) continue;
      for (const std::uint32_t offset : words->offsets)
        for (std::uint32_t i = 0; i < parts.size(model.exprs[id].type); ++i)
          out.insert({words->object, offset + i});
    }
}

}  // namespace cml::brute
