// `match`: the values of an enum, a bool or an int, each in one case at most, and none left out
// (docs/reference.md, "Statements").
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {

void Sema::match(const ast::MatchStmt& node, SourceRange range, model::Block& into) {
  const SourceRange word{range.file, range.begin, range.begin + 5};
  model::Match result;
  result.value = value(node.value);
  TypeId type = type_of(result.value);
  const bool good = as<model::EnumType>(type) != nullptr || as<model::BoolType>(type) != nullptr ||
                    is_number(type);
  if (!good) {
    if (!is_error(result.value)) {
      report(Code::BadMatch, range_of(result.value),
             fmt::format("`match` on a `{}`: it distinguishes the values of an enum, a bool or an "
                         "int",
                         name_of(type)))
          .cure("compare with `if … else if …`");
    }
    type = error_;
  }
  if (node.cases.empty() && node.defaults.empty())
    report(Code::BadMatch, word, "a `match` without a case").cure("add `case …:` or `default:`");
  if (node.defaults.size() > 1) {
    report(Code::BadMatch, node.defaults[1].range, "a second `default`; there is at most one")
        .also(node.defaults[0].range, "the first one");
  } else if (!node.defaults.empty() && !node.default_last) {
    report(Code::BadMatch, node.defaults[0].range, "`default` stands before a case; it comes last")
        .cure("move it to the end of the `match`");
  }
  std::map<std::int32_t, SourceRange> seen;
  const std::size_t errors = reporter_.count();
  for (const ast::MatchStmt::Case& c : node.cases)
    match_case(c, result, type, seen);
  for (const ast::Block& last : node.defaults) {
    model::Block body = block(last);
    if (!result.otherwise) result.otherwise = std::move(body);
  }
  const bool complete = node.defaults.empty() && !node.cases.empty() && !is_error(type);
  if (complete && errors == reporter_.count()) check_complete(type, seen, word);
  push_stmt(into, range, std::move(result));
}

void Sema::match_case(const ast::MatchStmt::Case& c, model::Match& into, TypeId type,
                      std::map<std::int32_t, SourceRange>& seen) {
  model::Match::Case result;
  result.range = c.range;
  for (const ast::ExprId written : c.values) {
    if (is_error(type)) {
      value(written);
      continue;
    }
    const auto* mod = as<model::ModType>(type);
    const Constant known = constant(written, mod != nullptr ? int_ : type);
    if (!known.value) continue;
    const std::int32_t scalar = known.value->scalar;
    if (mod != nullptr && (scalar < 0 || scalar > mod->last)) {
      report(Code::ConstantRange, ast_expr(written).range,
             fmt::format("{} is no value of `{}`", scalar, name_of(type)));
      continue;
    }
    const SourceRange where = ast_expr(written).range;
    const auto [earlier, is_new] = seen.emplace(scalar, where);
    if (!is_new) {
      report(Code::BadMatch, where, "this value has a case already")
          .also(earlier->second, "the first one");
    }
    result.values.push_back(scalar);
  }
  result.body = block(c.body);
  into.cases.push_back(std::move(result));
}

void Sema::check_complete(TypeId type, const std::map<std::int32_t, SourceRange>& seen,
                          SourceRange range) {
  constexpr std::size_t kNamed = 4;
  std::int64_t lo = 0;
  std::int64_t hi = 1;
  const model::Enum* enumeration = nullptr;
  if (const auto* number = as<model::IntType>(type)) {
    lo = number->lo;
    hi = number->hi;
  } else if (const auto* mod = as<model::ModType>(type)) {
    hi = mod->last;
  } else if (const auto* names = as<model::EnumType>(type)) {
    enumeration = &model_.enums[names->decl];
    hi = static_cast<std::int64_t>(enumeration->enumerators.size()) - 1;
  }
  const auto missing = static_cast<std::uint64_t>(hi - lo + 1) - seen.size();
  if (missing == 0) return;
  std::string list;
  std::size_t named = 0;
  for (std::int64_t value = lo; value <= hi && named < kNamed; ++value) {
    const auto scalar = static_cast<std::int32_t>(value);
    if (seen.contains(scalar)) continue;
    const std::string text =
        enumeration != nullptr ? enumeration->enumerators[static_cast<std::size_t>(value)]
        : as<model::BoolType>(type) != nullptr ? (value != 0 ? "true" : "false")
                                               : fmt::format("{}", value);
    ++named;
    list += fmt::format("{}`{}`", named == 1 ? "" : named == missing ? " and " : ", ", text);
  }
  if (missing > named) list += ", …";
  report(Code::MatchIncomplete, range, fmt::format("this `match` leaves out {}", list))
      .cure("add a case, or `default:` for the rest");
}

}  // namespace cml::sema
