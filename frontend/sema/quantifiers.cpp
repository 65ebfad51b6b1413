// `forall`, `exists` and `count` over a range with constant bounds or over the elements of an array
// (docs/reference.md, "Expressions"): a short form of `&&`, `||` and `+`, one operand for each
// value, and lazy like them.
//
// The body is checked once for each value, the name standing for a constant or for the element; so
// `forall v in votes: v == yes` reads `votes[0]`, then perhaps `votes[1]`. The operands are joined
// as a balanced tree, which means the same and keeps the depth of expressions small. Cost: as many
// copies of the body as there are values, which is bounded.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

constexpr std::int64_t kMaxCopies = 4096;

std::string_view spelling(ast::Quantifier quantifier) {
  switch (quantifier) {
    case ast::Quantifier::Forall:
      return "forall";
    case ast::Quantifier::Exists:
      return "exists";
    case ast::Quantifier::Count:
      return "count";
  }
  return {};
}

}  // namespace

struct Sema::Elements {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::optional<ast::ExprId> array = {};
};

/// Calls `check` with the name standing for each value; once even if there is none. How many there
/// are, or nothing after an error.
std::optional<std::int64_t> Sema::for_each_value(const ast::QuantifiedExpr& node, SourceRange range,
                                                 const std::function<bool()>& check) {
  const std::optional<Elements> over = elements(node);
  check_hiding(node.index);
  const std::size_t mark = context_->names.size();
  const std::uint64_t outer = copies_;
  bool good = over.has_value();
  const std::int64_t count = over ? over->count : 1;
  if (good && count > 0 && outer * static_cast<std::uint64_t>(count) > kMaxCopies) {
    report(Code::TooLarge, range,
           fmt::format("`{}` stands for {} copies of its body; the limit is {}",
                       spelling(node.quantifier), outer * static_cast<std::uint64_t>(count),
                       kMaxCopies))
        .cure("write a function with a loop");
    good = false;
  }
  if (good) copies_ *= static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1));
  const std::int64_t rounds = good ? std::max<std::int64_t>(count, 1) : 1;
  for (std::int64_t k = 0; k < rounds; ++k) {
    LocalName entry;
    entry.name = node.index.text;
    entry.where = node.index.range;
    entry.type = over ? int_ : error_;
    if (over && over->array) {
      entry.kind = LocalName::Kind::Element;
      entry.array = *over->array;
      entry.element = static_cast<std::int32_t>(k);
    } else {
      const auto value = static_cast<std::int32_t>(over ? over->first + k : 0);
      entry.kind = LocalName::Kind::Constant;
      entry.constant = Constant{int_, model::Value{model::Value::Kind::Int, value, {}}};
    }
    declare_name(entry);
    const bool is_good = check();
    context_->names.resize(mark);
    good = good && is_good;
    if (!good) break;
  }
  copies_ = outer;
  return good ? std::optional(count) : std::nullopt;
}

ExprId Sema::quantified(const ast::QuantifiedExpr& node, SourceRange range) {
  std::vector<ExprId> parts;
  const auto* set = std::get_if<ast::ExprId>(&node.over);
  const auto count = for_each_value(node, range, [&] {
    parts.push_back(condition(node.body, fmt::format("`{}`", spelling(node.quantifier))));
    if (is_error(parts.back())) return false;
    if (set != nullptr)
      parts.back() = of_element(node.quantifier, *set, parts.size() - 1, parts.back(), range);
    return true;
  });
  if (!count) return error(range);
  if (*count <= 0) parts.clear();
  return joined(node.quantifier, parts, range);
}

/// Of a set: what is said of a number if it is an element, else what makes no difference.
ExprId Sema::of_element(ast::Quantifier quantifier, ast::ExprId over, std::size_t element,
                        ExprId said, SourceRange range) {
  const ExprId set = value(over, is_set_literal(over) ? any_set() : TypeId{});
  if (!is_set(set)) return said;
  const ExprId number = add(range, int_, model::IntLiteral{static_cast<std::int32_t>(element)});
  const ExprId is_in = add(range, bool_, model::Binary{model::BinaryOp::In, number, set});
  if (quantifier != ast::Quantifier::Forall)
    return add(range, bool_, model::Binary{model::BinaryOp::And, is_in, said});
  const ExprId is_out = add(range, bool_, model::Unary{model::UnaryOp::Not, is_in});
  return add(range, bool_, model::Binary{model::BinaryOp::Or, is_out, said});
}

/// What the name stands for, one after the other.
std::optional<Sema::Elements> Sema::elements(const ast::QuantifiedExpr& node) {
  if (const auto* bounds = std::get_if<ast::Range>(&node.over)) {
    const auto values =
        constant_range(*bounds, fmt::format("a bound of `{}`", spelling(node.quantifier)));
    if (!values) return std::nullopt;
    return Elements{values->lo, std::max<std::int64_t>(values->hi - values->lo + 1, 0)};
  }
  const ast::ExprId array = std::get<ast::ExprId>(node.over);
  const ExprId place = value(array, is_set_literal(array) ? any_set() : TypeId{});
  if (is_error(place)) return std::nullopt;
  if (const auto* set = as<model::SetType>(type_of(place))) {
    const std::int64_t size = set->size;
    if (!can_be_read_again(place, spelling(node.quantifier))) return std::nullopt;
    return Elements{0, size};
  }
  const auto* type = as<model::ArrayType>(type_of(place));
  if (type != nullptr && model_.exprs[place].storage != model::Storage::Value)
    return Elements{0, type->size, array};
  report(Code::BadQuantifier, range_of(place),
         fmt::format("`{}` over a value of type `{}`: it has no elements",
                     spelling(node.quantifier), name_of(type_of(place))))
      .cure(
          fmt::format("write `{0} i in 0..<n: …` with constant bounds, or `{0} v in a: …` over an "
                      "array or a set",
                      spelling(node.quantifier)));
  return std::nullopt;
}

ExprId Sema::joined(ast::Quantifier quantifier, const std::vector<ExprId>& parts,
                    SourceRange range) {
  const bool counts = quantifier == ast::Quantifier::Count;
  const bool all = quantifier == ast::Quantifier::Forall;
  const auto number = [&](std::int32_t n) { return add(range, int_, model::IntLiteral{n}); };
  std::vector<ExprId> left;
  std::int32_t known = 0;
  for (const ExprId part : parts) {
    const auto* literal = std::get_if<model::BoolLiteral>(&model_.exprs[part].node);
    if (counts && literal != nullptr) {
      known += literal->value ? 1 : 0;
    } else if (counts) {
      const ExprId one = number(1);
      const ExprId zero = number(0);
      left.push_back(add(range, int_, model::Conditional{part, one, zero}));
    } else if (literal == nullptr) {
      left.push_back(part);
    } else if (literal->value != all) {  // what comes behind is not evaluated
      if (left.empty()) return add(range, bool_, model::BoolLiteral{!all});
      left.push_back(part);
      break;
    }
  }
  if (counts && (known > 0 || left.empty())) left.push_back(number(known));
  if (left.empty()) return add(range, bool_, model::BoolLiteral{all});
  const model::BinaryOp op = counts ? model::BinaryOp::Add
                             : all  ? model::BinaryOp::And
                                    : model::BinaryOp::Or;
  while (left.size() > 1) {
    std::vector<ExprId> pairs;
    for (std::size_t i = 0; i < left.size(); i += 2) {
      pairs.push_back(i + 1 == left.size() ? left[i]
                                           : add(range, counts ? int_ : bool_,
                                                 model::Binary{op, left[i], left[i + 1]}));
    }
    left = std::move(pairs);
  }
  return left.front();
}

}  // namespace cml::sema
