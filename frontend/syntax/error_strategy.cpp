// Reports and recovers; see error_strategy.h.
#include "frontend/syntax/error_strategy.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "frontend/syntax/expectation.h"
#include "frontend/syntax/foreign.h"

namespace cml::syntax {
namespace {

using antlr4::Token;
using P = grammar::CmlParser;

/// The statement or declaration that a context is a part of: its first token says where it begins.
const antlr4::ParserRuleContext* enclosing(const antlr4::ParserRuleContext* context) {
  while (context->parent != nullptr) {
    switch (context->getRuleIndex()) {
      case P::RulePlainStatement:
      case P::RuleIfStatement:
      case P::RuleItem:
      case P::RuleStructField:
      case P::RuleCaseHeader:
      case P::RuleBlock:  // not the statement around it, if there is none in it
      case P::RuleFile:
        return context;
      default:
        context = parent_of(context);
    }
  }
  return context;
}

/// What a `;` belongs behind.
std::string_view what_ends(const antlr4::ParserRuleContext* context) {
  switch (context->getRuleIndex()) {
    case P::RuleModelDecl:
      return "the title";
    case P::RuleImportDecl:
      return "the import";
    case P::RuleStructField:
      return "the field";
    case P::RuleInvariantDecl:
      return "the invariant";
    case P::RulePropertyDecl:
    case P::RuleFormulaDecl:
    case P::RuleTerminatesDecl:
      return "the property";
    case P::RulePlainStatement: {
      const auto* s = static_cast<const P::PlainStatementContext*>(context);
      if (s->keyword != nullptr) {
        switch (s->keyword->getType()) {
          case P::VAR:
          case P::LET:
            return "the declaration";
          default:
            return "the statement";
        }
      }
      return s->op != nullptr ? "the assignment" : "the statement";
    }
    default:
      return "the declaration";
  }
}

}  // namespace

std::size_t ErrorStrategy::position(antlr4::Parser* parser) {
  return parser->getCurrentToken()->getTokenIndex();
}

void ErrorStrategy::say(Code code, SourceRange where, std::string message, std::string cure) {
  reporter_.report(code, where, std::move(message)).cure(std::move(cure));
  if (reporter_.too_many()) throw antlr4::ParseCancellationException();
}

void ErrorStrategy::report(antlr4::Parser* parser) {
  reported_ = true;
  const std::size_t at = position(parser);
  if (at == silent_at_ || view_.quiet(at)) return;
  const antlr4::ParserRuleContext* context = parser->getContext();
  // A body that lacks its brace: what matters is the header before.
  const bool headed = context->getRuleIndex() == P::RuleBlock && parent_of(context) != nullptr &&
                      context->start->getTokenIndex() == at && view_.type(at) != P::LBRACE;
  const antlr4::ParserRuleContext* whole = enclosing(headed ? parent_of(context) : context);
  Stumble stumble{};
  stumble.at = at;
  const std::size_t rule = context->getRuleIndex();
  const bool between = whole->getRuleIndex() == P::RuleBlock ||
                       whole->getRuleIndex() == P::RuleFile || rule == P::RuleProcessDecl ||
                       rule == P::RuleClassDecl || rule == P::RuleSelectCase ||
                       rule == P::RuleMatchCase;
  stumble.first = between ? at : whole->start->getTokenIndex();
  const std::size_t keyword = view_.type(stumble.first);
  stumble.in_condition =
      inside(context, P::RuleCondition) ||
      (stumble.first < at &&
       (keyword == P::IF || keyword == P::WHILE || keyword == P::WITH || keyword == P::MATCH ||
        keyword == P::AWAIT || keyword == P::ASSERT || keyword == P::ASSUME));
  stumble.in_for_header =
      rule == P::RuleForHeader || (parent_of(context) != nullptr && rule == P::RuleName &&
                                   parent_of(context)->getRuleIndex() == P::RuleForHeader);
  stumble.among_statements = among_statements(context);
  stumble.in_expression = inside(context, P::RuleExpression);
  if (auto habit = recognise(view_, stumble)) {
    say(habit->code, habit->where, std::move(habit->message), std::move(habit->cure));
    return;
  }
  Expectation wanted = expectation(*parser, view_, at);
  // Where nothing follows, the place is behind what was there.
  const bool behind = view_.type(at) == Token::EOF && at > 0;
  say(wanted.code, behind ? view_.end_before(at) : view_.range(at), std::move(wanted.message),
      std::move(wanted.cure));
}

void ErrorStrategy::reportError(antlr4::Parser* parser, const antlr4::RecognitionException&) {
  if (!reported_) report(parser);
}

bool ErrorStrategy::semicolon_was_missing(antlr4::Parser* parser) {
  const std::size_t at = position(parser);
  const std::size_t type = view_.type(at);
  const bool ends = type == P::RBRACE || type == Token::EOF;
  const bool next_begins = view_.begins_line(at) ||
                           (view_.begins_statement(at) && is_keyword(type)) ||
                           (is_name(type) && view_.begins_statement(at) && type != P::INIT &&
                            !is_name(view_.type(at - 1)));
  if (!ends && !next_begins) return false;
  const antlr4::ParserRuleContext* context = parser->getContext();
  const std::size_t first = enclosing(context)->start->getTokenIndex();
  const bool quiet = view_.quiet(at) || at == silent_at_;
  if (!quiet) {
    // A word of another language explains more than the semicolon that its statement lacks.
    Stumble stumble{};
    stumble.first = first;
    stumble.at = at;
    stumble.among_statements = among_statements(context);
    if (!ends && !view_.begins_line(at) && recognise(view_, stumble)) return false;
    say(Code::MissingSemicolon, view_.end_before(at),
        fmt::format("expected `;` after {}", what_ends(context)), "add `;` here");
  }
  return true;
}

antlr4::Token* ErrorStrategy::recoverInline(antlr4::Parser* parser) {
  const antlr4::misc::IntervalSet expected = parser->getExpectedTokens();
  if (wants(expected, P::SEMICOLON) && semicolon_was_missing(parser)) {
    return parser->getCurrentToken();
  }
  const std::size_t at = position(parser);
  // `case c.recv()` without its colon, the body on the next line.
  const bool colon = parser->getContext()->getRuleIndex() == P::RuleCaseHeader &&
                     wants(expected, P::COLON) && view_.begins_line(at);
  if (colon) {
    if (!view_.quiet(at)) {
      say(Code::UnexpectedToken, view_.end_before(at), "expected `:` after the case",
          "write `case x = c.recv():` and then what is to be done");
    }
    return parser->getCurrentToken();
  }
  report(parser);
  // Junk between a header and its body: the body is read all the same.
  if (wants(expected, P::LBRACE) && !view_.begins_statement(at)) {
    const std::size_t anchor =
        enclosing(parent_of(parser->getContext()) != nullptr ? parent_of(parser->getContext())
                                                             : parser->getContext())
            ->start->getTokenIndex();
    skip(parser, anchor, Skip::Header);
    const std::size_t brace = position(parser);
    if (view_.type(brace) == P::LBRACE) {
      reported_ = false;
      antlr4::Token* token = parser->getCurrentToken();
      parser->getInputStream()->seek(brace + 1);
      return token;
    }
    parser->getInputStream()->seek(at);
  }
  throw antlr4::InputMismatchException(parser);
}

void ErrorStrategy::sync(antlr4::Parser* parser) {
  const antlr4::ParserRuleContext* context = parser->getContext();
  const std::size_t rule = context->getRuleIndex();
  Skip what = Skip::Statement;
  switch (rule) {
    case P::RuleFile:
    case P::RuleProcessDecl:
    case P::RuleClassDecl:
      what = Skip::Declaration;
      break;
    case P::RuleBlock:
    case P::RuleSelectCase:
    case P::RulePlainStatement:
    case P::RuleStructDecl:
      break;
    default:
      return;
  }
  const auto& atn = parser->getATN();
  const antlr4::misc::IntervalSet& next = atn.nextTokens(atn.states[parser->getState()]);
  const auto acceptable = [&] {
    const std::size_t type = view_.type(position(parser));
    if (rule == P::RuleSelectCase && (type == P::CASE || type == P::DEFAULT || type == P::RBRACE)) {
      return true;
    }
    return wants(next, type);
  };
  if (rule == P::RulePlainStatement && !wants(next, P::CASE)) return;
  while (!acceptable() && view_.type(position(parser)) != Token::EOF) {
    const std::size_t at = position(parser);
    // The brace that ends the loop is never skipped: `match` will deal with it.
    if (view_.type(at) == P::RBRACE &&
        view_.notes(at).depth < view_.notes(context->start->getTokenIndex()).depth + 1) {
      return;
    }
    report(parser);
    reported_ = false;
    skip(parser, at, what);
    if (position(parser) == at) parser->getInputStream()->seek(at + 1);
  }
}

void ErrorStrategy::recover(antlr4::Parser* parser, std::exception_ptr error) {
  const antlr4::ParserRuleContext* context = parser->getContext();
  const antlr4::ParserRuleContext* parent = parent_of(context);
  const std::size_t own_start = context->start->getTokenIndex();
  switch (context->getRuleIndex()) {
    case P::RulePlainStatement:
    case P::RuleIfStatement:
    case P::RuleStructField: {
      const std::size_t before = position(parser);
      skip(parser, own_start, Skip::Statement);
      if (position(parser) == before && before == own_start && view_.type(before) != P::RBRACE) {
        parser->getInputStream()->seek(before + 1);
      }
      break;
    }
    case P::RuleItem:
      skip(parser, own_start, Skip::Declaration);
      break;
    case P::RuleCondition:
    case P::RuleForHeader:
    case P::RuleThreadHeader:
    case P::RuleFunctionHeader:
    case P::RuleConstructorHeader:
    case P::RuleProcessHeader:
    case P::RuleClassHeader:
      if (parent == nullptr) std::rethrow_exception(error);
      skip(parser, parent->start->getTokenIndex(), Skip::Header);
      if (view_.type(position(parser)) != P::LBRACE) silent_at_ = position(parser);
      break;
    case P::RuleCaseHeader:
      skip(parser, own_start, Skip::CaseHeader);
      break;
    case P::RuleBlock: {
      // A body without braces: its one statement is skipped, and an `else` may follow.
      if (parent == nullptr || !among_statements(parent)) std::rethrow_exception(error);
      const std::size_t at = position(parser);
      if (at == silent_at_) std::rethrow_exception(error);
      skip(parser, at, Skip::Statement);
      break;
    }
    default:
      std::rethrow_exception(error);
  }
  reported_ = false;
}

void ErrorStrategy::skip(antlr4::Parser* parser, std::size_t anchor, Skip what) {
  antlr4::TokenStream& stream = *parser->getTokenStream();
  const std::uint32_t level = view_.notes(anchor).depth;
  const std::size_t from = position(parser);
  std::size_t i = from;
  for (; view_.type(i) != Token::EOF; ++i) {
    const std::size_t type = view_.type(i);
    const std::uint32_t depth = view_.notes(i).depth;
    if (depth < level) break;
    if (depth > level) continue;
    if (i > from || i > anchor) {
      const bool next =
          view_.begins_line(i) &&
          (what == Skip::Declaration ? view_.begins_declaration(i) : view_.begins_statement(i));
      if (next) break;
    }
    if (type == P::SEMICOLON) {
      if (what != Skip::Header && what != Skip::CaseHeader) ++i;
      break;
    }
    if (type == P::LBRACE) {
      if (what == Skip::Header || what == Skip::CaseHeader) break;
      i = view_.notes(i).partner;
      const std::size_t next = view_.type(i + 1);
      const std::string_view first = view_.text(anchor);
      const bool goes_on = next == P::ELSE || next == P::OR || (first == "do" && next == P::WHILE);
      if (!goes_on) {
        ++i;
        if (view_.type(i) == P::SEMICOLON && !view_.begins_line(i)) ++i;
        break;
      }
      continue;
    }
    if (type == P::RBRACE) {
      // The end of a group in which the error was.
      if (i > anchor && view_.notes(i).partner >= anchor) {
        ++i;
      }
      break;
    }
    if (type == P::COLON && what == Skip::CaseHeader) {
      ++i;
      break;
    }
    if (i > from && what == Skip::Statement && (type == P::CASE || type == P::DEFAULT)) break;
  }
  stream.seek(i);
}

}  // namespace cml::syntax
