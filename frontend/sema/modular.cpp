// Integers modulo N: `mod(N)`, and what may be computed with them (docs/reference.md, "Types and
// values").
//
// A sum, a difference or a product of two values of one such type has that type, and wraps. A
// literal adapts to the other side. With any other int it would depend on the reader's habits
// whether the result wraps, and with another modulus it would mean nothing: both are errors. All
// other operators see the value, as an int.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

constexpr std::int64_t kLargestModulus = std::int64_t{1} << 31;

}  // namespace

TypeId Sema::resolve_mod(const ast::ModType& type) {
  const ast::ExprId bare = strip(type.modulus);
  const SourceRange where = ast_expr(bare).range;
  std::int64_t modulus = 0;
  if (const auto* number = std::get_if<ast::IntLiteral>(&ast_expr(bare).node)) {
    modulus = number->value;  // the largest is no int
  } else {
    const auto known = constant_int(type.modulus, "a modulus");
    if (!known) return error_;
    modulus = *known;
  }
  if (modulus < 1) {
    report(
        Code::BadModulus, where,
        fmt::format("`mod({})`: a modulus is at least 1, and at most {}", modulus, kLargestModulus))
        .cure("`mod(8)` has the values 0 to 7");
    return error_;
  }
  return intern(model::ModType{static_cast<std::int32_t>(modulus - 1)});
}

bool Sema::of_two_moduli(TypeId a, TypeId b) const {
  return a != b && as<model::ModType>(a) != nullptr && as<model::ModType>(b) != nullptr;
}

Diagnostic& Sema::report_two_moduli(SourceRange where, std::string_view what, TypeId a, TypeId b) {
  return report(Code::MixedModuli, where,
                fmt::format("{} `{}`, and `{}` counts differently", what, name_of(a), name_of(b)))
      .cure("make an int of one of them first: `let n: int = …;`");
}

std::optional<TypeId> Sema::type_of_numbers(ast::BinaryOp op, ExprId left, ExprId right,
                                            SourceRange where) {
  const TypeId a = type_of(left);
  const TypeId b = type_of(right);
  const bool compares = op >= ast::BinaryOp::Equal && op <= ast::BinaryOp::GreaterEqual;
  if (of_two_moduli(a, b) && (compares || model::wraps(op))) {
    report_two_moduli(where, fmt::format("`{}` of a", ast::spelling(op)), a, b);
    return std::nullopt;
  }
  if (compares) return bool_;
  if (a == b && model::wraps(op)) return as<model::ModType>(a) != nullptr ? a : int_;
  const bool is_left = as<model::ModType>(a) != nullptr;
  if (!model::wraps(op) || (!is_left && as<model::ModType>(b) == nullptr)) return int_;
  const TypeId type = is_left ? a : b;
  if (std::holds_alternative<model::IntLiteral>(model_.exprs[is_left ? right : left].node))
    return type;
  report(Code::MixedModuli, where,
         fmt::format("`{}` of a `{}` and an `{}`: does the result wrap?", ast::spelling(op),
                     name_of(type), name_of(is_left ? b : a)))
      .cure(fmt::format("if so, write `let k: {} = …;` for the int, else `let n: int = …;` for the "
                        "other",
                        name_of(type)));
  return std::nullopt;
}

void Sema::adapt(ExprId& literal, TypeId type) {
  const auto* mod = as<model::ModType>(type);
  const auto* number = std::get_if<model::IntLiteral>(&model_.exprs[literal].node);
  if (mod == nullptr || number == nullptr) return;
  literal =
      add(range_of(literal), type, model::IntLiteral{model::wrapped(number->value, mod->last)});
}

}  // namespace cml::sema
