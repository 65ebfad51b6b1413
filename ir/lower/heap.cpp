// References and `new`.
//
// A field of an object is an element of a group, which the reference chooses (ir/system.h). What is
// checked for null is checked where it is evaluated.
#include <algorithm>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {
namespace {

bool can_be_null(const WordType& type) {
  return type.kind == WordType::Kind::Thread || type.kind == WordType::Kind::Reference;
}

}  // namespace

Scalar BodyLowering::not_null(const Scalar& word, const WordType& type,
                              std::vector<Slot>& temporaries, SourceRange range) {
  Scalar result = word;
  if (word.fails) result = materialise(word, temporaries, type, {}, range);
  const Scalar zero = expressions_.constant(0);
  const Scalar holds =
      expressions_.logical_not(expressions_.binary(ExprOp::Equal, result, zero, range), range);
  if (!holds.is(1)) code_.emit(Assert{holds.expr, {}}, range, "null");
  if (holds.is(0)) code_.set_unreachable();
  result.lo = std::max(result.lo, 1);
  return result;
}

Scalar BodyLowering::without_null(const Scalar& word, const WordType& type,
                                  std::vector<Slot>& temporaries, SourceRange range) {
  if (!can_be_null(type) || type.lo == 0 || word.lo > 0) return word;
  const WordType stored{type.kind, 0, type.hi, {}, type.of};
  return not_null(word, stored, temporaries, range);
}

Scalar BodyLowering::lower_reference(model::ExprId expr, std::vector<Slot>& temporaries) {
  Value value = lower(expr);
  temporaries = std::move(value.temporaries);
  if (value.words.size() != 1 || context_.failed()) return expressions_.constant(0);
  const SourceRange range = expr_of(expr).range;
  const std::vector<WordType> types = context_.words(expr_of(expr).type, range);
  if (types.size() != 1 || value.words.front().lo > 0) return value.words.front();
  return not_null(value.words.front(), types.front(), temporaries, range);
}

ObjectPlace BodyLowering::field_place(const model::Expr& expr, const model::FieldRef& node) {
  const DeclaredObject& declared = objects_[node.field];
  const model::ClassId of = *context_.model.objects[node.field].owner;
  ObjectPlace result;
  result.kind = declared.kind;
  result.base = declared.first;
  result.type = expr.type;
  const Scalar reference = lower_reference(node.object, result.temporaries);
  result.terms.push_back({reference, declared.units, context_.places[of], ClassId(of.index)});
  return result;
}

ObjectPlace BodyLowering::monitor_place(const model::Expr& expr, const model::MonitorRef& node) {
  std::vector<Slot> temporaries;
  const Scalar reference = lower_reference(node.object, temporaries);
  const auto& type = std::get<model::ClassType>(context_.model.type_of(node.object));
  ObjectPlace result = monitor_of(reference, type.decl);
  result.type = expr.type;
  result.temporaries = std::move(temporaries);
  return result;
}

ObjectPlace BodyLowering::monitor_of(const Scalar& self, model::ClassId of) const {
  const Class& decl = context_.system.classes[ClassId(of.index)];
  ObjectPlace result;
  result.kind = ObjectKind::Lock;
  result.base = decl.monitor ? context_.system.groups[*decl.monitor].first : ObjectId(0);
  result.terms.push_back({self, 1, decl.places, ClassId(of.index)});
  return result;
}

// ---- new ---------------------------------------------------------------------------------------

void BodyLowering::emit_new(model::ClassId of, bool unshared, Slot target, SourceRange range) {
  if (!code_.reachable()) return;
  Allocations& allocations = context_.allocations[of];
  const std::optional<Rounds> times = rounds(range);
  if (times && !instance_.is_reused)
    allocations.count += times->count;
  else
    allocations.is_unbounded = true;
  const Class& decl = context_.system.classes[ClassId(of.index)];
  New node;
  node.object.base = decl.first;
  node.object.index = expressions_.constant(0).expr;
  node.object.count = decl.places;
  node.target.slot = target;
  node.unshared = unshared;
  code_.emit(std::move(node), range);
}

Value BodyLowering::lower_new(const model::Expr& expr, const model::New& node, Want want) {
  Value value;
  if (!code_.reachable()) return value;
  const model::Class& decl = context_.model.classes[node.decl];
  const std::vector<WordType> words = context_.words(expr.type, expr.range);
  if (words.size() != 1) return value;
  const bool calls_itself = decl.init && context_.is_recursive(*decl.init);
  const bool is_wanted = !want.drop;
  std::vector<LocalPlace> result;
  if (is_wanted) result = results(words, {}, value, expr.range);
  open_scope(expr.range);
  Frame frame;
  frame.exit = code_.new_label();
  if (decl.init && !calls_itself)
    pass_arguments(context_.model.functions[*decl.init], node.arguments, frame);
  const bool made_atomic = std::exchange(makes_atomic_, makes_atomic_ || decl.is_atomic);
  const Slot slot =
      scoped_slots({{WordType::Kind::Reference, 0, words[0].hi, {}, words[0].of}}, expr.range);
  emit_new(node.decl, node.unshared, slot, expr.range);
  const Scalar self = expressions_.local(slot, 1, words[0].hi, true);
  begin_history(self, node.decl, calls_itself ? nullptr : &frame, expr.range);
  allocate_fields(self, node.decl);
  frame.depth = scopes_.size();
  frame.self = self;
  const Label exit = frame.exit;
  if (calls_itself) {
    Value nothing = call_routine(*decl.init, {}, self, node.arguments, expr.range, {nullptr, true});
    release(nothing.temporaries, expr.range);
  } else if (decl.init) {
    lower_function(*decl.init, std::move(frame), expr.range);
  }
  code_.bind(exit);
  if (is_wanted) code_.emit(Set{result.front(), self.expr, {}}, expr.range);
  makes_atomic_ = made_atomic;
  close_scope();
  return value;
}

void BodyLowering::allocate_fields(const Scalar& self, model::ClassId of) {
  for (const model::ObjectId id : context_.model.classes[of].fields) {
    const model::Object& decl = context_.model.objects[id];
    if (!objects_.is_allocated(id)) continue;
    ObjectPlace to;
    to.kind = objects_[id].kind;
    to.base = objects_[id].first;
    to.type = decl.type;
    to.terms.push_back({self, objects_[id].units, context_.places[of], ClassId(of.index)});
    initialise_object(std::move(to), *decl.initial, decl.range);
  }
}

void BodyLowering::initialise_object(ObjectPlace to, model::ExprId initial, SourceRange range) {
  const auto* array = std::get_if<model::ArrayType>(&context_.model.types[to.type]);
  if (array == nullptr) {
    Value value = operand(initial, to.type);
    if (context_.failed() || !code_.reachable()) return;
    writes_initial_value_ = !to.terms.empty();
    write_object(to, value, range);
    writes_initial_value_ = false;
    release(value.temporaries, range);
    return;
  }
  const auto* each = std::get_if<model::ArrayMake>(&expr_of(initial).node);
  const auto stride = static_cast<std::uint32_t>(objects_.units(to.kind, array->element));
  for (std::uint32_t k = 0; k < array->size && !context_.failed(); ++k) {
    ObjectPlace element = to;
    element.base.index += k * stride;
    element.type = array->element;
    initialise_object(std::move(element),
                      each != nullptr && k < each->elements.size() ? each->elements[k] : initial,
                      range);
  }
}

Code BodyLowering::lower_initialiser(model::ObjectId id, std::uint32_t instance) {
  static const model::Body kNoLocals;
  Frame frame;
  frame.body = &kNoLocals;
  frames_.push_back(std::move(frame));
  const model::Object& decl = context_.model.objects[id];
  const DeclaredObject& declared = objects_[id];
  open_scope(decl.range);
  ObjectPlace to;
  to.kind = declared.kind;
  to.base = ObjectId(declared.first.index + instance * declared.units);
  to.type = decl.type;
  initialise_object(std::move(to), *decl.initial, decl.range);
  close_scope();
  code_.end(decl.range);
  lower_routines(0);
  lay_out_stacks(decl.range);
  return code_.finish();
}

}  // namespace cml::ir::lowering
