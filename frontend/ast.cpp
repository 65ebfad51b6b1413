// Spellings of the operators and kinds of the AST.
#include "frontend/ast.h"

namespace cml::ast {

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return "||";
    case BinaryOp::And:
      return "&&";
    case BinaryOp::Equal:
      return "==";
    case BinaryOp::NotEqual:
      return "!=";
    case BinaryOp::Less:
      return "<";
    case BinaryOp::LessEqual:
      return "<=";
    case BinaryOp::Greater:
      return ">";
    case BinaryOp::GreaterEqual:
      return ">=";
    case BinaryOp::Add:
      return "+";
    case BinaryOp::Subtract:
      return "-";
    case BinaryOp::Multiply:
      return "*";
    case BinaryOp::Divide:
      return "/";
    case BinaryOp::Remainder:
      return "%";
    case BinaryOp::BitAnd:
      return "&";
    case BinaryOp::BitOr:
      return "|";
    case BinaryOp::BitXor:
      return "^";
    case BinaryOp::ShiftLeft:
      return "<<";
    case BinaryOp::ShiftRight:
      return ">>";
    case BinaryOp::In:
      return "in";
  }
  return {};
}

std::string_view spelling(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Shared:
      return "shared";
    case ObjectKind::Atomic:
      return "atomic";
    case ObjectKind::Lock:
      return "lock";
    case ObjectKind::Mutex:
      return "mutex";
    case ObjectKind::Condition:
      return "condition";
    case ObjectKind::RwLock:
      return "rwlock";
    case ObjectKind::Semaphore:
      return "semaphore";
    case ObjectKind::Channel:
      return "channel";
    case ObjectKind::Var:
      return "var";
  }
  return {};
}

}  // namespace cml::ast
