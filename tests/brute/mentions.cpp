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

/// Which object of the heap it is does not count.
std::optional<std::uint32_t> object_named(const Expr& expr) {
  if (const auto* object = std::get_if<ObjectRef>(&expr.node)) return object->object.index;
  if (const auto* field = std::get_if<FieldRef>(&expr.node)) return field->field.index;
  if (std::holds_alternative<MonitorRef>(expr.node)) return kMonitor;
  return std::nullopt;
}

bool is_atomic_method(const Model& model, const Function& function) {
  return function.owner && !function.is_init && model.classes[*function.owner].is_atomic;
}

}  // namespace

std::set<std::uint32_t> objects_named(const Model& model, SourceRange piece) {
  std::set<std::uint32_t> out;
  bool calls = false;
  for (const Expr& expr : model.exprs) {
    if (!inside(expr.range, piece)) continue;
    if (const auto object = object_named(expr)) out.insert(*object);
    calls =
        calls || std::holds_alternative<Call>(expr.node) || std::holds_alternative<New>(expr.node);
  }
  if (!calls) return out;
  for (const Function& function : model.functions) {
    if (function.is_synchronized || is_atomic_method(model, function)) out.insert(kMonitor);
    for (const Expr& expr : model.exprs)
      if (const auto object = object_named(expr);
          object && inside(expr.range, function.body.block.range))
        out.insert(*object);
  }
  return out;
}

namespace {

/// The words that a part of an object may be: several where an index is computed.
struct NamedWords {
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

  [[nodiscard]] std::optional<NamedWords> words(ExprId id) const {
    const Expr& expr = model_.exprs[id];
    if (const auto object = object_named(expr)) return NamedWords{*object, {0}};
    const auto base = base_of(expr);
    if (!base) return std::nullopt;
    std::optional<NamedWords> out = words(*base);
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

std::optional<FunctionId> called_by(const Model& model, const Expr& expr) {
  if (const auto* call = std::get_if<Call>(&expr.node)) return call->function;
  if (const auto* made = std::get_if<New>(&expr.node)) return model.classes[made->decl].init;
  return std::nullopt;
}

/// The piece, and the bodies of the functions that it calls, and of those that they call.
std::vector<SourceRange> with_functions(const Model& model, SourceRange piece) {
  std::vector<SourceRange> out{piece};
  std::set<FunctionId> called;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const SourceRange here = out[i];
    for (const Expr& expr : model.exprs) {
      const auto function = called_by(model, expr);
      if (!function || !inside(expr.range, here)) continue;
      if (called.insert(*function).second)
        out.push_back(model.functions[*function].body.block.range);
    }
  }
  return out;
}

}  // namespace

namespace {

void add(const Parts& parts, const Model& model, ExprId id, Variables& out) {
  const auto words = parts.words(id);
  if (!words) return;
  for (const std::uint32_t offset : words->offsets)
    for (std::uint32_t i = 0; i < parts.size(model.exprs[id].type); ++i)
      out.insert({words->object, offset + i});
}

bool is_visible(const Model& model, const Expr& expr) {
  if (const auto* operation = std::get_if<Operation>(&expr.node))
    return operation->op != Operator::Held && operation->op != Operator::Release;
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const Function& function = model.functions[call->function];
    return function.is_synchronized || is_atomic_method(model, function);
  }
  if (const auto object = object_named(expr); object && *object != kMonitor)
    return model.objects[ObjectId(*object)].kind == ObjectKind::Atomic;
  return std::holds_alternative<Choose>(expr.node);
}

bool is_visible(const Stmt& stmt) {
  return std::holds_alternative<With>(stmt.node) || std::holds_alternative<Await>(stmt.node) ||
         std::holds_alternative<Select>(stmt.node) || std::holds_alternative<Either>(stmt.node);
}

}  // namespace

void add_variables_named(const Model& model, SourceRange piece, Variables& out) {
  const Parts parts(model);
  for (const SourceRange& range : with_functions(model, piece))
    for (const ExprId id : model.exprs.ids())
      if (inside(model.exprs[id].range, range) && parts.is_whole(id)) add(parts, model, id, out);
}

Named named_in(const Model& model, SourceRange block) {
  Named out;
  add_variables_named(model, block, out.variables);
  const Parts parts(model);
  for (const SourceRange& range : with_functions(model, block)) {
    for (const Expr& expr : model.exprs) {
      if (!inside(expr.range, range)) continue;
      out.has_visible = out.has_visible || is_visible(model, expr);
      const auto* operation = std::get_if<Operation>(&expr.node);
      if (operation == nullptr || operation->op != Operator::Release) continue;
      out.releases = true;
      if (!std::holds_alternative<LocalRef>(model.exprs[operation->target].node)) continue;
      for (const ObjectId id : model.objects.ids())  // a parameter: whichever lock it is
        if (model.objects[id].kind == ObjectKind::Lock ||
            model.objects[id].kind == ObjectKind::Mutex)
          for (std::uint32_t i = 0; i < parts.size(model.objects[id].type); ++i)
            out.variables.insert({id.index, i});
      out.variables.insert({kMonitor, 0});
    }
    for (const Stmt& stmt : model.stmts) {
      if (!inside(stmt.range, range)) continue;
      out.has_visible = out.has_visible || is_visible(stmt);
      if (const auto* assign = std::get_if<Assign>(&stmt.node))
        add(parts, model, assign->target, out.written);
    }
  }
  return out;
}

}  // namespace cml::brute
