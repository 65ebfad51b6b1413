// Expressions of the parse tree to those of the AST; see builder.h.
#include <array>
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/builder.h"

namespace cml::syntax {
namespace {

using P = grammar::CmlParser;

std::optional<ast::BinaryOp> binary_operator(std::size_t type) {
  switch (type) {
    case P::LOGICAL_OR:
      return ast::BinaryOp::Or;
    case P::LOGICAL_AND:
      return ast::BinaryOp::And;
    case P::EQUAL:
      return ast::BinaryOp::Equal;
    case P::NOT_EQUAL:
      return ast::BinaryOp::NotEqual;
    case P::LESS:
      return ast::BinaryOp::Less;
    case P::LESS_EQUAL:
      return ast::BinaryOp::LessEqual;
    case P::GREATER:
      return ast::BinaryOp::Greater;
    case P::GREATER_EQUAL:
      return ast::BinaryOp::GreaterEqual;
    case P::PLUS:
      return ast::BinaryOp::Add;
    case P::MINUS:
      return ast::BinaryOp::Subtract;
    case P::STAR:
      return ast::BinaryOp::Multiply;
    case P::SLASH:
      return ast::BinaryOp::Divide;
    case P::PERCENT:
      return ast::BinaryOp::Remainder;
    default:
      return std::nullopt;
  }
}

constexpr std::uint64_t kLargestMagnitude = std::uint64_t{1} << 31;

/// The value of an integer token, or nothing if it exceeds the largest magnitude of an int.
std::optional<std::uint32_t> magnitude(std::string_view text) {
  std::uint64_t base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (base == 16 && c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint64_t>(c - 'a' + 10);
    } else if (base == 16 && c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint64_t>(c - 'A' + 10);
    } else {
      continue;  // an underscore, or what has been reported as malformed
    }
    value = value * base + digit;
    if (value > kLargestMagnitude) return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

ast::ExprId Builder::hole(SourceRange where) { return ast_.exprs.push({where, ast::ErrorExpr{}}); }

std::optional<ast::ExprId> Builder::optional_expression(P::ExpressionContext* e,
                                                        const antlr4::ParserRuleContext* owner) {
  if (e == nullptr) {
    if (owner->exception != nullptr) return hole(place(owner));
    return std::nullopt;
  }
  return expression(e);
}

ast::ExprId Builder::value(P::ExpressionContext* e) {
  if (e != nullptr && e->atom != nullptr) return primary(e->atom, true);
  return expression(e);
}

ast::ExprId Builder::expression(P::ExpressionContext* e) {
  if (e == nullptr) return hole(reporter_.range(0, 0));
  if (e->atom != nullptr) return primary(e->atom, false);
  if (e->call != nullptr) return call(e);
  if (e->exception != nullptr) return hole(place(e));
  if (e->member != nullptr) {
    const ast::ExprId base = expression(e->base);
    return ast_.exprs.push({place(e), ast::MemberExpr{base, name(e->member)}});
  }
  if (e->base != nullptr) {
    const ast::ExprId base = expression(e->base);
    const ast::ExprId index = expression(e->subscript);
    return ast_.exprs.push({place(e), ast::IndexExpr{base, index}});
  }
  if (e->prefix != nullptr) {
    const auto op = e->prefix->getType() == P::MINUS ? ast::UnaryOp::Negate : ast::UnaryOp::Not;
    const ast::ExprId operand = expression(e->operand);
    return ast_.exprs.push({place(e), ast::UnaryExpr{op, operand}});
  }
  if (e->op == nullptr) return hole(place(e));
  if (e->op->getType() == P::QUESTION) {
    const ast::ExprId condition = expression(e->left);
    const ast::ExprId if_true = expression(e->middle);
    const ast::ExprId if_false = expression(e->right);
    return ast_.exprs.push({place(e), ast::ConditionalExpr{condition, if_true, if_false}});
  }
  const auto op = binary_operator(e->op->getType());
  if (!op) return hole(place(e));
  const ast::ExprId left = expression(e->left);
  const ast::ExprId right = expression(e->right);
  return ast_.exprs.push({place(e), ast::BinaryExpr{*op, left, right, place(e->op)}});
}

ast::ExprId Builder::call(P::ExpressionContext* e) {
  const ast::ExprId callee = expression(e->base);
  ast::CallExpr call{callee, arguments(e->arguments())};
  const auto& node = ast_.exprs[callee].node;
  const SourceRange where = ast_.exprs[callee].range;
  if (!std::holds_alternative<ast::NameExpr>(node) &&
      !std::holds_alternative<ast::MemberExpr>(node)) {
    if (!std::holds_alternative<ast::ErrorExpr>(node)) {
      report(Code::NotCallable, where,
             fmt::format("`{}` is no function: only a name can be called", reporter_.text(where)))
          .cure("calls are `f(a)`, `object.method(a)`, `Struct(a)`");
    }
    return hole(place(e));
  }
  return ast_.exprs.push({place(e), std::move(call)});
}

ast::ExprId Builder::primary(P::PrimaryContext* p, bool spawn_allowed) {
  if (p->exception != nullptr) return hole(place(p));
  if (p->literal != nullptr) return literal(p->literal);
  if (p->keyword != nullptr) {
    switch (p->keyword->getType()) {
      case P::NEW: {
        const SourceRange where = p->typeArguments() != nullptr
                                      ? cover(place(p->id), place(p->typeArguments()))
                                      : place(p->id);
        const ast::TypeId type = ast_.types.push({where, named(p->id, p->typeArguments())});
        const bool unshared = p->UNSHARED() != nullptr;
        return ast_.exprs.push({place(p), ast::NewExpr{unshared, type, arguments(p->arguments())}});
      }
      case P::SPAWN:
        return spawn(p, spawn_allowed);
      default:
        return ast_.exprs.push({place(p), ast::ChooseExpr{range_or_hole(p->range(), p)}});
    }
  }
  if (p->id != nullptr) return ast_.exprs.push({place(p), ast::NameExpr{name(p->id)}});
  if (p->inner != nullptr) {
    const ast::ExprId inner = expression(p->inner);
    return ast_.exprs.push({place(p), ast::ParenExpr{inner}});
  }
  if (p->open != nullptr && p->open->getType() == P::LBRACKET) {
    ast::ArrayExpr array;
    array.elements.reserve(p->elements.size());
    for (P::ExpressionContext* element : p->elements)
      array.elements.push_back(expression(element));
    return ast_.exprs.push({place(p), std::move(array)});
  }
  return hole(place(p));
}

ast::ExprId Builder::spawn(P::PrimaryContext* p, bool allowed) {
  const ast::ExprId thread = ast_.exprs.push({place(p->id), ast::NameExpr{name(p->id)}});
  ast::SpawnExpr spawned{thread, arguments(p->arguments())};
  if (!allowed) {
    report(Code::MisplacedSpawn, place(p), "`spawn` is not a part of a larger expression")
        .cure("write `let h = spawn …;` and use `h`");
    return hole(place(p));
  }
  return ast_.exprs.push({place(p), std::move(spawned)});
}

ast::ExprId Builder::literal(const antlr4::Token* token) {
  const SourceRange where = place(token);
  switch (token->getType()) {
    case P::TRUE:
      return ast_.exprs.push({where, ast::BoolLiteral{true}});
    case P::FALSE:
      return ast_.exprs.push({where, ast::BoolLiteral{false}});
    case P::NULL_LITERAL:
      return ast_.exprs.push({where, ast::NullLiteral{}});
    case P::THIS:
      return ast_.exprs.push({where, ast::ThisExpr{}});
    case P::STRING:
      if (!quiet(token)) {
        report(Code::StringInExpression, where, "a string is no value")
            .cure(
                "strings are titles, labels and messages only; use an enum for values with names");
      }
      return hole(where);
    default:
      break;
  }
  const auto value = magnitude(text(token));
  if (!value && !quiet(token)) {
    report(Code::IntegerTooLarge, where, fmt::format("`{}` does not fit into an int", text(token)))
        .cure("an int goes from -2147483648 to 2147483647");
  }
  if (!value) return hole(where);
  return ast_.exprs.push({where, ast::IntLiteral{*value}});
}

std::vector<ast::Argument> Builder::arguments(P::ArgumentsContext* list) {
  std::vector<ast::Argument> result;
  if (list == nullptr) return result;
  result.reserve(list->list.size());
  for (P::ArgumentContext* argument : list->list) {
    std::optional<ast::Name> label;
    if (argument->id != nullptr) label = name(argument->id);
    result.push_back({label, expression(argument->value)});
  }
  return result;
}

std::vector<ast::ExprId> Builder::dimensions(const std::vector<P::DimensionContext*>& list) {
  std::vector<ast::ExprId> result;
  result.reserve(list.size());
  for (P::DimensionContext* dimension : list)
    result.push_back(expression(dimension->size));
  return result;
}

std::optional<ast::Range> Builder::range(P::RangeContext* range) {
  if (range == nullptr) return std::nullopt;
  const ast::ExprId lo = expression(range->lo);
  const ast::ExprId hi = expression(range->hi);
  const bool half_open = range->op != nullptr && range->op->getType() == P::RANGE_BELOW;
  return ast::Range{lo, hi, half_open, place(range)};
}

ast::Range Builder::range_or_hole(P::RangeContext* range_context,
                                  const antlr4::ParserRuleContext* owner) {
  if (auto found = range(range_context)) return *found;
  const SourceRange where = owner != nullptr ? place(owner) : reporter_.range(0, 0);
  const ast::ExprId lo = hole(where);
  const ast::ExprId hi = hole(where);
  return ast::Range{lo, hi, false, where};
}

// ---- names, strings and places -----------------------------------------------------------------

ast::Name Builder::name(const antlr4::ParserRuleContext* context) const {
  if (context == nullptr || context->start == nullptr) return {{}, reporter_.range(0, 0)};
  return {text(context->start), place(context->start)};
}

ast::StringLiteral Builder::string(const antlr4::Token* token) const {
  ast::StringLiteral result{{}, place(token)};
  const std::string_view quoted = text(token);
  if (quoted.empty()) return result;
  const char quote = quoted[0];
  for (std::size_t i = 1; i < quoted.size(); ++i) {
    if (quoted[i] == quote) break;
    if (quoted[i] != '\\') {
      result.value += quoted[i];
    } else if (++i < quoted.size()) {
      result.value += quoted[i] == 'n' ? '\n' : quoted[i];
    }
  }
  return result;
}

SourceRange Builder::place(const antlr4::Token* token) const {
  return range_of(*token, reporter_.file());
}

SourceRange Builder::place(const antlr4::ParserRuleContext* context) const {
  if (context == nullptr || context->start == nullptr) return reporter_.range(0, 0);
  const SourceRange first = place(context->start);
  // A rule that matched nothing stops before it starts.
  if (context->stop == nullptr || context->stop->getStopIndex() + 1 < first.begin) {
    return reporter_.range(first.begin, first.begin);
  }
  return reporter_.range(first.begin, context->stop->getStopIndex() + 1);
}

std::string_view Builder::text(const antlr4::Token* token) const {
  return reporter_.text(place(token));
}

bool Builder::quiet(const antlr4::Token* token) const {
  const std::size_t index = token->getTokenIndex();
  return index < tokens_.notes.size() && tokens_.notes[index].quiet;
}

}  // namespace cml::syntax
