// Places among objects: constant indices select the object now, others become terms.
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {

void BodyLowering::add_index(std::vector<Term>& terms, std::vector<Slot>& temporaries,
                             std::uint32_t& offset, model::ExprId index, std::uint32_t size,
                             std::uint32_t stride, bool check_now) {
  const SourceRange range = expr_of(index).range;
  Value value = lower(index);
  if (value.words.size() != 1) return;  // something was not supported
  Scalar scalar = value.words.front();
  const auto last = static_cast<std::int32_t>(size) - 1;
  const bool in_range = scalar.within(0, last);
  if (scalar.constant && in_range) {
    offset += static_cast<std::uint32_t>(scalar.lo) * stride;
    return;
  }
  if (scalar.constant && check_now) {
    // Always a violation: no element is accessed, now or later.
    materialise(expressions_.bound(scalar, size, range), value.temporaries,
                {WordType::Kind::Int, 0, last, {}}, {}, range);
    for (const Slot slot : value.temporaries)
      code_.free(slot);
    code_.set_unreachable();
    return;
  }
  if (!in_range) scalar = expressions_.bound(scalar, size, range);
  if (check_now && scalar.fails)
    scalar = materialise(scalar, value.temporaries, {WordType::Kind::Int, 0, last, {}}, {}, range);
  terms.push_back({scalar, stride, size});
  temporaries.insert(temporaries.end(), value.temporaries.begin(), value.temporaries.end());
}

Scalar BodyLowering::linear(const std::vector<Term>& terms, std::uint32_t divisor) {
  Scalar sum = expressions_.constant(0);
  for (const Term& term : terms) {
    const auto factor = static_cast<std::int32_t>(term.stride / divisor);
    const SourceRange range = context_.system.exprs[term.index.expr].range;
    const Scalar part = factor == 1 ? term.index
                                    : expressions_.binary(ExprOp::Multiply, term.index,
                                                          expressions_.constant(factor), range);
    sum = sum.is(0) ? part : expressions_.binary(ExprOp::Add, sum, part, range);
  }
  return sum;
}

Place BodyLowering::place(const ObjectPlace& from, std::uint32_t unit) {
  Place result;
  result.base = ObjectId(from.base.index + unit);
  std::uint32_t divisor = 0;
  for (const Term& term : from.terms)
    divisor = std::gcd(divisor, term.stride);
  if (divisor == 0) return result;
  result.stride = divisor;
  for (const Term& term : from.terms)
    result.count += (term.size - 1) * (term.stride / divisor);
  if (result.count > 1)
    result.index = linear(from.terms, divisor).expr;
  else
    result.stride = 1;
  return result;
}

void BodyLowering::save_terms(std::vector<Term>& terms, std::vector<Slot>& temporaries,
                              SourceRange range) {
  for (Term& term : terms) {
    if (term.index.stable && !term.index.fails) continue;
    std::vector<Slot> fresh;
    term.index = materialise(term.index, fresh, term.type(), {}, range);
    temporaries.insert(temporaries.end(), fresh.begin(), fresh.end());
  }
}

void BodyLowering::save_terms(ObjectPlace& place, SourceRange range) {
  save_terms(place.terms, place.temporaries, range);
  save_terms(place.word_terms, place.temporaries, range);
}

ObjectPlace BodyLowering::scoped_handle(model::ExprId expr) {
  ObjectPlace handle = object_place(expr);
  save_terms(handle, expr_of(expr).range);
  std::vector<Slot>& scoped = scopes_.back().slots;
  scoped.insert(scoped.end(), handle.temporaries.begin(), handle.temporaries.end());
  handle.temporaries.clear();
  return handle;
}

ObjectPlace BodyLowering::object_reference(const model::Expr& expr, const model::ObjectRef& node) {
  const model::Object& decl = context_.model.objects[node.object];
  const DeclaredObject& declared = objects_[node.object];
  ObjectPlace result;
  result.kind = declared.kind;
  result.base = declared.first;
  result.type = decl.type;
  if (!decl.process) return result;
  const std::optional<model::IndexRange>& range = context_.model.processes[*decl.process].index;
  const std::int32_t lo = range ? range->lo : 0;
  if (!node.process_index) {
    const std::int32_t position = instance_.process_index.value_or(lo) - lo;
    result.base.index += static_cast<std::uint32_t>(position) * declared.units;
    return result;
  }
  // Only code outside of processes (an invariant, `finally`) names the process.
  Value value = lower(*node.process_index);
  if (value.words.size() != 1) return result;
  const Scalar position = expressions_.binary(ExprOp::Subtract, value.words.front(),
                                              expressions_.constant(lo), expr.range);
  if (position.constant && position.within(0, static_cast<std::int32_t>(declared.instances) - 1)) {
    result.base.index += static_cast<std::uint32_t>(position.lo) * declared.units;
    return result;
  }
  const Scalar checked =
      materialise(expressions_.bound(position, declared.instances, expr.range), value.temporaries,
                  {WordType::Kind::Int, 0, static_cast<std::int32_t>(declared.instances) - 1, {}},
                  {}, expr.range);
  result.terms.push_back({checked, declared.units, declared.instances});
  result.temporaries = std::move(value.temporaries);
  return result;
}

ObjectPlace BodyLowering::object_place(model::ExprId id) {
  const model::Expr& expr = expr_of(id);
  const Nesting nesting(context_, expr.range);
  ObjectPlace place;
  place.base = ObjectId(0);
  place.type = expr.type;
  if (context_.failed()) return place;
  if (const auto* object = std::get_if<model::ObjectRef>(&expr.node))
    return object_reference(expr, *object);
  if (const auto* local = std::get_if<model::LocalRef>(&expr.node)) {
    if (const std::optional<ObjectPlace>& handle = variable(local->local).handle) return *handle;
  } else if (const auto* field = std::get_if<model::StructField>(&expr.node)) {
    place = object_place(field->base);
    const auto* type = std::get_if<model::StructType>(&context_.model.types[place.type]);
    if (type == nullptr) return place;
    const auto offset = static_cast<std::uint32_t>(context_.field_offset(type->decl, field->field));
    place.within = place.kind == ObjectKind::Atomic;
    if (place.within)
      place.word += offset;
    else
      place.base.index += offset;
    place.type = expr.type;
    return place;
  } else if (const auto* index = std::get_if<model::Index>(&expr.node)) {
    place = object_place(index->base);
    const auto* type = std::get_if<model::ArrayType>(&context_.model.types[place.type]);
    if (type == nullptr) return place;
    if (context_.modifies_locals(index->index)) save_terms(place, expr.range);
    if (place.within)
      add_index(place.word_terms, place.temporaries, place.word, index->index, type->size,
                static_cast<std::uint32_t>(context_.word_count(type->element)), true);
    else
      add_index(place.terms, place.temporaries, place.base.index, index->index, type->size,
                static_cast<std::uint32_t>(objects_.units(place.kind, type->element)), true);
    place.type = expr.type;
    return place;
  }
  if (const auto* field = std::get_if<model::FieldRef>(&expr.node))
    return field_place(expr, *field);
  if (const auto* monitor = std::get_if<model::MonitorRef>(&expr.node))
    return monitor_place(expr, *monitor);
  unsupported("this place cannot be used here", expr.range);
  return place;
}

Value BodyLowering::read_object(ObjectPlace from, Want want, SourceRange range, bool keep_place) {
  Value value;
  if (context_.failed()) return value;
  std::vector<Slot> kept;
  std::vector<Slot>& used = keep_place ? kept : from.temporaries;
  if (!from.word_terms.empty()) {
    // A word of an atomic struct that is known at run time only: reads all words that it may be.
    std::uint32_t span = static_cast<std::uint32_t>(context_.word_count(from.type));
    for (const Term& term : from.word_terms)
      span += (term.size - 1) * term.stride;
    const std::vector<WordType>& all = context_.system.objects[from.base].words;
    Value whole;
    const std::vector<LocalPlace> targets =
        results({all.begin() + from.word, all.begin() + from.word + span}, {}, whole, range);
    code_.emit(Read{place(from), from.word, targets}, range);
    FramePlace copy;
    copy.slot = targets.front().slot;
    copy.terms = from.word_terms;
    copy.type = from.type;
    copy.temporaries = std::move(whole.temporaries);
    copy.temporaries.insert(copy.temporaries.end(), used.begin(), used.end());
    return read_frame(std::move(copy), range);
  }
  const std::vector<WordType> words = context_.words(from.type, range);
  if (from.kind == ObjectKind::Atomic || words.size() == 1) {
    recycle(used, range, [&] {
      Read read;
      read.place = place(from);
      read.word = from.word;
      read.targets = results(words, want, value, range);
      emit_read(std::move(read), range);
    });
    return value;
  }
  // A shared struct: one access per field, in order. The index must outlive the first of them.
  if (!from.terms.empty()) want.destination = nullptr;
  std::vector<LocalPlace> targets = results(words, want, value, range);
  std::vector<std::string> names;
  if (value.stored && want.destination != nullptr && !want.destination->label.empty())
    names = context_.word_names(from.type, want.destination->label);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (k < names.size()) targets[k].name = context_.text(names[k]);
    emit_read(Read{place(from, static_cast<std::uint32_t>(k)), 0, {targets[k]}}, range);
  }
  release(used, range);
  return value;
}

void BodyLowering::write_object(const ObjectPlace& to, const Value& value, SourceRange range) {
  const std::vector<ExprId> values = expressions_of(value);
  if (to.kind == ObjectKind::Atomic) {
    for_each_chosen_word(to, range, [&](std::uint32_t word) {
      emit_write(Write{place(to), word, values}, range);
    });
    return;
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    emit_write(Write{place(to, static_cast<std::uint32_t>(k)), 0, {values[k]}}, range);
}

// Of an object of an atomic class that is being made, nobody else knows.
bool BodyLowering::is_local(const Place& place) const {
  const Object& object = context_.system.objects[place.base];
  if (object.is_constant || writes_initial_value_) return true;
  return makes_atomic_ && object.owner.valid() &&
         context_.model.classes[model::ClassId(object.owner.index)].is_atomic;
}

void BodyLowering::emit_read(Read read, SourceRange range) {
  if (is_local(read.place))
    code_.emit(ReadConstant{std::move(read)}, range);
  else
    code_.emit(std::move(read), range);
}

void BodyLowering::emit_write(Write write, SourceRange range) {
  if (is_local(write.place))
    code_.emit(WriteConstant{std::move(write)}, range);
  else
    code_.emit(std::move(write), range);
}

void BodyLowering::for_each_chosen_word(const ObjectPlace& of, SourceRange range,
                                        const std::function<void(std::uint32_t)>& emit) {
  // One operation, but on which word is known at run time only: an instruction for each word.
  std::uint32_t count = 1;
  std::uint32_t step = 0;
  for (const Term& term : of.word_terms) {
    count += (term.size - 1) * term.stride;
    step = std::gcd(step, term.stride);
  }
  if (step == 0) return emit(of.word);
  const Scalar chosen = linear(of.word_terms, 1);
  const Label done = code_.new_label();
  for (std::uint32_t word = 0; word < count; word += step) {
    const bool is_last = word + step >= count;
    const Label here = code_.new_label();
    const Label next = code_.new_label();
    if (!is_last)
      code_.branch(expressions_
                       .binary(ExprOp::Equal, chosen,
                               expressions_.constant(static_cast<std::int32_t>(word)), range)
                       .expr,
                   here, next, range);
    code_.bind(here);
    emit(of.word + word);
    code_.jump(done, range);
    code_.bind(next);
  }
  code_.bind(done);
}

std::vector<ExprId> BodyLowering::expressions_of(const Value& value) const {
  std::vector<ExprId> result;
  for (const Scalar& word : value.words)
    result.push_back(word.expr);
  return result;
}

}  // namespace cml::ir::lowering
