// Messages for what stands where the grammar wants something else; see expectation.h.
#include "frontend/syntax/expectation.h"

#include "CmlParser.h"
#include <fmt/format.h>
#include <vector>

namespace cml::syntax {
namespace {

using antlr4::Token;
using P = grammar::CmlParser;

std::string describe(const TokenView& view, std::size_t at) {
  const std::size_t type = view.type(at);
  if (type == Token::EOF) return "the end of the file";
  if (type == P::STRING) return "a string";
  if (is_keyword(type)) return fmt::format("the keyword `{}`", view.text(at));
  return fmt::format("`{}`", view.text(at));
}

std::string owner_of_block(const antlr4::ParserRuleContext* block, const TokenView& view) {
  const antlr4::ParserRuleContext* owner = block->parent != nullptr ? parent_of(block) : block;
  if (owner->getRuleIndex() == P::RuleElseClause) {
    return static_cast<const P::ElseClauseContext*>(owner)->children.size() > 2 ? "if" : "else";
  }
  return std::string(view.text(owner->start->getTokenIndex()));
}

/// What stands at `at` where rule `context` wanted something else.
}  // namespace

Expectation expectation(antlr4::Parser& parser, const TokenView& view, std::size_t at) {
  const antlr4::ParserRuleContext* context = parser.getContext();
  const antlr4::misc::IntervalSet expected = parser.getExpectedTokens();
  const std::string found = describe(view, at);
  const auto only = [&](std::size_t type) { return expected.size() == 1 && wants(expected, type); };
  const auto no_expression = [&]() -> Expectation {
    return {Code::ExpectedExpression, fmt::format("expected an expression, found {}", found),
            is_keyword(view.type(at))
                ? fmt::format("`{}` is a keyword and cannot be a name", view.text(at))
                : std::string()};
  };
  switch (context->getRuleIndex()) {
    case P::RuleFile:
    case P::RuleProcessDecl:
      if (only(P::LBRACE)) break;
      return {
          Code::ExpectedDeclaration, fmt::format("expected a declaration, found {}", found),
          view.begins_statement(at) && !view.begins_declaration(at)
              ? "statements stand in a thread or a function: `thread Main { … }`"
              : "declarations begin with a word like `thread`, `shared`, `lock`, `const` or `fun`"};
    case P::RuleClassDecl:
      if (only(P::LBRACE)) break;
      return {Code::ExpectedDeclaration,
              fmt::format("expected a member of the class, found {}", found),
              "members begin with a word like `shared`, `lock`, `const`, `fun` or `init`"};
    case P::RuleAtomicDecl:
      return {Code::ExpectedDeclaration, fmt::format("expected a name or `class`, found {}", found),
              "write `atomic x: int = 0;` or `atomic class C { … }`"};
    case P::RuleStructDecl:
      if (only(P::LBRACE)) break;
      return {Code::ExpectedName, fmt::format("expected a field, found {}", found),
              "fields are written `name: type;`"};
    case P::RuleOperand:
    case P::RuleExpression:
    case P::RulePostfix:
      if (wants(expected, P::INTEGER)) return no_expression();
      break;
    case P::RuleTypeName:
    case P::RuleTypeArgument:
      return {Code::ExpectedType, fmt::format("expected a type, found {}", found),
              "types are `bool`, `int`, `int(0..9)`, enums, structs, classes and `thread`"};
    case P::RuleTypeParameter:
    case P::RuleName:
    case P::RuleAnyName:
      return {Code::ExpectedName, fmt::format("expected a name, found {}", found),
              is_keyword(view.type(at)) ? "a keyword cannot be a name: choose another one" : ""};
    case P::RuleBlock:
      if (only(P::LBRACE)) break;
      [[fallthrough]];
    case P::RuleStatement:
    case P::RuleSelectCase:
    case P::RuleMatchCase:
      return {Code::ExpectedStatement, fmt::format("expected a statement, found {}", found),
              view.type(at) == P::ELSE ? "an `else` follows the `}` of its `if`" : ""};
    case P::RulePlainStatement:
      if (wants(expected, P::CASE)) {
        return {Code::UnexpectedToken, fmt::format("expected `case` or `default`, found {}", found),
                view.type(context->start->getTokenIndex()) == P::MATCH
                    ? "a `match` consists of cases: `case 1, 2: …`"
                    : "a `select` consists of cases: `case x = c.recv(): …`"};
      }
      // Behind `=`, where an atomic block may stand, too.
      if (wants(expected, P::INTEGER) && !wants(expected, P::SEMICOLON)) return no_expression();
      break;
    default:
      break;
  }
  if (only(P::LBRACE)) {
    const bool body =
        context->getRuleIndex() == P::RuleBlock && among_statements(parent_of(context));
    if (body) {
      const std::string owner = owner_of_block(context, view);
      return {Code::BodyWithoutBraces, fmt::format("the body of `{}` has no braces", owner),
              owner == "else" ? "write `else { … }`" : fmt::format("write `{} … {{ … }}`", owner)};
    }
    return {Code::UnexpectedToken, fmt::format("expected `{{`, found {}", found),
            "bodies are in braces"};
  }
  if (only(P::RPAREN) || only(P::RBRACKET)) {
    const bool list = inside(context, P::RuleOperand) || inside(context, P::RulePostfix) ||
                      inside(context, P::RuleFunctionHeader);
    const char closer = only(P::RPAREN) ? ')' : ']';
    return {Code::UnexpectedToken,
            list ? fmt::format("expected `,` or `{}`, found {}", closer, found)
                 : fmt::format("expected `{}`, found {}", closer, found),
            {}};
  }
  if (wants(expected, P::RANGE)) {
    return {Code::UnexpectedToken, fmt::format("expected `..` or `..<`, found {}", found),
            "a range is `0..9` with its end or `0..<n` without"};
  }
  if (wants(expected, P::SEMICOLON)) {
    return {Code::UnexpectedToken, fmt::format("expected `;`, found {}", found), {}};
  }
  std::string list;
  const std::vector<ssize_t> types = expected.toList();
  if (types.size() <= 4) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) list += i + 1 == types.size() ? " or " : ", ";
      // Symbols and keywords have literal names, in single quotes.
      std::string name = types[i] == P::STRING       ? "a string"
                         : types[i] == P::IDENTIFIER ? "a name"
                         : types[i] == P::INTEGER    ? "an integer"
                         : types[i] == P::SET_CLOSE  ? "`}`"
                                                     : std::string();
      if (name.empty()) {
        name = parser.getVocabulary().getLiteralName(static_cast<std::size_t>(types[i]));
        for (char& c : name) {
          if (c == '\'') c = '`';
        }
      }
      list += name;
    }
  }
  if (list.empty()) return {Code::UnexpectedToken, fmt::format("{} cannot stand here", found), {}};
  return {Code::UnexpectedToken, fmt::format("expected {}, found {}", list, found), {}};
}

bool inside(const antlr4::ParserRuleContext* context, std::size_t rule) {
  for (; context != nullptr; context = parent_of(context)) {
    if (context->getRuleIndex() == rule) return true;
    if (context->getRuleIndex() == P::RuleBlock) return false;
  }
  return false;
}

bool among_statements(const antlr4::ParserRuleContext* context) {
  for (; context != nullptr; context = parent_of(context)) {
    if (context->getRuleIndex() == P::RuleBlock) return true;
    if (context->getRuleIndex() == P::RuleItem) return false;
  }
  return false;
}

}  // namespace cml::syntax
