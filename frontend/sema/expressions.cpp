// Expressions: from the AST to typed nodes of the model, folded where all operands are literals.
//
// An expression is a value or a place; `typed` and `convert` say what may be stored where
// (docs/reference.md, "Types and values" and "Expressions"). Chains of operators are walked by a
// loop, since a generated model may have thousands of operands.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

class Depth {
 public:
  explicit Depth(std::uint32_t& depth) : depth_(depth) { ++depth_; }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  std::uint32_t& depth_;
};

bool is_comparison(ast::BinaryOp op) {
  return op >= ast::BinaryOp::Equal && op <= ast::BinaryOp::GreaterEqual;
}

bool is_equality(ast::BinaryOp op) {
  return op == ast::BinaryOp::Equal || op == ast::BinaryOp::NotEqual;
}

}  // namespace

ExprId Sema::add(SourceRange range, TypeId type, decltype(model::Expr::node) node,
                 model::Storage storage) {
  return model_.exprs.push(model::Expr{range, type, storage, std::move(node)});
}

ast::ExprId Sema::strip(ast::ExprId expr) const {
  while (const auto* paren = std::get_if<ast::ParenExpr>(&ast_expr(expr).node)) {
    expr = paren->inner;
  }
  return expr;
}

ExprId Sema::expression(ast::ExprId id, TypeId expected) {
  const ast::Expr& expr = ast_expr(id);
  const Depth depth(expr_depth_);
  if (expr_depth_ > kMaxExprDepth) {
    report(Code::NestingTooDeep, expr.range,
           fmt::format("this expression nests deeper than {} levels", kMaxExprDepth))
        .cure("name a part of it with `let`");
    return error(expr.range);
  }
  const SourceRange range = expr.range;
  if (const auto* node = std::get_if<ast::NameExpr>(&expr.node))
    return name(*node, range, expected);
  if (const auto* node = std::get_if<ast::IntLiteral>(&expr.node)) return int_literal(*node, range);
  if (std::holds_alternative<ast::BinaryExpr>(expr.node)) return binary_chain(id, expected);
  if (const auto* node = std::get_if<ast::CallExpr>(&expr.node)) return call(*node, range);
  if (const auto* node = std::get_if<ast::MemberExpr>(&expr.node)) return member(*node, range);
  if (const auto* node = std::get_if<ast::IndexExpr>(&expr.node)) return index(*node, range);
  if (const auto* node = std::get_if<ast::ParenExpr>(&expr.node)) {
    return expression(node->inner, expected);
  }
  if (const auto* node = std::get_if<ast::BoolLiteral>(&expr.node)) {
    return add(range, bool_, model::BoolLiteral{node->value});
  }
  if (const auto* node = std::get_if<ast::UnaryExpr>(&expr.node)) return unary(*node, range);
  if (const auto* node = std::get_if<ast::ConditionalExpr>(&expr.node)) {
    return conditional(*node, range, expected);
  }
  if (const auto* node = std::get_if<ast::QuantifiedExpr>(&expr.node)) {
    return quantified(*node, range);
  }
  if (const auto* node = std::get_if<ast::TemporalExpr>(&expr.node)) {
    report(Code::MisplacedTemporal, node->op_range,
           fmt::format("`{}` inside of a value: it speaks of executions, not of one state",
                       spelling(node->op)))
        .cure(
            "join formulas by `!`, `&&`, `||`, `implies`, `until` and `release`, with parentheses "
            "where needed");
    return error(range);
  }
  if (std::holds_alternative<ast::LabelExpr>(expr.node)) {
    report(Code::StringInExpression, range, "a string is no value")
        .cure("in a formula, strings are the names of labels: `at(T, \"cs\")`");
    return error(range);
  }
  if (std::holds_alternative<ast::NullLiteral>(expr.node)) {
    return add(range, null_, model::NullLiteral{});
  }
  if (std::holds_alternative<ast::ThisExpr>(expr.node)) return this_ref(range);
  if (const auto* node = std::get_if<ast::NewExpr>(&expr.node)) return new_object(*node, range);
  if (const auto* node = std::get_if<ast::ChooseExpr>(&expr.node)) return choose(*node, range);
  if (const auto* node = std::get_if<ast::SetExpr>(&expr.node)) {
    return set_literal(*node, range, expected);
  }
  if (const auto* node = std::get_if<ast::SpawnExpr>(&expr.node)) {
    report(Code::MisplacedSpawn, range, "`spawn` inside an expression")
        .cure("`spawn` is a statement, or the whole right side of `=`: `let h = spawn …;`");
    spawn(*node, range);
    return error(range);
  }
  if (std::holds_alternative<ast::ArrayExpr>(expr.node)) {
    report(Code::BadArrayLiteral, range, "`[…]` stands only where an array is initialised")
        .cure("assign the elements one by one");
  }
  return error(range);
}

ExprId Sema::value(ast::ExprId expr, TypeId expected) {
  const ExprId result = comparand(expr, expected);
  return is_owner(result) ? owner_not_compared(result) : result;
}

ExprId Sema::comparand(ast::ExprId expr, TypeId expected) {
  const ExprId result = expression(expr, expected);
  if (as<model::VoidType>(type_of(result)) == nullptr) return result;
  report(Code::NoValue, range_of(result), "this call returns nothing, but a value is needed")
      .cure("give the function a result: `fun f(…): T { … return e; }`");
  return error(range_of(result));
}

ExprId Sema::typed(ast::ExprId expr, TypeId type, std::string_view what) {
  if (std::holds_alternative<ast::ArrayExpr>(ast_expr(strip(expr)).node) &&
      (is_error(type) || as<model::ArrayType>(type) != nullptr)) {
    return initial_value(strip(expr), type);
  }
  const ExprId result = value(expr, type);
  return convert(result, type, what) ? result : error(range_of(result));
}

ExprId Sema::right_side(ast::ExprId expr, TypeId expected) {
  const auto* node = std::get_if<ast::SpawnExpr>(&ast_expr(expr).node);
  if (node == nullptr) {
    return expected.valid() ? typed(expr, expected, "the value") : value(expr);
  }
  const ExprId result = spawn(*node, ast_expr(expr).range);
  return !expected.valid() || convert(result, expected, "the value") ? result
                                                                     : error(range_of(result));
}

ExprId Sema::condition(ast::ExprId expr, std::string_view what) {
  const ExprId result = value(expr, bool_);
  if (is_error(result) || as<model::BoolType>(type_of(result)) != nullptr) return result;
  auto& diagnostic = report(Code::NotBoolean, range_of(result),
                            fmt::format("the condition of {} is of type `{}`; it must be a `bool`",
                                        what, name_of(type_of(result))));
  if (is_number(type_of(result))) {
    diagnostic.cure("compare it: `… != 0`");
  } else if (as<model::ClassType>(type_of(result)) != nullptr ||
             as<model::ThreadType>(type_of(result)) != nullptr) {
    diagnostic.cure("compare it: `… != null`");
  } else if (as<model::LockType>(type_of(result)) != nullptr) {
    const bool by_nobody =
        context_->kind == CodeKind::Invariant || context_->kind == CodeKind::Finally;
    diagnostic.cure(by_nobody ? "ask whether nobody owns it, `….free`, or a certain thread, "
                                "`….owner == T`"
                              : "ask whether this thread owns it: `….held`");
  }
  return error(range_of(result));
}

ExprId Sema::guard(ast::ExprId expr, std::string_view what) {
  ++context_->guards;
  const ExprId result = condition(expr, what);
  --context_->guards;
  return result;
}

ExprId Sema::integer(ast::ExprId expr, std::string_view what) {
  const ExprId result = value(expr, int_);
  if (is_error(result) || is_number(type_of(result))) return result;
  report(Code::TypeMismatch, range_of(result),
         fmt::format("{} is of type `{}`; it must be an `int`", what, name_of(type_of(result))));
  return error(range_of(result));
}

bool Sema::convert(ExprId value, TypeId type, std::string_view what) {
  const TypeId from = type_of(value);
  if (from == type || is_error(from) || is_error(type)) return true;
  if (is_error(element_of(from)) || is_error(element_of(type))) return true;
  if (of_two_moduli(from, type)) {
    report_two_moduli(range_of(value), fmt::format("{} is of type", what), from, type);
    return false;
  }
  if (is_number(from) && is_number(type)) return true;
  const bool null = as<model::NullType>(from) != nullptr;
  if (const auto* to = as<model::ClassType>(type)) {
    if (null && to->nullable) return true;
    const auto* cls = as<model::ClassType>(from);
    if (cls != nullptr && cls->decl == to->decl) return true;
  }
  if (const auto* to = as<model::ThreadType>(type)) {
    if ((null && to->nullable) || as<model::ThreadType>(from) != nullptr) return true;
  }
  if (null) {
    const bool reference =
        as<model::ClassType>(type) != nullptr || as<model::ThreadType>(type) != nullptr;
    auto& diagnostic =
        report(Code::NullNotAllowed, range_of(value),
               fmt::format("{} is `null`, but `{}` is never null", what, name_of(type)));
    if (reference) {
      diagnostic.cure(fmt::format("declare it as `{}?` if it may be null", name_of(type)));
    }
    return false;
  }
  auto& diagnostic =
      report(Code::TypeMismatch, range_of(value),
             fmt::format("{} is of type `{}`; `{}` is needed", what, name_of(from), name_of(type)));
  if (is_number(from) && as<model::BoolType>(type) != nullptr) {
    diagnostic.cure("compare it: `… != 0`");
  } else if (as<model::BoolType>(from) != nullptr && as<model::IntType>(type) != nullptr) {
    diagnostic.cure("choose a number: `… ? 1 : 0`");
  } else if (as<model::ArrayType>(from) != nullptr) {
    diagnostic.cure("name one element: `…[i]`");
  }
  return false;
}

// ---- leaves ------------------------------------------------------------------------------------

ExprId Sema::int_literal(const ast::IntLiteral& node, SourceRange range) {
  if (node.value > 0x7fffffffU) {
    report(
        Code::IntegerTooLarge, range,
        fmt::format("{} does not fit into 32 bits: the largest integer is 2147483647", node.value));
    return error(range);
  }
  return add(range, int_, model::IntLiteral{static_cast<std::int32_t>(node.value)});
}

ExprId Sema::this_ref(SourceRange range) {
  if (!env().cls.valid()) {
    report(Code::ThisOutsideClass, range, "`this` outside a class")
        .cure("`this` is the object whose method runs; pass the object as a parameter");
    return error(range);
  }
  return add(range, intern(model::ClassType{env().cls, false}), model::ThisRef{});
}

ExprId Sema::choose(const ast::ChooseExpr& node, SourceRange range) {
  if (const auto* set = std::get_if<ast::ExprId>(&node.from)) return choose_from(*set, range);
  const auto& bounds = std::get<ast::Range>(node.from);
  const ExprId lo = integer(bounds.lo, "a bound of `choose`");
  const ExprId hi = integer(bounds.hi, "a bound of `choose`");
  if (is_error(lo) || is_error(hi)) return error(range);
  TypeId type = int_;
  const auto* first = std::get_if<model::IntLiteral>(&model_.exprs[lo].node);
  const auto* last = std::get_if<model::IntLiteral>(&model_.exprs[hi].node);
  if (first != nullptr && last != nullptr) {
    const std::int64_t end = std::int64_t{last->value} - (bounds.half_open ? 1 : 0);
    if (end >= first->value) {
      type = intern(model::IntType{first->value, static_cast<std::int32_t>(end)});
    }
  }
  return add(range, type, model::Choose{lo, hi, bounds.half_open});
}

ExprId Sema::index(const ast::IndexExpr& node, SourceRange range) {
  const ExprId base = value(node.base);
  const ExprId position = integer(node.index, "an index");
  if (is_error(base)) return error(range);
  const auto* array = as<model::ArrayType>(type_of(base));
  if (array == nullptr) {
    report(Code::NotIndexable, range_of(base),
           fmt::format("`{}` is no array and takes no index", name_of(type_of(base))));
    return error(range);
  }
  if (is_error(position)) return error(range);
  return add(range, array->element, model::Index{base, position}, model_.exprs[base].storage);
}

// ---- operators ---------------------------------------------------------------------------------

ExprId Sema::unary(const ast::UnaryExpr& node, SourceRange range) {
  if (node.op == ast::UnaryOp::Negate) {
    // -2147483648 is legal, though 2147483648 is not.
    const auto* number = std::get_if<ast::IntLiteral>(&ast_expr(node.operand).node);
    if (number != nullptr && number->value == 0x80000000U) {
      return add(range, int_, model::IntLiteral{INT32_MIN});
    }
    const ExprId operand = integer(node.operand, "the operand of `-`");
    if (is_error(operand)) return error(range);
    const auto* literal = std::get_if<model::IntLiteral>(&model_.exprs[operand].node);
    const auto* mod = as<model::ModType>(type_of(operand));
    const TypeId type = mod != nullptr ? type_of(operand) : int_;
    if (literal != nullptr && mod != nullptr) {
      const std::int64_t negated = -std::int64_t{literal->value};
      return add(range, type, model::IntLiteral{model::wrapped(negated, mod->last)});
    }
    if (literal != nullptr && literal->value != INT32_MIN) {
      return add(range, type, model::IntLiteral{-literal->value});
    }
    return add(range, type, model::Unary{node.op, operand});
  }
  if (node.op == ast::UnaryOp::Complement) {
    const ExprId operand = integer(node.operand, "the operand of `~`");
    if (is_error(operand)) return error(range);
    // All bits set, minus those of the operand; this never overflows.
    const auto* literal = std::get_if<model::IntLiteral>(&model_.exprs[operand].node);
    if (literal != nullptr) return add(range, int_, model::IntLiteral{~literal->value});
    const ExprId ones = add(range, int_, model::IntLiteral{-1});
    return add(range, int_, model::Binary{model::BinaryOp::Subtract, ones, operand});
  }
  const ExprId operand = value(node.operand, bool_);
  if (is_error(operand)) return error(range);
  if (as<model::BoolType>(type_of(operand)) == nullptr) {
    auto& diagnostic = report(Code::OperandType, range_of(operand),
                              fmt::format("the operand of `!` is of type `{}`; it must be a `bool`",
                                          name_of(type_of(operand))));
    if (is_number(type_of(operand))) diagnostic.cure("write `… == 0`");
    return error(range);
  }
  if (const auto* literal = std::get_if<model::BoolLiteral>(&model_.exprs[operand].node)) {
    return add(range, bool_, model::BoolLiteral{!literal->value});
  }
  return add(range, bool_, model::Unary{node.op, operand});
}

ExprId Sema::binary_chain(ast::ExprId top, TypeId expected) {
  const TypeId set =
      expected.valid() && as<model::SetType>(expected) != nullptr ? expected : TypeId{};
  std::vector<ast::ExprId> spine;
  ast::ExprId leaf = top;
  while (const auto* node = std::get_if<ast::BinaryExpr>(&ast_expr(leaf).node)) {
    spine.push_back(leaf);
    leaf = node->left;
  }
  if (spine.size() > kMaxChain) {
    report(Code::ExpressionTooLong, ast_expr(top).range,
           fmt::format("a chain of {} operators; the limit is {}", spine.size(), kMaxChain))
        .cure("name a part of it with `let`");
    return error(ast_expr(top).range);
  }
  ExprId left;
  for (auto next = spine.rbegin(); next != spine.rend(); ++next) {
    const ast::Expr& expr = ast_expr(*next);
    const auto& node = std::get<ast::BinaryExpr>(expr.node);
    ExprId right;
    if (next == spine.rbegin() && is_equality(node.op)) {
      left = equality(node, expr.range);
      continue;
    }
    const TypeId logical = node.op <= ast::BinaryOp::And ? bool_ : set;
    if (next == spine.rbegin() &&
        ((is_comparison(node.op) && is_loose_enumerator(leaf)) || is_loose_set(node))) {
      // `a == x`: the other side says which enum `a` belongs to, or of what `{a}` is a set.
      right = value(node.right);
      left = value(leaf, type_of(right));
    } else {
      if (next == spine.rbegin()) left = value(leaf, logical);
      right = value(node.right, is_comparison(node.op) || is_set(left) ? type_of(left) : logical);
    }
    left = combine(node, left, right, expr.range);
  }
  return left;
}

/// The innermost one of a chain: a side may be the owner of a lock, and the other then names a
/// thread.
ExprId Sema::equality(const ast::BinaryExpr& node, SourceRange range) {
  if (thread_name(node.left)) {
    const ExprId right = comparand(node.right);
    if (is_owner(right)) return owned_by(right, node.left, node.op, range);
    if (!is_error(right)) value(node.left);  // reports that a thread is no value
    return error(range);
  }
  if (is_loose_enumerator(node.left) || is_loose_set(node)) {
    // `a == x`: the other side says which enum `a` belongs to.
    const ExprId right = value(node.right);
    return combine(node, value(node.left, type_of(right)), right, range);
  }
  const ExprId left = comparand(node.left);
  if (is_owner(left)) return owned_by(left, node.right, node.op, range);
  if (is_error(left) && thread_name(node.right)) return error(range);
  const ExprId right = comparand(node.right, type_of(left));
  if (is_owner(right) && !is_error(left)) return owned_by(right, node.left, node.op, range);
  return combine(node, left, right, range);
}

ExprId Sema::combine(const ast::BinaryExpr& node, ExprId left, ExprId right, SourceRange range) {
  if (is_error(left) || is_error(right)) return error(range);
  const std::string_view op = ast::spelling(node.op);
  const bool logical = node.op == ast::BinaryOp::Or || node.op == ast::BinaryOp::And;
  const bool of_sets = node.op == ast::BinaryOp::In || is_set(left) || is_set(right);
  if (of_sets && !logical && !is_equality(node.op)) return combine_sets(node, left, right, range);
  if (is_equality(node.op)) {
    if (!check_comparable(left, right, node.op, node.op_range)) return error(range);
  } else {
    for (const ExprId operand : {left, right}) {
      const TypeId type = type_of(operand);
      if (logical ? as<model::BoolType>(type) != nullptr : is_number(type)) continue;
      auto& diagnostic = report(Code::OperandType, range_of(operand),
                                fmt::format("an operand of `{}` is of type `{}`; it must be {}", op,
                                            name_of(type), logical ? "a `bool`" : "an `int`"));
      if (logical && is_number(type)) {
        diagnostic.cure("compare it: `… != 0`");
      } else if (is_comparison(node.op) && as<model::BoolType>(type) != nullptr &&
                 std::holds_alternative<model::Binary>(model_.exprs[operand].node)) {
        diagnostic.cure("comparisons do not chain: write `a < b && b < c`");
      } else if (as<model::BoolType>(type) != nullptr) {
        if (node.op == ast::BinaryOp::BitAnd) diagnostic.cure("the logical operator is `&&`");
        if (node.op == ast::BinaryOp::BitOr) diagnostic.cure("the logical operator is `||`");
        if (node.op == ast::BinaryOp::BitXor) diagnostic.cure("on booleans write `!=`");
      }
      return error(range);
    }
  }
  TypeId type = bool_;
  if (!logical && is_number(type_of(left)) && is_number(type_of(right))) {
    const auto known = type_of_numbers(node.op, left, right, node.op_range);
    if (!known) return error(range);
    type = *known;
  }
  const auto a = literal_of(left);
  const auto b = literal_of(right);
  if (logical && a) {
    const bool decided = (a->value->scalar != 0) == (node.op == ast::BinaryOp::Or);
    if (decided) return add(range, bool_, model::BoolLiteral{a->value->scalar != 0});
    if (b) return add(range, bool_, model::BoolLiteral{b->value->scalar != 0});
  } else if (a && b && !logical) {
    const std::int32_t x = a->value->scalar;
    const std::int32_t y = b->value->scalar;
    switch (node.op) {
      case ast::BinaryOp::Equal:
        return add(range, bool_, model::BoolLiteral{x == y});
      case ast::BinaryOp::NotEqual:
        return add(range, bool_, model::BoolLiteral{x != y});
      case ast::BinaryOp::Less:
        return add(range, bool_, model::BoolLiteral{x < y});
      case ast::BinaryOp::LessEqual:
        return add(range, bool_, model::BoolLiteral{x <= y});
      case ast::BinaryOp::Greater:
        return add(range, bool_, model::BoolLiteral{x > y});
      case ast::BinaryOp::GreaterEqual:
        return add(range, bool_, model::BoolLiteral{x >= y});
      default:
        if (const auto* mod = as<model::ModType>(type)) {
          return add(range, type, model::IntLiteral{model::apply_modulo(node.op, x, y, mod->last)});
        }
        if (const auto number = model::apply(node.op, x, y)) {
          return add(range, int_, model::IntLiteral{*number});
        }
        break;  // wrong: reported where a constant is needed, else a violation when it runs
    }
  }
  return add(range, type, model::Binary{node.op, left, right});
}

bool Sema::check_comparable(ExprId left, ExprId right, ast::BinaryOp op, SourceRange where) {
  const TypeId l = type_of(left);
  const TypeId r = type_of(right);
  for (const TypeId type : {l, r}) {
    if (comparable(type)) continue;
    auto& diagnostic = report(
        Code::NotComparable, where,
        fmt::format("`{}` on `{}`: arrays, locks, semaphores and channels are not comparable",
                    ast::spelling(op), name_of(type)));
    if (as<model::StructType>(type) != nullptr) {
      diagnostic.cure("the struct contains an array; compare the fields that matter");
    } else if (as<model::ArrayType>(type) != nullptr) {
      diagnostic.cure("compare the elements in a loop");
    }
    return false;
  }
  const auto reference = [&](TypeId type) {
    return as<model::ClassType>(type) != nullptr || as<model::ThreadType>(type) != nullptr ||
           as<model::NullType>(type) != nullptr;
  };
  const auto* lc = as<model::ClassType>(l);
  const auto* rc = as<model::ClassType>(r);
  const bool both_null_or_same =
      (lc != nullptr && rc != nullptr && lc->decl == rc->decl) ||
      (as<model::ThreadType>(l) != nullptr && as<model::ThreadType>(r) != nullptr) ||
      (reference(l) && as<model::NullType>(r) != nullptr) ||
      (reference(r) && as<model::NullType>(l) != nullptr);
  if (l == r || both_null_or_same || (is_number(l) && is_number(r))) return true;
  report(Code::OperandType, where,
         fmt::format("`{}` compares `{}` with `{}`: both sides must be of one type",
                     ast::spelling(op), name_of(l), name_of(r)));
  return false;
}

ExprId Sema::conditional(const ast::ConditionalExpr& node, SourceRange range, TypeId expected) {
  const ExprId test = condition(node.condition, "`?:`");
  const bool is_loose =
      !expected.valid() && is_set_literal(node.if_true) && !is_set_literal(node.if_false);
  ExprId no = is_loose ? value(node.if_false) : ExprId{};
  ExprId yes = value(node.if_true, is_loose ? type_of(no) : expected);
  if (!is_loose)
    no = value(node.if_false, expected.valid() || is_error(yes) ? expected : type_of(yes));
  if (is_error(test) || is_error(yes) || is_error(no)) return error(range);
  adapt(yes, type_of(no));
  adapt(no, type_of(yes));
  const TypeId a = type_of(yes);
  const TypeId b = type_of(no);
  TypeId type;
  if (is_handle(a) || as<model::ArrayType>(a) != nullptr) {
    report(Code::BadElementType, range,
           fmt::format("`?:` cannot choose between values of type `{}`", name_of(a)))
        .cure("use `if`, or choose an index");
    return error(range);
  }
  const auto* ac = as<model::ClassType>(a);
  const auto* bc = as<model::ClassType>(b);
  const bool a_null = as<model::NullType>(a) != nullptr;
  const bool b_null = as<model::NullType>(b) != nullptr;
  if (a == b) {
    type = a;
  } else if (of_two_moduli(a, b)) {
    report_two_moduli(range, "`?:` chooses between a", a, b);
    return error(range);
  } else if (is_number(a) && is_number(b)) {
    type = int_;
  } else if (ac != nullptr && (b_null || (bc != nullptr && ac->decl == bc->decl))) {
    type = intern(model::ClassType{ac->decl, true});
  } else if (bc != nullptr && a_null) {
    type = intern(model::ClassType{bc->decl, true});
  } else if ((as<model::ThreadType>(a) != nullptr || a_null) &&
             (as<model::ThreadType>(b) != nullptr || b_null)) {
    type = intern(model::ThreadType{true});
  } else {
    report(Code::OperandType, range,
           fmt::format("`?:` chooses between `{}` and `{}`: both must be of one type", name_of(a),
                       name_of(b)));
    return error(range);
  }
  if (const auto* known = std::get_if<model::BoolLiteral>(&model_.exprs[test].node)) {
    const ExprId chosen = known->value ? yes : no;
    if (literal_of(chosen)) {
      model::Expr copy = model_.exprs[chosen];
      copy.range = range;
      copy.type = type;
      return model_.exprs.push(std::move(copy));
    }
  }
  return add(range, type, model::Conditional{test, yes, no});
}

}  // namespace cml::sema
