// A small interpreter of pure code. Failures travel as an optional that is set once; every step
// looks at it, so that no exception is needed. Depth and steps are bounded, because a constant may
// call a function that does not end.
#include "frontend/constant_value.h"

#include <bit>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace cml::model {
namespace {

using Kind = EvaluationFailure::Kind;

constexpr std::uint32_t kMaxDepth = 800;

Value make_int(std::int32_t value) { return {Value::Kind::Int, value, {}}; }
Value make_bool(bool value) { return {Value::Kind::Bool, value ? 1 : 0, {}}; }

bool is_comparison(BinaryOp op) {
  return op == BinaryOp::Equal || op == BinaryOp::NotEqual || op == BinaryOp::Less ||
         op == BinaryOp::LessEqual || op == BinaryOp::Greater || op == BinaryOp::GreaterEqual;
}

bool compare(BinaryOp op, std::int32_t left, std::int32_t right) {
  switch (op) {
    case BinaryOp::Equal:
      return left == right;
    case BinaryOp::NotEqual:
      return left != right;
    case BinaryOp::Less:
      return left < right;
    case BinaryOp::LessEqual:
      return left <= right;
    case BinaryOp::Greater:
      return left > right;
    default:
      return left >= right;
  }
}

class Evaluator {
 public:
  Evaluator(const Model& model, const IndexEnvironment& indices)
      : model_(model), indices_(indices) {}

  Value expression(ExprId id);
  const std::optional<EvaluationFailure>& failure() const { return failure_; }

 private:
  enum class Flow : std::uint8_t { Next, Break, Continue, Return };

  struct Frame {
    std::vector<Value> locals;
    std::vector<TypeId> types;
    Value result;
  };

  bool failed() const { return failure_.has_value(); }
  Value fail(Kind kind, SourceRange where, std::string message) {
    if (!failed()) failure_ = EvaluationFailure{kind, where, std::move(message)};
    return {};
  }
  /// False when the budget is used up.
  bool step(SourceRange where, std::uint64_t cost = 1) {
    steps_ += cost;
    if (steps_ > kMaxConstantSteps) {
      fail(Kind::TooLong, where, fmt::format("takes more than {} steps", kMaxConstantSteps));
    }
    return !failed();
  }

  Value binary(const Binary& node, TypeId type, SourceRange where);
  Value arithmetic(BinaryOp op, const Value& left, const Value& right, TypeId type,
                   SourceRange where);
  Value with_set(BinaryOp op, const Value& left, const Value& right, const SetType& type,
                 SourceRange where);
  Value singleton(const Value& element, const SetType& type, SourceRange where);
  Value call(const Call& node, SourceRange where);
  Value* place(ExprId id);
  void store(Value& target, TypeId type, Value value, SourceRange where);
  /// An initialiser stands for each element of an array, an ArrayMake for all.
  Value initial(ExprId id, TypeId type);

  Flow block(const Block& b);
  Flow statement(const Stmt& stmt);
  Flow for_loop(const For& node);
  bool condition(ExprId id) { return expression(id).scalar != 0 && !failed(); }

  const Model& model_;
  const IndexEnvironment& indices_;
  std::optional<EvaluationFailure> failure_;
  std::uint64_t steps_ = 0;
  std::uint32_t depth_ = 0;
  Frame* frame_ = nullptr;
};

Value Evaluator::expression(ExprId id) {
  const Expr& expr = model_.exprs[id];
  if (!step(expr.range)) return {};
  if (depth_ >= kMaxDepth) return fail(Kind::TooLong, expr.range, "nests its calls too deeply");
  ++depth_;
  Value result;
  if (std::holds_alternative<ErrorExpr>(expr.node)) {
    result = fail(Kind::Poisoned, expr.range, "");
  } else if (const auto* number = std::get_if<IntLiteral>(&expr.node)) {
    result = make_int(number->value);
  } else if (const auto* truth = std::get_if<BoolLiteral>(&expr.node)) {
    result = make_bool(truth->value);
  } else if (const auto* enumerator = std::get_if<EnumLiteral>(&expr.node)) {
    result = {Value::Kind::Enum, static_cast<std::int32_t>(enumerator->value), {}};
  } else if (std::holds_alternative<NullLiteral>(expr.node)) {
    result = {Value::Kind::Null, 0, {}};
  } else if (const auto* index = std::get_if<IndexRef>(&expr.node)) {
    const auto& known = index->of_process ? indices_.process : indices_.thread;
    result = known ? make_int(*known)
                   : fail(Kind::NotConstant, expr.range,
                          "the index of a family differs from instance to instance");
  } else if (std::holds_alternative<LocalRef>(expr.node)) {
    if (const Value* found = place(id)) result = *found;
  } else if (const auto* field = std::get_if<StructField>(&expr.node)) {
    if (const Value* found = place(id)) {
      result = *found;
    } else if (!failed()) {
      Value base = expression(field->base);
      if (!failed() && field->field < base.parts.size()) {
        result = std::move(base.parts[field->field]);
      }
    }
  } else if (std::holds_alternative<Index>(expr.node)) {
    if (const Value* found = place(id)) {
      result = *found;
    } else {
      fail(Kind::NotConstant, expr.range, "it reads an object");
    }
  } else if (const auto* unary = std::get_if<Unary>(&expr.node)) {
    const Value operand = expression(unary->operand);
    if (unary->op == UnaryOp::Not) {
      result = make_bool(operand.scalar == 0);
    } else if (const auto* mod = std::get_if<ModType>(&model_.types[expr.type])) {
      result = make_int(apply_modulo(BinaryOp::Subtract, 0, operand.scalar, mod->last));
    } else if (operand.scalar == std::numeric_limits<std::int32_t>::min()) {
      result = fail(Kind::Overflow, expr.range, "-(-2147483648) does not fit into 32 bits");
    } else {
      result = make_int(-operand.scalar);
    }
  } else if (const auto* two = std::get_if<Binary>(&expr.node)) {
    result = binary(*two, expr.type, expr.range);
  } else if (const auto* choice = std::get_if<Conditional>(&expr.node)) {
    const bool truth_value = condition(choice->condition);
    if (!failed()) result = expression(truth_value ? choice->if_true : choice->if_false);
  } else if (const auto* function_call = std::get_if<Call>(&expr.node)) {
    result = call(*function_call, expr.range);
  } else if (const auto* make = std::get_if<StructMake>(&expr.node)) {
    result.kind = Value::Kind::Struct;
    result.parts.resize(make->fields.size());
    const auto* type = std::get_if<StructType>(&model_.types[expr.type]);
    for (std::uint32_t i : make->evaluation_order) {
      if (failed() || type == nullptr) break;
      const TypeId field_type = model_.structs[type->decl].fields[i].type;
      store(result.parts[i], field_type, expression(make->fields[i]), expr.range);
    }
  } else if (const auto* list = std::get_if<ArrayMake>(&expr.node)) {
    result.kind = Value::Kind::Array;
    for (ExprId element : list->elements) {
      if (failed()) break;
      result.parts.push_back(expression(element));
    }
  } else if (const auto* elements = std::get_if<SetMake>(&expr.node)) {
    const auto* type = std::get_if<SetType>(&model_.types[expr.type]);
    result = make_int(0);
    for (ExprId element : elements->elements) {
      if (failed() || type == nullptr) break;
      result.scalar |= singleton(expression(element), *type, model_.exprs[element].range).scalar;
    }
  } else if (const auto* size = std::get_if<SetSize>(&expr.node)) {
    result = make_int(std::popcount(static_cast<std::uint32_t>(expression(size->set).scalar)));
  } else if (std::holds_alternative<ChooseFrom>(expr.node)) {
    result = fail(Kind::NotConstant, expr.range, "`choose` has several results");
  } else if (std::holds_alternative<New>(expr.node)) {
    result = fail(Kind::NotConstant, expr.range, "`new` makes an object");
  } else if (std::holds_alternative<Choose>(expr.node)) {
    result = fail(Kind::NotConstant, expr.range, "`choose` has several results");
  } else if (std::holds_alternative<Spawn>(expr.node)) {
    result = fail(Kind::NotConstant, expr.range, "`spawn` starts a thread");
  } else if (std::holds_alternative<Operation>(expr.node)) {
    result = fail(Kind::NotConstant, expr.range, "it operates on an object");
  } else if (const auto* object = std::get_if<ObjectRef>(&expr.node)) {
    result = fail(Kind::NotConstant, expr.range,
                  fmt::format("it reads `{}`", model_.objects[object->object].name));
  } else if (const auto* member = std::get_if<FieldRef>(&expr.node)) {
    result = fail(Kind::NotConstant, expr.range,
                  fmt::format("it reads the field `{}`", model_.objects[member->field].name));
  } else {
    result = fail(Kind::NotConstant, expr.range, "it reads an object");
  }
  --depth_;
  return result;
}

Value Evaluator::binary(const Binary& node, TypeId type, SourceRange where) {
  const Value left = expression(node.left);
  if (failed()) return {};
  if (node.op == BinaryOp::And && left.scalar == 0) return make_bool(false);
  if (node.op == BinaryOp::Or && left.scalar != 0) return make_bool(true);
  const Value right = expression(node.right);
  if (failed()) return {};
  if (node.op == BinaryOp::And || node.op == BinaryOp::Or) return make_bool(right.scalar != 0);
  const TypeId of = model_.exprs[node.op == BinaryOp::In ? node.right : node.left].type;
  if (const auto* set = std::get_if<SetType>(&model_.types[of]))
    return with_set(node.op, left, right, *set, where);
  return arithmetic(node.op, left, right, type, where);
}

/// The set of one number.
Value Evaluator::singleton(const Value& element, const SetType& type, SourceRange where) {
  if (element.scalar >= 0 && element.scalar < type.size)
    return make_int(std::int32_t{1} << element.scalar);
  return fail(Kind::OutOfRange, where,
              fmt::format("{} is not in 0..<{}, what the set can hold", element.scalar, type.size));
}

Value Evaluator::with_set(BinaryOp op, const Value& left, const Value& right, const SetType& type,
                          SourceRange where) {
  switch (op) {
    case BinaryOp::In:
      return make_bool((singleton(left, type, where).scalar & right.scalar) != 0);
    case BinaryOp::Add:
      return make_int(left.scalar | singleton(right, type, where).scalar);
    case BinaryOp::Subtract:
      return make_int(left.scalar & ~singleton(right, type, where).scalar);
    case BinaryOp::BitOr:
      return make_int(left.scalar | right.scalar);
    case BinaryOp::BitAnd:
      return make_int(left.scalar & right.scalar);
    case BinaryOp::Equal:
      return make_bool(left.scalar == right.scalar);
    default:
      return make_bool(left.scalar != right.scalar);
  }
}

Value Evaluator::arithmetic(BinaryOp op, const Value& left, const Value& right, TypeId type,
                            SourceRange where) {
  if (op == BinaryOp::Equal) return make_bool(left == right);
  if (op == BinaryOp::NotEqual) return make_bool(!(left == right));
  if (is_comparison(op)) return make_bool(compare(op, left.scalar, right.scalar));
  const auto* mod = std::get_if<ModType>(&model_.types[type]);
  if (mod != nullptr && wraps(op))
    return make_int(apply_modulo(op, left.scalar, right.scalar, mod->last));
  if (const auto number = apply(op, left.scalar, right.scalar)) return make_int(*number);
  const std::string text = fmt::format("{} {} {}", left.scalar, ast::spelling(op), right.scalar);
  if ((op == BinaryOp::Divide || op == BinaryOp::Remainder) && right.scalar == 0) {
    return fail(Kind::DivisionByZero, where, text + " divides by zero");
  }
  return fail(Kind::Overflow, where, text + " does not fit into 32 bits");
}

Value Evaluator::call(const Call& node, SourceRange where) {
  const Function& function = model_.functions[node.function];
  if (node.receiver || function.is_synchronized) {
    return fail(Kind::NotConstant, where, "a method works on an object");
  }
  Frame frame;
  for (const Local& local : function.body.locals.items())
    frame.types.push_back(local.type);
  frame.locals.resize(frame.types.size());
  std::size_t position = 0;
  for (ExprId argument : node.arguments) {
    if (failed() || position >= frame.locals.size()) break;
    store(frame.locals[position], frame.types[position], expression(argument), where);
    ++position;
  }
  if (failed()) return {};
  Frame* const caller = std::exchange(frame_, &frame);
  block(function.body.block);
  frame_ = caller;
  if (failed()) return {};
  Value result;
  store(result, function.result, std::move(frame.result), where);
  return result;
}

/// The local that `id` denotes, or null if it is no place of a local.
Value* Evaluator::place(ExprId id) {
  const Expr& expr = model_.exprs[id];
  if (!step(expr.range)) return nullptr;
  if (const auto* local = std::get_if<LocalRef>(&expr.node)) {
    if (frame_ == nullptr || local->local.index >= frame_->locals.size()) {
      fail(Kind::NotConstant, expr.range, "it reads a variable");
      return nullptr;
    }
    return &frame_->locals[local->local.index];
  }
  if (const auto* field = std::get_if<StructField>(&expr.node)) {
    if (model_.exprs[field->base].storage != Storage::Local) return nullptr;
    Value* base = place(field->base);
    return base != nullptr && field->field < base->parts.size() ? &base->parts[field->field]
                                                                : nullptr;
  }
  if (const auto* index = std::get_if<Index>(&expr.node)) {
    if (model_.exprs[index->base].storage != Storage::Local) return nullptr;
    Value* base = place(index->base);
    if (base == nullptr) return nullptr;
    const Value position = expression(index->index);
    if (failed()) return nullptr;
    if (position.scalar < 0 || static_cast<std::size_t>(position.scalar) >= base->parts.size()) {
      fail(Kind::OutOfBounds, expr.range,
           fmt::format("index {} is outside 0..<{}", position.scalar, base->parts.size()));
      return nullptr;
    }
    return &base->parts[static_cast<std::size_t>(position.scalar)];
  }
  return nullptr;
}

void Evaluator::store(Value& target, TypeId type, Value value, SourceRange where) {
  if (failed()) return;
  const auto* range = std::get_if<IntType>(&model_.types[type]);
  if (range != nullptr && (value.scalar < range->lo || value.scalar > range->hi)) {
    fail(Kind::OutOfRange, where,
         fmt::format("{} is outside {}..{}", value.scalar, range->lo, range->hi));
    return;
  }
  target = std::move(value);
  if (const auto* mod = std::get_if<ModType>(&model_.types[type]))
    target.scalar = wrapped(target.scalar, mod->last);
}

Value Evaluator::initial(ExprId id, TypeId type) {
  const auto* array = std::get_if<ArrayType>(&model_.types[type]);
  if (array == nullptr) {
    Value value;
    store(value, type, expression(id), model_.exprs[id].range);
    return value;
  }
  Value value{Value::Kind::Array, 0, {}};
  const auto* list = std::get_if<ArrayMake>(&model_.exprs[id].node);
  for (std::uint32_t i = 0; i < array->size && !failed(); ++i) {
    if (list != nullptr && i >= list->elements.size()) break;
    value.parts.push_back(initial(list != nullptr ? list->elements[i] : id, array->element));
  }
  return value;
}

Evaluator::Flow Evaluator::block(const Block& b) {
  for (StmtId id : b.statements) {
    const Flow flow = statement(model_.stmts[id]);
    if (failed()) return Flow::Return;
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Evaluator::Flow Evaluator::for_loop(const For& node) {
  const std::int64_t lo = expression(node.lo).scalar;
  std::int64_t hi = expression(node.hi).scalar;
  if (node.half_open) --hi;
  for (std::int64_t i = lo; i <= hi && !failed(); ++i) {
    frame_->locals[node.index.index] = make_int(static_cast<std::int32_t>(i));
    const Flow flow = block(node.body);
    if (flow == Flow::Break) break;
    if (flow == Flow::Return) return flow;
    step(node.body.range);
  }
  return Flow::Next;
}

Evaluator::Flow Evaluator::statement(const Stmt& stmt) {
  if (!step(stmt.range)) return Flow::Return;
  if (depth_ >= kMaxDepth) {
    fail(Kind::TooLong, stmt.range, "nests its calls too deeply");
    return Flow::Return;
  }
  if (frame_ == nullptr) return Flow::Return;
  ++depth_;
  Flow flow = Flow::Next;
  if (const auto* nested = std::get_if<BlockStmt>(&stmt.node)) {
    flow = block(nested->block);
  } else if (const auto* local = std::get_if<LocalDecl>(&stmt.node)) {
    const TypeId type = frame_->types[local->local.index];
    step(stmt.range, scalar_count(model_, type));
    if (!failed()) {
      frame_->locals[local->local.index] =
          local->initial ? initial(*local->initial, type) : default_value(model_, type);
    }
  } else if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
    if (model_.exprs[assign->target].storage != Storage::Local) {
      fail(Kind::NotConstant, stmt.range, "it writes an object");
    } else if (place(assign->target) != nullptr && !failed()) {
      Value value = expression(assign->value);
      // Looked up again: evaluating the value may have moved what the place lies in.
      Value* const target = failed() ? nullptr : place(assign->target);
      if (target != nullptr) {
        const TypeId type = model_.exprs[assign->target].type;
        const auto* set = std::get_if<SetType>(&model_.types[type]);
        if (assign->op && set != nullptr) {
          value = with_set(*assign->op, *target, value, *set, stmt.range);
        } else if (assign->op) {
          value = arithmetic(*assign->op, *target, value, type, stmt.range);
        }
        store(*target, type, std::move(value), stmt.range);
      }
    }
  } else if (const auto* alone = std::get_if<ExprStmt>(&stmt.node)) {
    expression(alone->expr);
  } else if (const auto* branch = std::get_if<If>(&stmt.node)) {
    bool taken = false;
    for (const If::Arm& arm : branch->arms) {
      if (taken || failed()) break;
      taken = condition(arm.condition);
      if (taken) flow = block(arm.body);
    }
    if (!taken && !failed() && branch->otherwise) flow = block(*branch->otherwise);
  } else if (const auto* match = std::get_if<Match>(&stmt.node)) {
    const std::int32_t value = expression(match->value).scalar;
    const Block* taken = match->otherwise ? &*match->otherwise : nullptr;
    for (const Match::Case& c : match->cases) {
      if (std::find(c.values.begin(), c.values.end(), value) != c.values.end()) taken = &c.body;
    }
    if (!failed() && taken != nullptr) flow = block(*taken);
  } else if (const auto* loop = std::get_if<While>(&stmt.node)) {
    while (flow != Flow::Return && condition(loop->condition)) {
      flow = block(loop->body);
      if (flow == Flow::Break) break;
    }
    if (flow != Flow::Return) flow = Flow::Next;
  } else if (const auto* forever = std::get_if<Loop>(&stmt.node)) {
    while (!failed() && flow != Flow::Return && step(stmt.range)) {
      flow = block(forever->body);
      if (flow == Flow::Break) break;
    }
    if (flow != Flow::Return) flow = Flow::Next;
  } else if (const auto* counted = std::get_if<For>(&stmt.node)) {
    flow = for_loop(*counted);
  } else if (std::holds_alternative<Break>(stmt.node)) {
    flow = Flow::Break;
  } else if (std::holds_alternative<Continue>(stmt.node)) {
    flow = Flow::Continue;
  } else if (const auto* result = std::get_if<Return>(&stmt.node)) {
    if (result->value) frame_->result = expression(*result->value);
    flow = Flow::Return;
  } else if (const auto* assertion = std::get_if<Assert>(&stmt.node)) {
    if (!condition(assertion->condition)) fail(Kind::Failed, stmt.range, "an assertion fails");
  } else if (const auto* assumption = std::get_if<Assume>(&stmt.node)) {
    if (!condition(assumption->condition)) fail(Kind::Failed, stmt.range, "an assumption is false");
  } else if (std::holds_alternative<Fail>(stmt.node)) {
    fail(Kind::Failed, stmt.range, "it reaches `fail`");
  } else if (!std::holds_alternative<Skip>(stmt.node) &&
             !std::holds_alternative<Cover>(stmt.node)) {
    fail(Kind::NotConstant, stmt.range, "it synchronises or chooses");
  }
  --depth_;
  return failed() ? Flow::Return : flow;
}

}  // namespace

std::optional<std::int32_t> apply(BinaryOp op, std::int32_t left, std::int32_t right) {
  const std::int64_t a = left;
  const std::int64_t b = right;
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::Add:
      result = a + b;
      break;
    case BinaryOp::Subtract:
      result = a - b;
      break;
    case BinaryOp::Multiply:
      result = a * b;
      break;
    case BinaryOp::Divide:
      if (b == 0) return std::nullopt;
      result = a / b;
      break;
    case BinaryOp::Remainder:
      if (b == 0) return std::nullopt;
      result = a % b;
      break;
    case BinaryOp::BitAnd:
      return left & right;
    case BinaryOp::BitOr:
      return left | right;
    case BinaryOp::BitXor:
      return left ^ right;
    case BinaryOp::ShiftLeft:
      if (b < 0 || b > 31) return std::nullopt;
      result = a * (std::int64_t{1} << b);
      break;
    case BinaryOp::ShiftRight:
      if (b < 0 || b > 31) return std::nullopt;
      result = a >> b;
      break;
    default:
      return std::nullopt;
  }
  if (result < std::numeric_limits<std::int32_t>::min() ||
      result > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(result);
}

std::int32_t apply_modulo(BinaryOp op, std::int32_t left, std::int32_t right, std::int32_t last) {
  const std::int64_t a = left;
  const std::int64_t b = right;
  return wrapped(op == BinaryOp::Multiply ? a * b : op == BinaryOp::Add ? a + b : a - b, last);
}

Expected<Value, EvaluationFailure> evaluate(const Model& model, ExprId expr,
                                            const IndexEnvironment& indices) {
  Evaluator evaluator(model, indices);
  Value value = evaluator.expression(expr);
  if (evaluator.failure()) return Unexpected(*evaluator.failure());
  return value;
}

std::optional<Value> evaluate_constant(const Model& model, ExprId expr,
                                       const IndexEnvironment& indices) {
  auto result = evaluate(model, expr, indices);
  if (!result) return std::nullopt;
  return std::move(*result);
}

Value default_value(const Model& model, TypeId type) {
  const Type& t = model.types[type];
  if (const auto* range = std::get_if<IntType>(&t)) {
    return make_int(*range == IntType{} ? 0 : range->lo);
  }
  if (std::holds_alternative<ModType>(t) || std::holds_alternative<SetType>(t)) return make_int(0);
  if (std::holds_alternative<BoolType>(t)) return make_bool(false);
  if (std::holds_alternative<EnumType>(t)) return {Value::Kind::Enum, 0, {}};
  if (const auto* record = std::get_if<StructType>(&t)) {
    Value value{Value::Kind::Struct, 0, {}};
    for (const Struct::Field& field : model.structs[record->decl].fields) {
      value.parts.push_back(default_value(model, field.type));
    }
    return value;
  }
  if (const auto* array = std::get_if<ArrayType>(&t)) {
    return {Value::Kind::Array, 0,
            std::vector<Value>(array->size, default_value(model, array->element))};
  }
  return {Value::Kind::Null, 0, {}};
}

std::uint64_t scalar_count(const Model& model, TypeId type) {
  std::uint64_t factor = 1;
  while (const auto* array = std::get_if<ArrayType>(&model.types[type])) {
    factor *= array->size;
    if (factor > kManyScalars) return kManyScalars;
    type = array->element;
  }
  std::uint64_t count = 1;
  if (const auto* record = std::get_if<StructType>(&model.types[type])) {
    count = 0;
    for (const Struct::Field& field : model.structs[record->decl].fields) {
      count += scalar_count(model, field.type);
      if (count > kManyScalars) return kManyScalars;
    }
  }
  // Both are at most 2^40; the product may not be formed before that is known to fit.
  if (count != 0 && factor > kManyScalars / count) return kManyScalars;
  return count * factor;
}

}  // namespace cml::model
