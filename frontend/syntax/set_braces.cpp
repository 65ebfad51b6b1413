// Looks at the token in front of a brace; see set_braces.h.
#include "frontend/syntax/set_braces.h"

#include "CmlLexer.h"

namespace cml::syntax {
namespace {

using grammar::CmlLexer;

std::size_t type_at(const std::vector<TokenPtr>& list, std::size_t from_end) {
  return from_end <= list.size() ? list[list.size() - from_end]->getType() : 0;
}

/// `fun f(): C? {`: the `?` of a type, not of a choice.
bool is_nullable_result(const std::vector<TokenPtr>& before) {
  const std::size_t type = type_at(before, 2);
  return type == CmlLexer::GREATER || type == CmlLexer::THREAD ||
         type_at(before, 3) == CmlLexer::COLON;
}

}  // namespace

bool SetBraces::expects_value(const std::vector<TokenPtr>& before) const {
  switch (type_at(before, 1)) {
    case CmlLexer::ASSIGN:
    case CmlLexer::LPAREN:
    case CmlLexer::LBRACKET:
    case CmlLexer::COMMA:
    case CmlLexer::LOGICAL_OR:
    case CmlLexer::LOGICAL_AND:
    case CmlLexer::EQUAL:
    case CmlLexer::NOT_EQUAL:
    case CmlLexer::PLUS:
    case CmlLexer::MINUS:
    case CmlLexer::BIT_AND:
    case CmlLexer::BIT_OR:
    case CmlLexer::BIT_XOR:
    case CmlLexer::IN:
    case CmlLexer::RETURN:
    case CmlLexer::YIELD:
    case CmlLexer::IF:
    case CmlLexer::WHILE:
    case CmlLexer::ASSERT:
    case CmlLexer::ASSUME:
    case CmlLexer::AWAIT:
    case CmlLexer::WHEN:
    case CmlLexer::SET_OPEN:
      return true;
    case CmlLexer::QUESTION:
      return !is_nullable_result(before);
    case CmlLexer::COLON:
      return open_.back().is_choice ||
             (open_.back().type != 0 && open_.back().type != CmlLexer::LBRACE);
    default:
      return false;
  }
}

std::size_t SetBraces::next(const std::vector<TokenPtr>& before, std::size_t type) {
  switch (type) {
    case CmlLexer::LPAREN:
    case CmlLexer::LBRACKET:
      open_.push_back({type, before.size()});
      break;
    case CmlLexer::LBRACE:
      if (expects_value(before)) type = CmlLexer::SET_OPEN;
      open_.push_back({type, before.size()});
      break;
    case CmlLexer::RPAREN:
    case CmlLexer::RBRACKET:
      if (open_.back().type == (type == CmlLexer::RPAREN ? CmlLexer::LPAREN : CmlLexer::LBRACKET))
        open_.pop_back();
      break;
    case CmlLexer::RBRACE:
      // What is not closed in it is reported when brackets are made to match.
      while (open_.back().type == CmlLexer::LPAREN || open_.back().type == CmlLexer::LBRACKET)
        open_.pop_back();
      if (open_.back().type == CmlLexer::SET_OPEN) type = CmlLexer::SET_CLOSE;
      if (open_.size() > 1) open_.pop_back();
      break;
    case CmlLexer::QUESTION:
      ++open_.back().questions;
      break;
    case CmlLexer::COLON:
      open_.back().is_choice = open_.back().questions > 0;
      if (open_.back().is_choice) --open_.back().questions;
      break;
    case CmlLexer::SEMICOLON:
    case antlr4::Token::EOF:
      for (Open& open : open_) {
        if (open.type != CmlLexer::SET_OPEN) continue;
        static_cast<antlr4::CommonToken&>(*before[open.at]).setType(CmlLexer::LBRACE);
        open.type = CmlLexer::LBRACE;
      }
      open_.back().questions = 0;
      break;
    default:
      break;
  }
  return type;
}

}  // namespace cml::syntax
