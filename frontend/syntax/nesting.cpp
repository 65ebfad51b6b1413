// Counts levels and operators; see nesting.h.
#include "frontend/syntax/nesting.h"

#include "CmlParser.h"
#include <algorithm>

#include "frontend/syntax/tokens.h"

namespace cml::syntax {
namespace {

using grammar::CmlParser;

/// Can an operand end with this token, so that what follows is a binary or postfix operator?
bool ends_operand(std::size_t type) {
  switch (type) {
    case CmlParser::INTEGER:
    case CmlParser::STRING:
    case CmlParser::TRUE:
    case CmlParser::FALSE:
    case CmlParser::NULL_LITERAL:
    case CmlParser::THIS:
    case CmlParser::RPAREN:
    case CmlParser::RBRACKET:
    case CmlParser::SET_CLOSE:
      return true;
    default:
      return is_name(type);
  }
}

}  // namespace

void NestingMeter::end_of_statement() {
  ended_headers_ = level_.headers;
  level_.headers = 0;
  level_.conditions = 0;
  level_.angles = 0;
  level_.operators = level_.outer_operators;
  prefixes_ = 0;
}

NestingMeter::Verdict NestingMeter::next(std::size_t type) {
  switch (type) {
    case CmlParser::LPAREN:
    case CmlParser::LBRACKET:
    case CmlParser::SET_OPEN:
    case CmlParser::LBRACE: {
      // A body is one level together with its header, and ends all that is no statement.
      const bool brace = type == CmlParser::LBRACE;
      const std::uint32_t inner_base =
          brace ? level_.base + std::max(level_.headers, 1U) : depth() + 1;
      const std::uint32_t operators = brace ? 0 : level_.operators;
      open_.push_back(level_);
      level_ = {};
      level_.base = inner_base;
      level_.operators = level_.outer_operators = operators;
      prefixes_ = 0;
      break;
    }
    case CmlParser::RPAREN:
    case CmlParser::RBRACKET:
    case CmlParser::SET_CLOSE:
      if (!open_.empty()) {
        level_ = open_.back();
        open_.pop_back();
        ++level_.operators;  // a call or an index is an operator to what follows
      }
      prefixes_ = 0;
      break;
    case CmlParser::RBRACE:
      if (!open_.empty()) {
        level_ = open_.back();
        open_.pop_back();
      }
      end_of_statement();
      break;
    case CmlParser::SEMICOLON:
      end_of_statement();
      break;
    case CmlParser::COMMA:
      level_.conditions = 0;
      level_.operators = level_.outer_operators;
      break;
    case CmlParser::IF:
      if (previous_ == CmlParser::ELSE) {
        level_.headers -= level_.headers > 0 ? 1 : 0;  // a chain of `else if` is flat
      } else {
        ++level_.headers;
      }
      break;
    case CmlParser::ELSE:
      level_.headers = ended_headers_ + 1;
      break;
    case CmlParser::WHILE:
    case CmlParser::LOOP:
    case CmlParser::FOR:
    case CmlParser::WITH:
    case CmlParser::MATCH:
      ++level_.headers;
      break;
    case CmlParser::QUESTION:
      ++level_.conditions;
      ++level_.operators;
      break;
    case CmlParser::LESS:
      if (is_name(previous_) || previous_ == CmlParser::CHANNEL) ++level_.angles;
      ++level_.operators;
      break;
    case CmlParser::GREATER:
      level_.angles -= level_.angles > 0 ? 1 : 0;
      ++level_.operators;
      break;
    case CmlParser::NOT:
    case CmlParser::BIT_NOT:
    case CmlParser::MINUS:
      if (type != CmlParser::MINUS || !ends_operand(previous_)) {
        ++prefixes_;
        break;
      }
      [[fallthrough]];
    case CmlParser::LOGICAL_AND:
    case CmlParser::LOGICAL_OR:
    case CmlParser::EQUAL:
    case CmlParser::NOT_EQUAL:
    case CmlParser::PLUS:
    case CmlParser::STAR:
    case CmlParser::SLASH:
    case CmlParser::PERCENT:
    case CmlParser::BIT_AND:
    case CmlParser::BIT_OR:
    case CmlParser::BIT_XOR:
    case CmlParser::SHIFT_LEFT:
      level_.angles = 0;  // they were comparisons
      ++level_.operators;
      break;
    case CmlParser::LESS_EQUAL:
    case CmlParser::GREATER_EQUAL:
    case CmlParser::IN:
    case CmlParser::DOT:
      ++level_.operators;
      break;
    default:
      prefixes_ = 0;
      break;
  }
  previous_ = type;
  if (depth() > kMaxNesting) return Verdict::TooDeep;
  if (level_.operators > kMaxOperators) return Verdict::TooLong;
  return Verdict::Fine;
}

}  // namespace cml::syntax
