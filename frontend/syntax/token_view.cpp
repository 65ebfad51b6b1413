// Where statements and declarations begin; see token_view.h.
#include "frontend/syntax/token_view.h"

#include "CmlParser.h"

namespace cml::syntax {
namespace {

using P = grammar::CmlParser;

}  // namespace

bool TokenView::begins_statement(std::size_t i) const {
  switch (type(i)) {
    case P::ASSERT:
    case P::ASSUME:
    case P::ATOMIC:
    case P::AWAIT:
    case P::BREAK:
    case P::CASE:
    case P::CONTINUE:
    case P::COVER:
    case P::DEFAULT:
    case P::EITHER:
    case P::FAIL:
    case P::FOR:
    case P::IF:
    case P::JOIN:
    case P::LET:
    case P::LOOP:
    case P::MATCH:
    case P::RETURN:
    case P::SELECT:
    case P::SKIP_STATEMENT:
    case P::SPAWN:
    case P::VAR:
    case P::WHILE:
    case P::WITH:
    case P::YIELD:
      return true;
    case P::THIS:
      return type(i + 1) == P::DOT;
    default:
      break;
  }
  if (is_name(type(i))) {
    switch (type(i + 1)) {
      case P::ASSIGN:
      case P::ADD_ASSIGN:
      case P::SUBTRACT_ASSIGN:
      case P::MULTIPLY_ASSIGN:
      case P::DIVIDE_ASSIGN:
      case P::REMAINDER_ASSIGN:
      case P::DOT:
      case P::LPAREN:
      case P::LBRACKET:
        return true;
      default:
        return begins_declaration(i);
    }
  }
  return begins_declaration(i);
}

bool TokenView::begins_declaration(std::size_t i) const {
  switch (type(i)) {
    case P::CHANNEL:
    case P::CLASS:
    case P::CONST:
    case P::ENUM:
    case P::FINALLY:
    case P::FUN:
    case P::IMPORT:
    case P::INVARIANT:
    case P::LOCK:
    case P::MUTEX:
    case P::CONDITION:
    case P::RWLOCK:
    case P::SEMAPHORE:
    case P::SHARED:
    case P::STRUCT:
    case P::SYNCHRONIZED:
    case P::THREAD:
      return true;
    case P::ATOMIC:
      return type(i + 1) != P::LBRACE;
    case P::VAR:
    case P::COMMUTES:
      return is_name(type(i + 1));
    case P::DAEMON:
      return type(i + 1) == P::THREAD;
    case P::DISCIPLINE:
    case P::PROCESS:
    case P::PROPERTY:
      return is_name(type(i + 1));
    case P::MODEL:
      return type(i + 1) == P::STRING;
    case P::INIT:
      return type(i + 1) == P::LPAREN && type(notes(i + 1).partner + 1UL) == P::LBRACE;
    default:
      return false;
  }
}

}  // namespace cml::syntax
