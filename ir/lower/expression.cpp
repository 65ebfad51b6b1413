// Values and conditions.
#include <bit>
#include <fmt/format.h>
#include <utility>

#include "ir/lower/body.h"
#include "support/mutation.h"

namespace cml::ir::lowering {

ExprOp arithmetic_op(model::BinaryOp op) {
  switch (op) {
    case model::BinaryOp::Subtract:
      return ExprOp::Subtract;
    case model::BinaryOp::Multiply:
      return ExprOp::Multiply;
    case model::BinaryOp::Divide:
      return ExprOp::Divide;
    case model::BinaryOp::Remainder:
      return ExprOp::Remainder;
    case model::BinaryOp::BitAnd:
      return ExprOp::BitAnd;
    case model::BinaryOp::BitOr:
      return ExprOp::BitOr;
    case model::BinaryOp::BitXor:
      return ExprOp::BitXor;
    case model::BinaryOp::ShiftLeft:
      return ExprOp::ShiftLeft;
    case model::BinaryOp::ShiftRight:
      return ExprOp::ShiftRight;
    default:
      return ExprOp::Add;
  }
}

Value BodyLowering::lower(model::ExprId id, Want want) {
  const model::Expr& expr = expr_of(id);
  const Nesting nesting(context_, expr.range);
  Value value;
  if (!context_.failed()) value = lower_node(id, expr, want);
  if (!value.stored && !want.drop && value.words.empty()) {
    // Not supported: any value will do, but it must have the right number of words.
    const std::uint64_t count = context_.word_count(expr.type);
    if (count <= kMaxSlots) value.words.assign(count, expressions_.constant(0));
  }
  return value;
}

Value BodyLowering::lower_node(model::ExprId id, const model::Expr& expr, Want want) {
  const auto& node = expr.node;
  Value value;
  if (const auto* number = std::get_if<model::IntLiteral>(&node)) {
    value.words.push_back(expressions_.constant(number->value));
  } else if (const auto* boolean = std::get_if<model::BoolLiteral>(&node)) {
    value.words.push_back(expressions_.constant(boolean->value ? 1 : 0));
  } else if (const auto* enumerator = std::get_if<model::EnumLiteral>(&node)) {
    value.words.push_back(expressions_.constant(static_cast<std::int32_t>(enumerator->value)));
  } else if (const auto* index = std::get_if<model::IndexRef>(&node)) {
    const auto& known = index->of_process ? instance_.process_index : instance_.thread_index;
    value.words.push_back(expressions_.constant(known.value_or(0)));
  } else if (const auto* unary = std::get_if<model::Unary>(&node)) {
    value = lower(unary->operand);
    const auto* mod = std::get_if<model::ModType>(&context_.model.types[expr.type]);
    for (Scalar& word : value.words)
      word = unary->op == model::UnaryOp::Not ? expressions_.logical_not(word, expr.range)
             : mod != nullptr ? expressions_.modulo(ExprOp::Subtract, expressions_.constant(0),
                                                    word, mod->last, expr.range)
                              : expressions_.negate(word, expr.range);
  } else if (const auto* binary = std::get_if<model::Binary>(&node)) {
    return lower_binary(expr, *binary);
  } else if (const auto* conditional = std::get_if<model::Conditional>(&node)) {
    return lower_conditional(expr, *conditional, want);
  } else if (const auto* call = std::get_if<model::Call>(&node)) {
    return lower_call(expr, *call, want);
  } else if (const auto* operation = std::get_if<model::Operation>(&node)) {
    return lower_operation(expr, *operation, want);
  } else if (const auto* owned = std::get_if<model::OwnedBy>(&node)) {
    return lower_owned_by(expr, *owned);
  } else if (const auto* make = std::get_if<model::StructMake>(&node)) {
    return lower_struct(*make);
  } else if (const auto* array = std::get_if<model::ArrayMake>(&node)) {
    return lower_array(expr, *array);
  } else if (const auto* choose = std::get_if<model::Choose>(&node)) {
    return lower_choose(expr, *choose, want);
  } else if (const auto* from = std::get_if<model::ChooseFrom>(&node)) {
    return lower_choose_from(expr, *from, want);
  } else if (const auto* set = std::get_if<model::SetMake>(&node)) {
    return lower_set(expr, *set);
  } else if (const auto* size = std::get_if<model::SetSize>(&node)) {
    value = lower(size->set);
    for (Scalar& word : value.words)
      word = expressions_.count(word, expr.range);
  } else if (const auto* made = std::get_if<model::New>(&node)) {
    return lower_new(expr, *made, want);
  } else if (const auto* spawn = std::get_if<model::Spawn>(&node)) {
    return lower_spawn(expr, *spawn, want);
  } else if (std::holds_alternative<model::NullLiteral>(node)) {
    value.words.push_back(expressions_.constant(0));
  } else if (std::holds_alternative<model::ThisRef>(node)) {
    if (frames_.back().self) value.words.push_back(*frames_.back().self);
  } else if (expr.storage == model::Storage::Local) {
    return read_frame(frame_place(id, false), expr.range);
  } else if (expr.storage == model::Storage::Value) {
    return lower_part(expr);
  } else {
    return read_object(object_place(id), want, expr.range, false);
  }
  return value;
}

Value BodyLowering::lower_binary(const model::Expr& expr, const model::Binary& node) {
  if (node.op == model::BinaryOp::And || node.op == model::BinaryOp::Or)
    return lower_lazy(expr, node);
  Value left = lower(node.left);
  protect(left, node.left, node.right);
  Value right = lower(node.right);
  if (node.op >= model::BinaryOp::Equal && node.op <= model::BinaryOp::GreaterEqual)
    return compare(node.op, std::move(left), std::move(right), expr.range);
  if (left.words.size() != 1 || right.words.size() != 1) return {};
  const Scalar& a = left.words.front();
  const Scalar& b = right.words.front();
  const auto* set = std::get_if<model::SetType>(&context_.model.types[expr_of(node.right).type]);
  if (node.op == model::BinaryOp::In && set != nullptr) {
    const Scalar common = expressions_.binary(
        ExprOp::BitAnd, expressions_.singleton(a, set->size, expr.range), b, expr.range);
    left.words.front() =
        expressions_.binary(ExprOp::NotEqual, common, expressions_.constant(0), expr.range);
  } else {
    left.words.front() = calculate(node.op, a, b, expr.type, expr.range);
  }
  append(left.temporaries, right.temporaries);
  return left;
}

Scalar BodyLowering::calculate(model::BinaryOp op, const Scalar& a, const Scalar& b,
                               model::TypeId type, SourceRange range) {
  const auto* mod = std::get_if<model::ModType>(&context_.model.types[type]);
  if (mod != nullptr && model::wraps(op))
    return expressions_.modulo(arithmetic_op(op), a, b, mod->last, range);
  const auto* set = std::get_if<model::SetType>(&context_.model.types[type]);
  if (set != nullptr && op == model::BinaryOp::Add)
    return expressions_.binary(ExprOp::BitOr, a, expressions_.singleton(b, set->size, range),
                               range);
  if (set != nullptr && op == model::BinaryOp::Subtract) {
    const Scalar others =
        expressions_.binary(ExprOp::BitXor, expressions_.singleton(b, set->size, range),
                            expressions_.constant(model::all_of(*set)), range);
    if (CML_MUTATION("taking-out-what-is-not-in-a-set-puts-it-in"))
      return expressions_.binary(ExprOp::BitXor, a, expressions_.singleton(b, set->size, range),
                                 range);
    return expressions_.binary(ExprOp::BitAnd, a, others, range);
  }
  return expressions_.binary(arithmetic_op(op), a, b, range);
}

Value BodyLowering::compare(model::BinaryOp op, Value left, Value right, SourceRange range) {
  Value result;
  result.temporaries = std::move(left.temporaries);
  append(result.temporaries, right.temporaries);
  if (left.words.empty() || left.words.size() != right.words.size()) return result;
  const Scalar& a = left.words.front();
  const Scalar& b = right.words.front();
  switch (op) {
    case model::BinaryOp::Less:
      result.words.push_back(expressions_.binary(ExprOp::Less, a, b, range));
      return result;
    case model::BinaryOp::LessEqual:
      result.words.push_back(expressions_.binary(ExprOp::LessEqual, a, b, range));
      return result;
    case model::BinaryOp::Greater:
    case model::BinaryOp::GreaterEqual: {
      const bool strict = op == model::BinaryOp::Greater;
      // Turned round, unless that changed which of two violations comes first.
      result.words.push_back(
          a.fails && b.fails
              ? expressions_.logical_not(
                    expressions_.binary(strict ? ExprOp::LessEqual : ExprOp::Less, a, b, range),
                    range)
              : expressions_.binary(strict ? ExprOp::Less : ExprOp::LessEqual, b, a, range));
      return result;
    }
    default:
      break;
  }
  if (left.words.size() == 1) {
    result.words.push_back(expressions_.binary(
        op == model::BinaryOp::Equal ? ExprOp::Equal : ExprOp::NotEqual, a, b, range));
    return result;
  }
  Scalar all = expressions_.constant(1);  // structs: by field
  for (std::size_t k = 0; k < left.words.size(); ++k) {
    const Scalar same = expressions_.binary(ExprOp::Equal, left.words[k], right.words[k], range);
    all = all.is(1) ? same : expressions_.binary(ExprOp::And, all, same, range);
  }
  result.words.push_back(op == model::BinaryOp::Equal ? all : expressions_.logical_not(all, range));
  return result;
}

Value BodyLowering::lower_lazy(const model::Expr& expr, const model::Binary& node) {
  const bool is_and = node.op == model::BinaryOp::And;
  Value left = lower(node.left);
  if (left.words.size() != 1) return {};
  const Scalar condition = left.words.front();
  if (condition.constant) {
    if (!condition.is(is_and ? 1 : 0)) return left;
    release(left.temporaries, expr.range);
    return lower(node.right);
  }
  if (!context_.needs_code(node.right)) {
    const Value right = lower(node.right);
    left.words.front() = expressions_.binary(is_and ? ExprOp::And : ExprOp::Or, condition,
                                             right.words.front(), expr.range);
    append(left.temporaries, right.temporaries);
    return left;
  }
  // The result is the left operand unless the right one is evaluated.
  Value result;
  const Slot slot = allocate_temporaries({kBool}, expr.range);
  result.words.push_back(expressions_.local(slot, 0, 1, true));
  const Label more = code_.new_label();
  const Label decided = code_.new_label();
  const Label done = code_.new_label();
  code_.branch(condition.expr, is_and ? more : decided, is_and ? decided : more, expr.range);
  std::vector<Slot> used = left.temporaries;
  code_.bind(decided);
  for (const Slot used_slot : used)
    reset(used_slot, expr.range);
  if (!is_and) code_.emit(Set{{slot, {}, 1, {}}, expressions_.constant(1).expr, {}}, expr.range);
  code_.jump(done, expr.range);
  code_.bind(more);
  release(used, expr.range);
  lower_into(node.right, destination(slot, {kBool}), expr.range);
  code_.bind(done);
  result.temporaries.push_back(slot);
  return result;
}

Value BodyLowering::lower_conditional(const model::Expr& expr, const model::Conditional& node,
                                      Want want) {
  Value condition = lower(node.condition);
  if (condition.words.size() != 1) return {};
  if (condition.words.front().constant) {
    release(condition.temporaries, expr.range);
    return lower(condition.words.front().is(1) ? node.if_true : node.if_false, want);
  }
  if (!context_.needs_code(node.if_true) && !context_.needs_code(node.if_false)) {
    Value result = lower(node.if_true);
    const Value other = lower(node.if_false);
    for (std::size_t k = 0; k < result.words.size() && k < other.words.size(); ++k)
      result.words[k] = expressions_.conditional(condition.words.front(), result.words[k],
                                                 other.words[k], expr.range);
    append(result.temporaries, other.temporaries);
    append(result.temporaries, condition.temporaries);
    return result;
  }
  const Label yes = code_.new_label();
  const Label no = code_.new_label();
  const Label done = code_.new_label();
  Value result;
  Destination to;
  if (want.destination != nullptr) {
    to = *want.destination;
    result.stored = true;
  } else {
    const std::vector<WordType> words = context_.words(expr.type, expr.range);
    const std::vector<LocalPlace> places = results(words, {}, result, expr.range);
    if (!places.empty()) to = destination(places.front().slot, words);
  }
  code_.branch(condition.words.front().expr, yes, no, expr.range);
  std::vector<Slot> used = condition.temporaries;
  code_.bind(yes);
  for (const Slot slot : used)
    reset(slot, expr.range);
  lower_into(node.if_true, to, expr.range);
  code_.jump(done, expr.range);
  code_.bind(no);
  release(used, expr.range);
  lower_into(node.if_false, to, expr.range);
  code_.bind(done);
  return result;
}

Value BodyLowering::lower_struct(const model::StructMake& node) {
  const model::Struct& decl = context_.model.structs[node.decl];
  std::vector<Value> fields(node.fields.size());
  for (std::size_t at = 0; at < node.evaluation_order.size(); ++at) {
    const std::uint32_t field = node.evaluation_order[at];
    const model::ExprId given = node.fields[field];
    const model::TypeId type = decl.fields[field].type;
    fields[field] = converted(lower(given), type, expr_of(given).range);
    model::Expr as_field;  // the value has the field's type now
    as_field.type = type;
    as_field.range = expr_of(given).range;
    for (std::size_t later = at + 1; later < node.evaluation_order.size(); ++later)
      protect(fields[field], as_field, false,
              context_.modifies_locals(node.fields[node.evaluation_order[later]]));
  }
  Value result;
  for (const Value& field : fields) {
    result.words.insert(result.words.end(), field.words.begin(), field.words.end());
    append(result.temporaries, field.temporaries);
  }
  return result;
}

Value BodyLowering::lower_array(const model::Expr& expr, const model::ArrayMake& node) {
  Value result;
  const auto* type = std::get_if<model::ArrayType>(&context_.model.types[expr.type]);
  for (std::size_t at = 0; at < node.elements.size() && type != nullptr; ++at) {
    const model::ExprId given = node.elements[at];
    Value element = converted(lower(given), type->element, expr_of(given).range);
    model::Expr as_element;
    as_element.type = type->element;
    as_element.range = expr_of(given).range;
    for (std::size_t later = at + 1; later < node.elements.size(); ++later)
      protect(element, as_element, false, context_.modifies_locals(node.elements[later]));
    result.words.insert(result.words.end(), element.words.begin(), element.words.end());
    append(result.temporaries, element.temporaries);
  }
  return result;
}

Value BodyLowering::lower_set(const model::Expr& expr, const model::SetMake& node) {
  const auto* type = std::get_if<model::SetType>(&context_.model.types[expr.type]);
  Value result;
  result.words.push_back(expressions_.constant(0));
  for (const model::ExprId element : node.elements) {
    protect(result, expr, context_.needs_code(element), context_.modifies_locals(element));
    Value value = lower(element);
    if (type == nullptr || value.words.size() != 1) return {};
    const Scalar one =
        expressions_.singleton(value.words.front(), type->size, expr_of(element).range);
    Scalar& all = result.words.front();
    all = all.is(0) ? one : expressions_.binary(ExprOp::BitOr, all, one, expr.range);
    append(result.temporaries, value.temporaries);
  }
  return result;
}

Value BodyLowering::lower_part(const model::Expr& expr) {
  if (const auto* field = std::get_if<model::StructField>(&expr.node)) {
    Value value = lower(field->base);
    const auto* type =
        std::get_if<model::StructType>(&context_.model.types[expr_of(field->base).type]);
    if (type == nullptr) return {};
    const std::uint64_t first = context_.field_offset(type->decl, field->field);
    const std::uint64_t count = context_.word_count(expr.type);
    if (first + count > value.words.size()) return {};
    value.words = {value.words.begin() + static_cast<std::ptrdiff_t>(first),
                   value.words.begin() + static_cast<std::ptrdiff_t>(first + count)};
    return value;
  }
  if (const auto* index = std::get_if<model::Index>(&expr.node)) {
    // Into consecutive words, so that an index can select one.
    Value whole = lower(index->base);
    const model::Expr& base = expr_of(index->base);
    const auto* type = std::get_if<model::ArrayType>(&context_.model.types[base.type]);
    if (type == nullptr) return {};
    const std::vector<WordType> words = context_.words(base.type, base.range);
    Value copy;
    const std::vector<LocalPlace> places = results(words, {}, copy, base.range);
    store(std::move(whole), destination(places.front().slot, words), base.range);
    FramePlace place;
    place.slot = places.front().slot;
    place.type = expr.type;
    place.stable = true;
    place.temporaries = std::move(copy.temporaries);
    add_index(place.terms, place.temporaries, place.slot, index->index, type->size,
              static_cast<std::uint32_t>(context_.word_count(type->element)), false);
    return read_frame(std::move(place), expr.range);
  }
  unsupported("this expression is checked but cannot be run yet", expr.range);
  return {};
}

Value BodyLowering::lower_choose(const model::Expr& expr, const model::Choose& node, Want want) {
  Value lo = lower(node.lo);
  protect(lo, node.lo, node.hi);
  lo = converted(std::move(lo), expr_of(node.lo).type, expr_of(node.lo).range);
  Value hi = converted(lower(node.hi), expr_of(node.hi).type, expr_of(node.hi).range);
  if (lo.words.size() != 1 || hi.words.size() != 1) return {};
  const Scalar first = lo.words.front();
  Scalar last = hi.words.front();
  append(lo.temporaries, hi.temporaries);
  const Scalar not_empty = expressions_.binary(node.half_open ? ExprOp::Less : ExprOp::LessEqual,
                                               first, last, expr.range);
  const bool certainly = node.half_open ? first.hi < last.lo : first.hi <= last.lo;
  if (!certainly) code_.emit(Assert{not_empty.expr, {}}, expr.range, "range");
  if (not_empty.is(0)) code_.set_unreachable();
  if (node.half_open) {
    // Cannot overflow: something is smaller.
    last = expressions_.binary(ExprOp::Subtract, last, expressions_.constant(1), expr.range);
  }
  Value result;
  recycle(lo.temporaries, expr.range, [&] {
    const WordType type{
        WordType::Kind::Int, std::min(first.lo, last.hi), std::max(first.lo, last.hi), {}};
    const std::vector<LocalPlace> targets = results({type}, want, result, expr.range);
    LocalPlace target{};
    if (targets.empty()) {
      target.slot = allocate_temporaries({type}, expr.range);
      result.temporaries.push_back(target.slot);
    } else {
      target = targets.front();
    }
    code_.emit(Choose{target, first.expr, last.expr}, expr.range);
  });
  return result;
}

Value BodyLowering::lower_choose_from(const model::Expr& expr, const model::ChooseFrom& node,
                                      Want want) {
  Value set = lower(node.set);
  const std::vector<WordType> words = context_.words(expr_of(node.set).type, expr.range);
  if (set.words.size() != 1 || words.size() != 1) return {};
  if (set.words.front().fails)
    set.words.front() =
        materialise(set.words.front(), set.temporaries, words.front(), {}, expr.range);
  const Scalar all = set.words.front();
  const Scalar count = expressions_.count(all, expr.range);
  const Scalar zero = expressions_.constant(0);
  if (count.lo == 0)
    code_.emit(Assert{expressions_.binary(ExprOp::Less, zero, count, expr.range).expr, {}},
               expr.range, "range");
  if (count.is(0)) code_.set_unreachable();
  const Scalar last =
      expressions_.binary(ExprOp::Subtract, count, expressions_.constant(1), expr.range);
  Value result;
  recycle(set.temporaries, expr.range, [&] {
    const auto bits =
        static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(words.front().hi)));
    const WordType type{WordType::Kind::Int, 0, bits - 1, {}};
    const std::vector<LocalPlace> targets = results({type}, want, result, expr.range);
    LocalPlace target{};
    if (targets.empty()) {
      target.slot = allocate_temporaries({type}, expr.range);
      result.temporaries.push_back(target.slot);
    } else {
      target = targets.front();
    }
    code_.emit(Choose{target, zero.expr, last.expr, all.expr}, expr.range);
  });
  return result;
}

void BodyLowering::lower_condition(model::ExprId id, Label if_true, Label if_false) {
  const model::Expr& expr = expr_of(id);
  const Nesting nesting(context_, expr.range);
  if (context_.failed()) return;
  if (const auto* unary = std::get_if<model::Unary>(&expr.node);
      unary != nullptr && unary->op == model::UnaryOp::Not) {
    lower_condition(unary->operand, if_false, if_true);
    return;
  }
  const auto* binary = std::get_if<model::Binary>(&expr.node);
  if (binary != nullptr &&
      (binary->op == model::BinaryOp::And || binary->op == model::BinaryOp::Or) &&
      context_.needs_code(binary->right)) {
    const Label more = code_.new_label();
    if (binary->op == model::BinaryOp::And)
      lower_condition(binary->left, more, if_false);
    else
      lower_condition(binary->left, if_true, more);
    code_.bind(more);
    if (code_.reachable()) lower_condition(binary->right, if_true, if_false);
    return;
  }
  Value value = lower(id);
  if (value.words.size() != 1) return;
  const Scalar& word = value.words.front();
  if (word.constant) {
    release(value.temporaries, expr.range);
    code_.jump(word.is(1) ? if_true : if_false, expr.range);
    return;
  }
  if (value.temporaries.empty()) {
    code_.branch(word.expr, if_true, if_false, expr.range);
    return;
  }
  const Label yes = code_.new_label();
  const Label no = code_.new_label();
  code_.branch(word.expr, yes, no, expr.range);
  code_.bind(yes);
  for (const Slot slot : value.temporaries)
    reset(slot, expr.range);
  code_.jump(if_true, expr.range);
  code_.bind(no);
  release(value.temporaries, expr.range);
  code_.jump(if_false, expr.range);
}

}  // namespace cml::ir::lowering
