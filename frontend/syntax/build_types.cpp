// Types of the parse tree to those of the AST; see builder.h.
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/builder.h"

namespace cml::syntax {

std::optional<ast::TypeId> Builder::optional_type(P::TypeContext* context,
                                                  const antlr4::ParserRuleContext* owner) {
  if (context != nullptr) return type(context);
  if (owner->exception != nullptr) return ast_.types.push({place(owner), ast::ErrorType{}});
  return std::nullopt;
}

ast::TypeId Builder::type(P::TypeContext* context) {
  if (context == nullptr) return ast_.types.push({reporter_.range(0, 0), ast::ErrorType{}});
  ast::TypeId result;
  // `?` and `[n]` in the order of the text.
  for (antlr4::tree::ParseTree* child : context->children) {
    if (auto* base = dynamic_cast<P::TypeNameContext*>(child)) {
      result = type_name(base);
    } else if (auto* dimension = dynamic_cast<P::DimensionContext*>(child)) {
      const ast::ExprId size = expression(dimension->size);
      const SourceRange where = cover(place(context->start), place(dimension));
      result = ast_.types.push({where, ast::ArrayType{result, size}});
    } else if (auto* mark = dynamic_cast<antlr4::tree::TerminalNode*>(child)) {
      const SourceRange where = cover(place(context->start), place(mark->getSymbol()));
      result = ast_.types.push({where, ast::NullableType{result}});
    }
  }
  if (!result.valid()) return ast_.types.push({place(context), ast::ErrorType{}});
  return result;
}

ast::TypeId Builder::type_name(P::TypeNameContext* context) {
  const SourceRange where = place(context);
  if (context->exception != nullptr) return ast_.types.push({where, ast::ErrorType{}});
  switch (context->start->getType()) {
    case P::BOOL:
      return ast_.types.push({where, ast::BoolType{}});
    case P::INT: {
      auto bounds = range(context->range());
      return ast_.types.push({where, ast::IntType{bounds}});
    }
    case P::THREAD:
      return ast_.types.push({where, ast::ThreadType{}});
    case P::LOCK:
      return ast_.types.push({where, ast::LockType{}});
    case P::SEMAPHORE:
      return ast_.types.push({where, ast::SemaphoreType{}});
    case P::CHANNEL: {
      const ast::TypeId element =
          context->LESS() != nullptr ? type(context->element) : ast::TypeId();
      return ast_.types.push({where, ast::ChannelType{element}});
    }
    default:
      break;
  }
  if (context->of == nullptr)
    return ast_.types.push({where, named(context->id, context->typeArguments())});
  return ast_.types.push({where, in_parentheses(context, where)});
}

/// `mod(N)`, `set(0..<N)`.
decltype(ast::Type::node) Builder::in_parentheses(P::TypeNameContext* context, SourceRange where) {
  const std::string_view word = text(context->id->start);
  const auto inside = parentheses(context->of, context);
  const auto* number = std::get_if<ast::ExprId>(&inside);
  if (number != nullptr && std::holds_alternative<ast::ErrorExpr>(ast_.exprs[*number].node))
    return ast::ErrorType{};
  if (word == "mod" && number != nullptr) return ast::ModType{*number};
  if (word == "set" && number == nullptr) return ast::SetType{std::get<ast::Range>(inside)};
  if (word == "mod" || word == "set") {
    report(
        Code::WrongTypeArguments, where,
        word == "mod" ? "`mod` takes a number, not a range" : "`set` takes a range, not a number")
        .cure(word == "mod" ? "write `mod(8)` for the integers modulo 8"
                            : "write `set(0..<4)` for the sets of 0, 1, 2 and 3");
    return ast::ErrorType{};
  }
  report(Code::WrongTypeArguments, where,
         fmt::format("the type `{}` takes nothing in parentheses", word))
      .cure("integers that wrap are `mod(8)`, those of a range `int(0..7)`, sets `set(0..<8)`");
  return ast::ErrorType{};
}

ast::NamedType Builder::named(P::NameContext* id, P::TypeArgumentsContext* arguments) {
  ast::NamedType result{name(id), {}};
  if (arguments == nullptr) return result;
  for (P::TypeArgumentContext* argument : arguments->list) {
    result.arguments.push_back(type_argument(argument));
  }
  return result;
}

std::variant<ast::TypeId, ast::ExprId> Builder::type_argument(P::TypeArgumentContext* argument) {
  if (argument->of != nullptr) return type(argument->of);
  if (argument->literal != nullptr) {
    const ast::ExprId value = literal(argument->literal);
    if (argument->MINUS() == nullptr) return value;
    return ast_.exprs.push({place(argument), ast::UnaryExpr{ast::UnaryOp::Negate, value}});
  }
  const ast::ExprId inner = expression(argument->value);
  return ast_.exprs.push({place(argument), ast::ParenExpr{inner}});
}

}  // namespace cml::syntax
