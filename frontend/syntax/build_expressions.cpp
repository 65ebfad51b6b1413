// Expressions of the parse tree to those of the AST; see builder.h.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/builder.h"

namespace cml::syntax {
namespace {

using P = grammar::CmlParser;

/// Binary operators and how tight they bind: the grammar has no levels. Temporal ones are looser
/// than comparisons.
struct Infix {
  std::size_t token;
  ast::BinaryOp op;
  int binding;
  FormulaKind temporal = FormulaKind::Condition;
};
constexpr auto kInfix = std::to_array<Infix>({
    {P::LOGICAL_OR, ast::BinaryOp::Or, 1},
    {P::LOGICAL_AND, ast::BinaryOp::And, 2},
    {P::EQUAL, ast::BinaryOp::Equal, 4},
    {P::NOT_EQUAL, ast::BinaryOp::NotEqual, 4},
    {P::LESS, ast::BinaryOp::Less, 5},
    {P::LESS_EQUAL, ast::BinaryOp::LessEqual, 5},
    {P::GREATER, ast::BinaryOp::Greater, 5},
    {P::GREATER_EQUAL, ast::BinaryOp::GreaterEqual, 5},
    {P::PLUS, ast::BinaryOp::Add, 6},
    {P::MINUS, ast::BinaryOp::Subtract, 6},
    {P::BIT_OR, ast::BinaryOp::BitOr, 6},
    {P::BIT_XOR, ast::BinaryOp::BitXor, 6},
    {P::STAR, ast::BinaryOp::Multiply, 7},
    {P::SLASH, ast::BinaryOp::Divide, 7},
    {P::PERCENT, ast::BinaryOp::Remainder, 7},
    {P::BIT_AND, ast::BinaryOp::BitAnd, 7},
    {P::SHIFT_LEFT, ast::BinaryOp::ShiftLeft, 7},
    {P::IN, ast::BinaryOp::In, 5},
});
constexpr Infix kShiftRight{P::GREATER, ast::BinaryOp::ShiftRight, 7};
constexpr Infix kImplies{P::TEMPORAL_INFIX, {}, 0, FormulaKind::Implies};
constexpr Infix kUntil{P::TEMPORAL_INFIX, {}, 3, FormulaKind::Until};
constexpr Infix kRelease{P::TEMPORAL_INFIX, {}, 3, FormulaKind::Release};
constexpr int kComparison = 4;

const Infix* infix(std::size_t type, std::string_view text) {
  if (type == P::TEMPORAL_INFIX) {
    return text == "implies" ? &kImplies : text == "until" ? &kUntil : &kRelease;
  }
  for (const Infix& entry : kInfix) {
    if (entry.token == type) return &entry;
  }
  return nullptr;
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
      digit = 10 + static_cast<std::uint64_t>(c - 'a');
    } else if (base == 16 && c >= 'A' && c <= 'F') {
      digit = 10 + static_cast<std::uint64_t>(c - 'A');
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
  // Only `spawn` alone is a value: nothing before it, nothing after it.
  const bool alone = e != nullptr && e->exception == nullptr && e->operands.size() == 1 &&
                     e->middle == nullptr && e->operands[0]->prefixes.empty() &&
                     e->operands[0]->postfixes.empty();
  if (alone) return bare_operand(e->operands[0], true);
  return expression(e);
}

ast::ExprId Builder::expression(P::ExpressionContext* e) {
  if (e == nullptr) return hole(reporter_.range(0, 0));
  if (e->operands.empty()) return hole(place(e));
  return rest(e, 0, 0);
}

// What begins with a certain prefix of an operand. A quantifier takes all behind it.
ast::ExprId Builder::rest(P::ExpressionContext* e, std::size_t first, std::size_t prefix) {
  // The operand with the first quantifier is the last that this function looks at.
  std::size_t last = first;
  for (; last < e->operands.size(); ++last) {
    if (quantifier(e->operands[last], last == first ? prefix : 0)) break;
  }
  const bool quantified = last < e->operands.size();
  if (!quantified) last = e->operands.size() - 1;
  const ast::ExprId condition = binary(e, first, last, prefix);
  if (e->middle == nullptr || quantified)
    return e->exception == nullptr ? condition : hole(place(e));
  const ast::ExprId if_true = expression(e->middle);
  const ast::ExprId if_false = expression(e->right);
  const SourceRange where = to_end(ast_.exprs[condition].range, e);
  return ast_.exprs.push({where, ast::ConditionalExpr{condition, if_true, if_false}});
}

/// From where `first` begins to the end of the expression.
SourceRange Builder::to_end(SourceRange first, const P::ExpressionContext* e) const {
  return {first.file, first.begin, std::max(first.end, place(e).end)};
}

/// The position of the operand's first quantifier among its prefixes, from one on.
std::optional<std::size_t> Builder::quantifier(P::OperandContext* o, std::size_t from) {
  for (std::size_t i = from; i < o->prefixes.size(); ++i) {
    if (o->prefixes[i]->word != nullptr) return i;
  }
  return std::nullopt;
}

ast::ExprId Builder::binary(P::ExpressionContext* e, std::size_t begin, std::size_t end,
                            std::size_t prefix) {
  std::size_t last = begin;  // the last operand that was used
  const ast::ExprId first = temporal(e, last, end, prefix);
  if (last == end) return first;
  // Operator precedence parsing: an operator waits until one that does not bind tighter comes.
  std::vector<ast::ExprId> values = {first};
  std::vector<std::pair<const Infix*, SourceRange>> waiting;
  const auto combine = [&] {
    const ast::ExprId right = values.back();
    values.pop_back();
    const auto [op, where] = waiting.back();
    waiting.pop_back();
    const SourceRange whole = cover(ast_.exprs[values.back()].range, ast_.exprs[right].range);
    if (op->token == P::TEMPORAL_INFIX)
      values.back() =
          ast_.exprs.push({whole, ast::TemporalExpr{op->temporal, values.back(), right, where}});
    else
      values.back() =
          ast_.exprs.push({whole, ast::BinaryExpr{op->op, values.back(), right, where}});
  };
  while (last < end && last < e->operators.size()) {
    P::InfixContext* sign = e->operators[last];
    const Infix* op = infix(sign->start->getType(), text(sign->start));
    if (sign->shift != nullptr) op = &kShiftRight;
    if (op == nullptr) return hole(place(e));
    // `implies`, `until` and `release` are right-associative.
    const int looser = op->token == P::TEMPORAL_INFIX ? op->binding + 1 : op->binding;
    while (!waiting.empty() && waiting.back().first->binding >= looser)
      combine();
    waiting.emplace_back(op, place(sign));
    ++last;
    values.push_back(last < e->operands.size() ? temporal(e, last, end, 0) : hole(place(e)));
  }
  while (!waiting.empty())
    combine();
  return values[0];
}

/// An operand, or, where a temporal operator stands before it, all that this takes: a comparison.
/// `position` becomes that of the last operand in it.
ast::ExprId Builder::temporal(P::ExpressionContext* e, std::size_t& position, std::size_t end,
                              std::size_t prefix) {
  P::OperandContext* o = e->operands[position];
  const std::size_t limit = quantifier(o, prefix).value_or(o->prefixes.size());
  const auto is_temporal = [&](std::size_t i) {
    const antlr4::Token* sign = o->prefixes[i]->sign;
    return sign != nullptr && sign->getType() == P::TEMPORAL_PREFIX;
  };
  std::size_t at = prefix;
  while (at < limit && !is_temporal(at))
    ++at;
  if (o->exception != nullptr || at == limit) return operand(e, position, prefix);
  if (limit > kMaxTemporal) {
    if (prefix == 0)
      report(Code::NestingTooDeep, place(o),
             fmt::format("more than {} operators before one operand", kMaxTemporal))
          .cure("`always always p` is `always p`");
    position = end;
    return hole(place(o));
  }
  const std::size_t first = position;
  const auto joins = [&](P::InfixContext* sign) {
    const Infix* op = infix(sign->start->getType(), text(sign->start));
    return op != nullptr && op->binding >= kComparison;
  };
  while (position < end && position < e->operators.size() && joins(e->operators[position]))
    ++position;
  const ast::ExprId inner = binary(e, first, position, at + 1);
  const antlr4::Token* sign = o->prefixes[at]->sign;
  const SourceRange where = place(sign);
  const FormulaKind op = text(sign) == "always" ? FormulaKind::Always : FormulaKind::Eventually;
  const SourceRange whole = cover(where, ast_.exprs[inner].range);
  const ast::ExprId result =
      ast_.exprs.push({whole, ast::TemporalExpr{op, std::nullopt, inner, where}});
  return apply_prefixes(o, prefix, at, result);
}

ast::ExprId Builder::operand(P::ExpressionContext* e, std::size_t position, std::size_t prefix) {
  P::OperandContext* o = e->operands[position];
  if (o->exception != nullptr) return hole(place(o));
  const std::optional<std::size_t> quantified = quantifier(o, prefix);
  const ast::ExprId inner =
      quantified ? quantify(e, position, *quantified) : bare_operand(o, false);
  return apply_prefixes(o, prefix, quantified.value_or(o->prefixes.size()), inner);
}

ast::ExprId Builder::apply_prefixes(P::OperandContext* o, std::size_t begin, std::size_t end,
                                    ast::ExprId inner) {
  ast::ExprId result = inner;
  // The innermost prefix is the last.
  for (std::size_t i = end; i-- > begin;) {
    const antlr4::Token* sign = o->prefixes[i]->sign;
    if (sign == nullptr) return hole(place(o));
    const auto op = sign->getType() == P::MINUS ? ast::UnaryOp::Negate
                    : sign->getType() == P::NOT ? ast::UnaryOp::Not
                                                : ast::UnaryOp::Complement;
    const SourceRange where = cover(place(sign), ast_.exprs[result].range);
    result = ast_.exprs.push({where, ast::UnaryExpr{op, result}});
  }
  return result;
}

ast::ExprId Builder::quantify(P::ExpressionContext* e, std::size_t position, std::size_t prefix) {
  P::PrefixContext* head = e->operands[position]->prefixes[prefix];
  const SourceRange where = to_end(place(head->word), e);
  if (head->exception != nullptr || head->first == nullptr) return hole(where);
  if (++quantifiers_ > kMaxQuantifiers) {
    report(Code::NestingTooDeep, place(head->word),
           fmt::format("more than {} quantifiers within one another", kMaxQuantifiers))
        .cure("move inner ones into functions");
    --quantifiers_;
    return hole(where);
  }
  const std::string_view word = text(head->word);
  const ast::Quantifier kind = word == "forall"   ? ast::Quantifier::Forall
                               : word == "exists" ? ast::Quantifier::Exists
                                                  : ast::Quantifier::Count;
  const ast::Name index = name(head->id);
  const ast::ExprId first = expression(head->first);
  std::variant<ast::Range, ast::ExprId> over = first;
  if (head->op != nullptr) {
    const ast::ExprId last = expression(head->second);
    const SourceRange range = cover(ast_.exprs[first].range, ast_.exprs[last].range);
    over = ast::Range{first, last, head->op->getType() == P::RANGE_BELOW, range};
  }
  const ast::ExprId body = rest(e, position, prefix + 1);
  --quantifiers_;
  return ast_.exprs.push({where, ast::QuantifiedExpr{kind, index, std::move(over), body}});
}

ast::ExprId Builder::bare_operand(P::OperandContext* o, bool spawn_allowed) {
  if (o->exception != nullptr) return hole(place(o));
  ast::ExprId result = primary(o, spawn_allowed);
  for (P::PostfixContext* p : o->postfixes)
    result = postfix(result, p);
  return result;
}

ast::ExprId Builder::postfix(ast::ExprId base, P::PostfixContext* p) {
  const SourceRange where = cover(ast_.exprs[base].range, place(p));
  if (p->member != nullptr) return ast_.exprs.push({where, ast::MemberExpr{base, name(p->member)}});
  if (p->subscript != nullptr) {
    const ast::ExprId index = expression(p->subscript);
    return ast_.exprs.push({where, ast::IndexExpr{base, index}});
  }
  ast::CallExpr call{base, arguments(p->arguments())};
  const auto& callee = ast_.exprs[base];
  if (!std::holds_alternative<ast::NameExpr>(callee.node) &&
      !std::holds_alternative<ast::MemberExpr>(callee.node)) {
    if (!std::holds_alternative<ast::ErrorExpr>(callee.node)) {
      report(Code::NotCallable, callee.range,
             fmt::format("`{}` is no function: only a name can be called",
                         reporter_.text(callee.range)))
          .cure("calls are `f(a)`, `object.method(a)`, `Struct(a)`");
    }
    return hole(where);
  }
  return ast_.exprs.push({where, std::move(call)});
}

ast::ExprId Builder::primary(P::OperandContext* o, bool spawn_allowed) {
  if (o->literal != nullptr) return literal(o->literal);
  if (o->keyword != nullptr) {
    const SourceRange where = reporter_.range(o->keyword->getStartIndex(), end_of_primary(o));
    switch (o->keyword->getType()) {
      case P::NEW: {
        const SourceRange named_at = o->typeArguments() != nullptr
                                         ? cover(place(o->id), place(o->typeArguments()))
                                         : place(o->id);
        const ast::TypeId type = ast_.types.push({named_at, named(o->id, o->typeArguments())});
        const bool unshared = o->UNSHARED() != nullptr;
        return ast_.exprs.push({where, ast::NewExpr{unshared, type, arguments(o->arguments())}});
      }
      case P::SPAWN:
        return spawn(o, where, spawn_allowed);
      default:
        return ast_.exprs.push({where, ast::ChooseExpr{parentheses(o->of, o)}});
    }
  }
  if (o->id != nullptr) return ast_.exprs.push({place(o->id), ast::NameExpr{name(o->id)}});
  if (o->open == nullptr) return hole(place(o));
  const SourceRange where = reporter_.range(o->open->getStartIndex(), end_of_primary(o));
  if (o->open->getType() == P::LPAREN) {
    const ast::ExprId inner = expression(o->inner);
    return ast_.exprs.push({where, ast::ParenExpr{inner}});
  }
  std::vector<ast::ExprId> elements;
  elements.reserve(o->elements.size());
  for (P::ExpressionContext* element : o->elements)
    elements.push_back(expression(element));
  if (o->open->getType() == P::SET_OPEN)
    return ast_.exprs.push({where, ast::SetExpr{std::move(elements)}});
  return ast_.exprs.push({where, ast::ArrayExpr{std::move(elements)}});
}

std::variant<ast::Range, ast::ExprId> Builder::parentheses(P::ParenthesesContext* p,
                                                           const antlr4::ParserRuleContext* owner) {
  if (p == nullptr || p->exception != nullptr || p->first == nullptr) return hole(place(owner));
  const ast::ExprId first = expression(p->first);
  if (p->op == nullptr) return first;
  const ast::ExprId last = expression(p->second);
  const SourceRange range = cover(ast_.exprs[first].range, ast_.exprs[last].range);
  return ast::Range{first, last, p->op->getType() == P::RANGE_BELOW, range};
}

std::size_t Builder::end_of_primary(P::OperandContext* o) const {
  const antlr4::Token* last =
      o->postfixes.empty() ? o->stop : stream_.get(o->postfixes[0]->start->getTokenIndex() - 1);
  return last->getStopIndex() + 1;
}

ast::ExprId Builder::spawn(P::OperandContext* p, SourceRange where, bool allowed) {
  const ast::ExprId thread = ast_.exprs.push({place(p->id), ast::NameExpr{name(p->id)}});
  ast::SpawnExpr spawned{thread, arguments(p->arguments())};
  if (!allowed) {
    report(Code::MisplacedSpawn, where, "`spawn` is not a part of a larger expression")
        .cure("write `let h = spawn …;` and use `h`");
    return hole(where);
  }
  return ast_.exprs.push({where, std::move(spawned)});
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
      if (in_formula_) return ast_.exprs.push({where, ast::LabelExpr{string(token)}});
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
    if (argument->second == nullptr) {
      result.push_back({{}, expression(argument->first)});
    } else {
      const std::optional<ast::Name> label = label_before_colon(argument->first);
      result.push_back({label, expression(argument->second)});
    }
  }
  return result;
}

std::optional<ast::Name> Builder::bare_name(P::ExpressionContext* e) const {
  if (e == nullptr || e->operands.size() != 1 || e->middle != nullptr) return std::nullopt;
  const P::OperandContext* o = e->operands[0];
  if (o->id == nullptr || o->keyword != nullptr || !o->prefixes.empty() || !o->postfixes.empty()) {
    return std::nullopt;
  }
  return name(o->id);
}

std::optional<ast::Name> Builder::label_before_colon(P::ExpressionContext* e) {
  const auto label = bare_name(e);
  if (!label && e != nullptr && e->exception == nullptr) {
    report(Code::ExpectedName, place(e), "what stands before a `:` is a name")
        .cure("write `S(field: value)`, `invariant name: condition;`, or `c ? a : b`");
  }
  return label;
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

ast::Range Builder::values_of(P::ForHeaderContext* header, std::optional<ast::ExprId>& channel) {
  if (header == nullptr || header->first == nullptr) return range_or_hole(nullptr, header);
  const ast::ExprId first = expression(header->first);
  if (header->op == nullptr) {
    if (header->exception == nullptr) channel = first;
    return {first, first, false, place(header->first)};
  }
  const ast::ExprId second =
      header->second != nullptr ? expression(header->second) : hole(place(header));
  SourceRange where = place(header->first);
  if (header->second != nullptr) where.end = place(header->second).end;
  return {first, second, header->op->getType() == P::RANGE_BELOW, where};
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
