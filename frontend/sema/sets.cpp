// Small sets: `set(0..<N)`, their literals and operators (docs/reference.md, "Types and values").
//
// A literal says what is in it, not what it is a set of: that is known from where it stands, or
// from the other side of an operator. What `for` and quantifiers go over is looked at once: `for`
// copies it, and a quantifier, which stands for many conditions, wants one that cannot change.
#include <algorithm>
#include <fmt/format.h>

#include "frontend/sema/effects.h"
#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

/// Whether the expression reads locals and constants only.
bool is_of_locals(const model::Model& model, ExprId set) {
  bool result = true;
  scan(model, set, [&](ExprId part, bool) {
    const model::Expr& expr = model.exprs[part];
    using model::Storage;
    result = result && (expr.storage == Storage::Local || expr.storage == Storage::Value) &&
             !std::holds_alternative<model::Call>(expr.node) &&
             !std::holds_alternative<model::Operation>(expr.node) &&
             !std::holds_alternative<model::Choose>(expr.node) &&
             !std::holds_alternative<model::ChooseFrom>(expr.node) &&
             !std::holds_alternative<model::OwnedBy>(expr.node);
  });
  return result;
}

}  // namespace

TypeId Sema::resolve_set(const ast::SetType& type) {
  const auto range = constant_range(type.elements, "a bound of a set");
  if (!range) return error_;
  const std::int64_t size = range->hi + 1;
  const SourceRange where = type.elements.range;
  if (range->lo != 0 || size < 1) {
    report(Code::BadSet, where,
           range->lo == 0
               ? std::string("a set that can hold no numbers")
               : fmt::format("a set of numbers in {}..{}: they begin at 0", range->lo, range->hi))
        .cure("write `set(0..<4)` for the sets of 0, 1, 2 and 3");
    return error_;
  }
  if (size > model::kLargestSet) {
    report(Code::BadSet, where,
           fmt::format("a set that can hold {} numbers; the limit is {}", size, model::kLargestSet))
        .cure(fmt::format("an array says the same: `var is_in: bool[{}];`", size));
    return error_;
  }
  return intern(model::SetType{static_cast<std::int32_t>(size)});
}

ExprId Sema::set_literal(const ast::SetExpr& node, SourceRange range, TypeId expected) {
  std::vector<ExprId> elements;
  bool good = true;
  const bool is_known = expected.valid() && as<model::SetType>(expected) != nullptr;
  for (const ast::ExprId element : node.elements) {
    elements.push_back(is_known ? integer(element, "an element of a set") : value(element));
    good = good && !is_error(elements.back());
  }
  if (is_known)
    return good ? add(range, expected, model::SetMake{std::move(elements)}) : error(range);
  if (!good || (expected.valid() && is_error(element_of(expected)))) return error(range);
  if (expected.valid() && as<model::VoidType>(expected) == nullptr) {
    report(Code::SetLiteral, range,
           fmt::format("`{{…}}` is a set; `{}` is needed", name_of(expected)))
        .cure("write `[a, b]` for the elements of an array, `S(a, b)` for a struct");
  } else {
    report(Code::SetLiteral, range, "nothing says of what this is a set")
        .cure("say it first: `let s: set(0..<4) = {…};`; elements of an array are `[a, b]`");
  }
  return error(range);
}

ExprId Sema::combine_sets(const ast::BinaryExpr& node, ExprId left, ExprId right,
                          SourceRange range) {
  const TypeId a = type_of(left);
  const TypeId b = type_of(right);
  const std::string_view op = ast::spelling(node.op);
  const auto wrong = [&](std::string_view cure) {
    report(Code::OperandType, node.op_range,
           fmt::format("`{}` of a `{}` and a `{}`", op, name_of(a), name_of(b)))
        .cure(std::string(cure));
    return error(range);
  };
  switch (node.op) {
    case ast::BinaryOp::In:
      if (is_number(a) && is_set(right))
        return add(range, bool_, model::Binary{node.op, left, right});
      return wrong(
          "`i in s` asks whether a number is in a set; for a range write `lo <= i && i < hi`");
    case ast::BinaryOp::Add:
    case ast::BinaryOp::Subtract:
      if (is_set(left) && is_number(b)) return add(range, a, model::Binary{node.op, left, right});
      if (is_set(left) && is_set(right) && node.op == ast::BinaryOp::Add)
        return wrong("`s | t` has what is in one of two sets, `s + i` one number more");
      return wrong("`s + i` is the set with the number i, `s - i` the one without it");
    case ast::BinaryOp::BitOr:
    case ast::BinaryOp::BitAnd:
      if (a == b) return add(range, a, model::Binary{node.op, left, right});
      return wrong("both sides are sets of one type; `s + i` adds a number");
    default:
      return wrong(
          "sets have `+`, `-`, `in`, `|`, `&`, `==` and `.size`; `s & t == s` says that all of s "
          "is "
          "in t");
  }
}

/// `s += i`, `s -= i`.
bool Sema::changes_set(ast::BinaryOp op, ExprId target, ExprId value, SourceRange range) {
  const bool fits = op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract;
  if (fits && is_number(type_of(value))) return true;
  report(Code::OperandType, range,
         fmt::format("`{}=` of a `{}` and a `{}`", ast::spelling(op), name_of(type_of(target)),
                     name_of(type_of(value))))
      .cure("`s += i` adds a number, `s -= i` takes it out, `s = s | t` adds all of t");
  return false;
}

ExprId Sema::choose_from(ast::ExprId set, SourceRange range) {
  const ExprId from = value(set, is_set_literal(set) ? any_set() : TypeId{});
  if (is_error(from)) return error(range);
  const auto* type = as<model::SetType>(type_of(from));
  if (type == nullptr) {
    report(Code::OperandType, range_of(from),
           fmt::format("`choose` from a `{}`: it takes a range or a set", name_of(type_of(from))))
        .cure("write `choose(0..3)`");
    return error(range);
  }
  return add(range, intern(model::IntType{0, type->size - 1}), model::ChooseFrom{from});
}

ExprId Sema::set_member(ExprId set, const ast::Name& member, SourceRange range) {
  if (member.text == "size") {
    const std::int32_t most = as<model::SetType>(type_of(set))->size;
    return add(range, intern(model::IntType{0, most}), model::SetSize{set});
  }
  if (member.text.empty()) return error(range);
  report(Code::UnknownMember, member.range,
         fmt::format("a `{}` has no `{}`", name_of(type_of(set)), member.text))
      .cure("it has `.size`; `i in s` asks for an element, `s + i` and `s - i` are other sets");
  return error(range);
}

bool Sema::can_be_read_again(ExprId set, std::string_view word) {
  const bool is_one_transition = context_->guards > 0 || context_->atomic_blocks > 0 ||
                                 context_->kind == CodeKind::Invariant ||
                                 context_->kind == CodeKind::Finally ||
                                 context_->kind == CodeKind::When;
  if (is_one_transition || is_of_locals(model_, set)) return true;
  report(Code::BadQuantifier, range_of(set),
         fmt::format("`{}` over a set that is read anew for each number: it could change meanwhile",
                     word))
      .cure("read it once: `let s = …;`");
  return false;
}

/// `for i in s { … }`: let copy = s; for i in 0..<n { if i in copy { … } }.
void Sema::for_each_element(const ast::ForStmt& node, ExprId set, SourceRange range,
                            model::Block& into) {
  const TypeId type = type_of(set);
  const std::int32_t size = as<model::SetType>(type)->size;
  model::Local hidden;
  hidden.type = type;
  hidden.range = range_of(set);
  hidden.is_let = true;
  const model::LocalId copy = context_->body.locals.push(std::move(hidden));
  model::Block all;
  all.range = range;
  push_stmt(all, range_of(set), model::LocalDecl{copy, set});
  model_.stmts.back().is_implied = true;
  const std::size_t mark = context_->names.size();
  const model::LocalId index = declare_local(node.index, int_, true, false);
  context_->names.back().is_for_index = true;
  const SourceRange where = node.index.range;
  const ExprId number = add(where, int_, model::LocalRef{index}, model::Storage::Local);
  const ExprId elements = add(range_of(set), type, model::LocalRef{copy}, model::Storage::Local);
  const ExprId is_in = add(where, bool_, model::Binary{model::BinaryOp::In, number, elements});
  ++context_->loops;
  model::Block body = block(node.body);
  --context_->loops;
  context_->names.resize(mark);
  model::Block round;
  round.range = body.range;
  model::If decides;
  decides.arms.push_back({is_in, std::move(body)});
  push_stmt(round, range, std::move(decides));
  model_.stmts.back().is_implied = true;
  const ExprId lo = add(range_of(set), int_, model::IntLiteral{0});
  const ExprId hi = add(range_of(set), int_, model::IntLiteral{size});
  push_stmt(all, range, model::For{index, lo, hi, true, std::move(round)});
  push_stmt(into, range, model::BlockStmt{std::move(all)});
}

}  // namespace cml::sema
