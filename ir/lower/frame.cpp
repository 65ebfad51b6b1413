// The frame: temporaries, variables, and stores into them.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {
namespace {

/// The narrowest type that the value fits in: temporaries are part of the state.
WordType narrowed(WordType type, const Scalar& scalar) {
  type.wraps = false;
  if (type.kind == WordType::Kind::Int && scalar.lo <= type.hi && type.lo <= scalar.hi) {
    type.lo = std::max(type.lo, scalar.lo);
    type.hi = std::min(type.hi, scalar.hi);
  }
  return type;
}

bool reads_slots(const System& system, ExprId id, Slot first, Slot last) {
  if (!id.valid()) return false;
  const Expr& expr = system.exprs[id];
  if (expr.op == ExprOp::LocalAt) return true;
  if (expr.op == ExprOp::Local)
    return first <= static_cast<Slot>(expr.value) && static_cast<Slot>(expr.value) < last;
  return reads_slots(system, expr.a, first, last) || reads_slots(system, expr.b, first, last) ||
         reads_slots(system, expr.c, first, last);
}

}  // namespace

Slot BodyLowering::allocate_temporaries(const std::vector<WordType>& words, SourceRange range) {
  return code_.allocate(words, range);
}

void BodyLowering::reset(Slot slot, SourceRange range) {
  code_.emit(Set{{slot, {}, 1, {}}, expressions_.constant(0).expr, {}}, range);
}

void BodyLowering::release(std::vector<Slot>& temporaries, SourceRange range) {
  recycle(temporaries, range, [] {});
}

Scalar BodyLowering::materialise(const Scalar& scalar, std::vector<Slot>& temporaries,
                                 const WordType& type, Bounds bounds, SourceRange range) {
  const WordType word = narrowed(type, scalar);
  Slot slot = 0;
  recycle(temporaries, range, [&] {
    slot = allocate_temporaries({word}, range);
    code_.emit(Set{{slot, {}, 1, {}}, scalar.expr, bounds}, range);
  });
  temporaries.push_back(slot);
  return expressions_.local(slot, word.lo, word.hi, true);
}

void BodyLowering::protect(Value& value, const model::Expr& from, bool code_follows,
                           bool locals_change) {
  const auto is_safe = [&](const Scalar& word) {
    return word.constant || !((word.fails && code_follows) || (!word.stable && locals_change));
  };
  if (std::all_of(value.words.begin(), value.words.end(), is_safe)) return;
  const std::vector<WordType> types = context_.words(from.type, from.range);
  for (std::size_t k = 0; k < value.words.size() && k < types.size(); ++k) {
    if (is_safe(value.words[k])) continue;
    // The words of a struct may have temporaries in common.
    std::vector<Slot> none;
    std::vector<Slot>& recycled = value.words.size() == 1 ? value.temporaries : none;
    value.words[k] = materialise(value.words[k], recycled, types[k], {}, from.range);
    value.temporaries.insert(value.temporaries.end(), none.begin(), none.end());
  }
}

Value BodyLowering::converted(Value value, model::TypeId type, SourceRange range) {
  const std::vector<WordType> types = context_.words(type, range);
  for (std::size_t k = 0; k < value.words.size() && k < types.size(); ++k) {
    value.words[k] = without_null(value.words[k], types[k], value.temporaries, range);
    if (types[k].wraps) value.words[k] = expressions_.wrap(value.words[k], types[k].hi, range);
    const Scalar& word = value.words[k];
    const bool in_range = word.within(types[k].lo, types[k].hi);
    if (in_range && !word.fails) continue;
    const Bounds bounds = in_range ? Bounds{} : Bounds{types[k].lo, types[k].hi};
    std::vector<Slot> none;
    std::vector<Slot>& recycled = value.words.size() == 1 ? value.temporaries : none;
    value.words[k] = materialise(word, recycled, types[k], bounds, range);
    value.temporaries.insert(value.temporaries.end(), none.begin(), none.end());
  }
  return value;
}

BodyLowering::Variable& BodyLowering::variable(model::LocalId local) {
  return frames_.back().variables[local.index];
}

Slot BodyLowering::scoped_slots(const std::vector<WordType>& words, SourceRange range) {
  const Slot first = code_.allocate(words, range);
  for (std::size_t k = 0; k < words.size(); ++k)
    scopes_.back().slots.push_back(first + static_cast<Slot>(k));
  return first;
}

BodyLowering::Variable BodyLowering::declare(const model::Local& local,
                                             const std::vector<WordType>& words) {
  Variable result;
  result.slot = scoped_slots(words, local.range);
  result.immutable = local.is_let;
  const std::vector<std::string> names = context_.word_names(local.type, local.name);
  for (std::size_t k = 0; k < words.size() && k < names.size() && !context_.failed(); ++k)
    code_.name(result.slot + static_cast<Slot>(k), context_.text(names[k]));
  return result;
}

FramePlace BodyLowering::frame_place(model::ExprId id, bool check_now) {
  const model::Expr& expr = expr_of(id);
  const Nesting nesting(context_, expr.range);
  FramePlace place;
  place.type = expr.type;
  if (context_.failed()) return place;
  if (const auto* local = std::get_if<model::LocalRef>(&expr.node)) {
    const Variable& v = variable(local->local);
    place.slot = v.slot;
    place.known = v.known;
    place.stable = v.immutable;
    place.name = frames_.back().body->locals[local->local].name;
  } else if (const auto* field = std::get_if<model::StructField>(&expr.node)) {
    place = frame_place(field->base, check_now);
    const auto* type = std::get_if<model::StructType>(&context_.model.types[place.type]);
    if (type == nullptr) return place;
    place.slot += static_cast<Slot>(context_.field_offset(type->decl, field->field));
    place.name += "." + context_.model.structs[type->decl].fields[field->field].name;
    place.type = expr.type;
    place.known.reset();
  } else if (const auto* index = std::get_if<model::Index>(&expr.node)) {
    place = frame_place(index->base, check_now);
    const auto* type = std::get_if<model::ArrayType>(&context_.model.types[place.type]);
    if (type == nullptr) return place;
    if (context_.needs_code(index->index) || context_.modifies_locals(index->index))
      save_terms(place.terms, place.temporaries, expr.range);
    const std::size_t terms = place.terms.size();
    const Slot before = place.slot;
    const auto stride = static_cast<std::uint32_t>(context_.word_count(type->element));
    add_index(place.terms, place.temporaries, place.slot, index->index, type->size, stride,
              check_now);
    place.name += place.terms.size() > terms
                      ? fmt::format("[*{}]", stride)
                      : fmt::format("[{}]", (place.slot - before) / std::max(stride, 1U));
    place.type = expr.type;
    place.known.reset();
  }
  return place;
}

Value BodyLowering::read_frame(FramePlace place, SourceRange range) {
  const std::vector<WordType> types = context_.words(place.type, range);
  Value value;
  value.temporaries = std::move(place.temporaries);
  if (place.known && types.size() == 1 && place.terms.empty()) {
    const Scalar& known = *place.known;
    value.words.push_back(
        known.constant ? known : expressions_.local(place.slot, known.lo, known.hi, known.stable));
    return value;
  }
  std::uint32_t count = 1;
  for (const Term& term : place.terms)
    count += (term.size - 1) * term.stride;
  const Scalar index = linear(place.terms, 1);
  for (std::size_t k = 0; k < types.size(); ++k) {
    const Slot slot = place.slot + static_cast<Slot>(k);
    value.words.push_back(
        place.terms.empty()
            ? expressions_.local(slot, types[k].lo, types[k].hi, place.stable)
            : expressions_.local_at(slot, index, count, types[k].lo, types[k].hi, range));
  }
  return value;
}

Destination BodyLowering::destination(FramePlace& place, SourceRange range) {
  Destination result =
      destination(place.slot, context_.words(place.type, range), place.name, place.type);
  if (!place.terms.empty()) {
    result.index = linear(place.terms, 1);
    for (const Term& term : place.terms)
      result.count += (term.size - 1) * term.stride;
  }
  return result;
}

Destination BodyLowering::destination(Slot slot, std::vector<WordType> words) {
  Destination result;
  result.slot = slot;
  result.words = std::move(words);
  return result;
}

Destination BodyLowering::destination(Slot slot, std::vector<WordType> words, std::string label,
                                      model::TypeId type) {
  Destination result = destination(slot, std::move(words));
  if (!label.empty()) result.name = name_of(label, type);
  result.label = std::move(label);
  return result;
}

TextId BodyLowering::name_of(const std::string& label, model::TypeId type) {
  const std::string& pattern = context_.pattern(type);
  return context_.text(pattern == "#" ? label : label + " = " + pattern);
}

LocalPlace BodyLowering::word_of(const Destination& destination, std::size_t k) const {
  LocalPlace place{
      destination.slot + static_cast<Slot>(k), {}, destination.count, destination.name};
  if (destination.index) place.index = destination.index->expr;
  return place;
}

void BodyLowering::store(Value value, const Destination& to, SourceRange range) {
  const std::size_t count = std::min(value.words.size(), to.words.size());
  // `s = S(s.b, s.a)`: what would be overwritten before it is read is put into temporaries first.
  const Slot last = to.slot + static_cast<Slot>(to.words.size()) + to.count - 1;
  for (std::size_t k = 1; k < count; ++k) {
    const Scalar& word = value.words[k];
    const Expr& expr = context_.system.exprs[word.expr];
    const bool in_place = expr.op == ExprOp::Local && !to.index &&
                          static_cast<Slot>(expr.value) == to.slot + static_cast<Slot>(k);
    if (in_place || !reads_slots(context_.system, word.expr, to.slot, last)) continue;
    std::vector<Slot> none;
    value.words[k] = materialise(word, none, to.words[k], {}, range);
    value.temporaries.insert(value.temporaries.end(), none.begin(), none.end());
  }
  for (std::size_t k = 0; k < count; ++k) {
    value.words[k] = without_null(value.words[k], to.words[k], value.temporaries, range);
    if (to.words[k].wraps)
      value.words[k] = expressions_.wrap(value.words[k], to.words[k].hi, range);
    const Scalar& word = value.words[k];
    const Bounds bounds = word.within(to.words[k].lo, to.words[k].hi)
                              ? Bounds{}
                              : Bounds{to.words[k].lo, to.words[k].hi};
    code_.emit(Set{word_of(to, k), word.expr, bounds}, range);
  }
  release(value.temporaries, range);
}

void BodyLowering::lower_into(model::ExprId expr, const Destination& to, SourceRange range) {
  Value value = lower(expr, {&to, false});
  if (value.stored)
    release(value.temporaries, range);
  else
    store(std::move(value), to, range);
}

std::vector<LocalPlace> BodyLowering::results(const std::vector<WordType>& words, Want want,
                                              Value& value, SourceRange range) {
  std::vector<LocalPlace> places;
  if (want.drop) {
    value.stored = true;
    return places;
  }
  if (want.destination != nullptr && want.destination->words.size() == words.size()) {
    const Destination& to = *want.destination;
    bool fits = true;
    for (std::size_t k = 0; k < words.size(); ++k)
      fits = fits && to.words[k].lo <= words[k].lo && words[k].hi <= to.words[k].hi;
    if (fits) {
      for (std::size_t k = 0; k < words.size(); ++k)
        places.push_back(word_of(to, k));
      value.stored = true;
      return places;
    }
  }
  const Slot first = allocate_temporaries(words, range);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const Slot slot = first + static_cast<Slot>(k);
    places.push_back({slot, {}, 1, {}});
    value.words.push_back(expressions_.local(slot, words[k].lo, words[k].hi, true));
    value.temporaries.push_back(slot);
  }
  return places;
}

}  // namespace cml::ir::lowering
