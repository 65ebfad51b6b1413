// Statements of the parse tree to those of the AST; see builder.h.
#include <fmt/format.h>
#include <utility>

#include "frontend/syntax/builder.h"

namespace cml::syntax {

ast::StmtId Builder::add(const antlr4::ParserRuleContext* context, decltype(ast::Stmt::node) node) {
  return ast_.stmts.push({place(context), std::move(node)});
}

ast::Block Builder::block(P::BlockContext* context) {
  if (context == nullptr) return {{}, reporter_.range(0, 0)};
  ast::Block result{{}, place(context)};
  result.statements = statements(context->statement());
  return result;
}

std::vector<ast::StmtId> Builder::statements(const std::vector<P::StatementContext*>& list) {
  std::vector<ast::StmtId> result;
  result.reserve(list.size());
  for (P::StatementContext* entry : list) {
    if (const auto id = statement(entry)) result.push_back(*id);
  }
  return result;
}

std::optional<ast::StmtId> Builder::statement(P::StatementContext* statement) {
  if (statement->plainStatement() != nullptr) return plain_statement(statement->plainStatement());
  if (statement->ifStatement() != nullptr) return if_statement(statement->ifStatement());
  if (statement->block() != nullptr) {
    return add(statement, ast::BlockStmt{block(statement->block())});
  }
  return std::nullopt;
}

ast::ExprId Builder::condition(P::ConditionContext* condition, P::BlockContext* body) {
  const ast::ExprId result = expression(condition != nullptr ? condition->cond : nullptr);
  return junk_before(body) ? hole(ast_.exprs[result].range) : result;
}

bool Builder::junk_before(P::BlockContext* block) {
  return block != nullptr && block->start->getType() != P::LBRACE;
}

ast::StmtId Builder::if_statement(P::IfStatementContext* s) {
  ast::IfStmt result;
  const ast::ExprId first = condition(s->condition(), s->block());
  result.arms.push_back({first, block(s->block())});
  for (P::ElseClauseContext* clause : s->elseClause()) {
    if (result.otherwise) {
      report(Code::UnexpectedToken, place(clause->start),
             "this `else` follows an `else` without a condition")
          .cure("the last part of an `if` is its only plain `else`");
    }
    if (clause->IF() != nullptr) {
      const ast::ExprId test = condition(clause->condition(), clause->block());
      result.arms.push_back({test, block(clause->block())});
    } else {
      result.otherwise = block(clause->block());
    }
  }
  return add(s, std::move(result));
}

std::optional<ast::StmtId> Builder::plain_statement(P::PlainStatementContext* s) {
  if (s->keyword == nullptr) {
    if (s->empty != nullptr) {
      stray_semicolon(s->empty);
    } else if (s->misplaced() != nullptr) {
      misplaced_in_block(s->misplaced());
    } else {
      return expression_statement(s);
    }
    return std::nullopt;
  }
  switch (s->keyword->getType()) {
    case P::VAR:
    case P::LET:
      return local(s);
    case P::WHILE: {
      const ast::ExprId test = condition(s->condition(), s->block(0));
      return add(s, ast::WhileStmt{test, block(s->block(0))});
    }
    case P::LOOP:
      return add(s, ast::LoopStmt{block(s->block(0))});
    case P::FOR: {
      P::ForHeaderContext* header = s->forHeader();
      const ast::Name index = name(header != nullptr ? header->id : nullptr);
      std::optional<ast::ExprId> channel;
      const ast::Range over = values_of(header, channel);
      return add(s, ast::ForStmt{index, over, block(s->block(0)), channel});
    }
    case P::BREAK:
      return add(s, ast::BreakStmt{});
    case P::CONTINUE:
      return add(s, ast::ContinueStmt{});
    case P::SKIP_STATEMENT:
      return add(s, ast::SkipStmt{});
    case P::RETURN: {
      std::optional<ast::ExprId> result;
      if (s->value != nullptr || s->exception != nullptr) result = whole_value(s);
      return add(s, ast::ReturnStmt{result});
    }
    case P::YIELD:
      report(Code::MisplacedYield, place(s->keyword),
             "`yield` is the last statement of an atomic block with a value, and of nothing else")
          .cure("write `let v = atomic { … yield e; };`; a function has `return`");
      return std::nullopt;
    case P::MATCH:
      return match(s);
    case P::WITH: {
      const ast::ExprId lock = condition(s->condition(), s->block(0));
      const ast::LockMode mode = s->how == nullptr        ? ast::LockMode::Alone
                                 : text(s->how) == "read" ? ast::LockMode::Read
                                                          : ast::LockMode::Write;
      return add(s, ast::WithStmt{lock, mode, block(s->block(0))});
    }
    case P::AWAIT:
      return add(s, ast::AwaitStmt{whole_value(s)});
    case P::ASSUME:
      return add(s, ast::AssumeStmt{whole_value(s)});
    case P::JOIN:
      return add(s, ast::JoinStmt{whole_value(s)});
    case P::ASSERT: {
      ast::AssertStmt result{whole_value(s), {}};
      if (s->text != nullptr) result.message = string(s->text);
      return add(s, std::move(result));
    }
    case P::FAIL: {
      ast::FailStmt result;
      if (s->text != nullptr) result.message = string(s->text);
      return add(s, std::move(result));
    }
    case P::COVER:
      if (s->text == nullptr) return std::nullopt;
      return add(s, ast::CoverStmt{string(s->text)});
    case P::LABEL:
      if (s->text == nullptr) return std::nullopt;
      return add(s, ast::LabelStmt{string(s->text)});
    case P::ATOMIC:
      return add(s, ast::AtomicStmt{block(s->block(0))});
    case P::SELECT:
      return select(s);
    case P::EITHER:
      return either(s);
    default:
      return std::nullopt;
  }
}

/// The right-hand side; a hole if something after it was wrong, because then it is not all of it.
ast::ExprId Builder::whole_value(P::PlainStatementContext* s) {
  if (s->exception != nullptr || s->value == nullptr) return hole(place(s));
  return value(s->value);
}

std::optional<ast::StmtId> Builder::local(P::PlainStatementContext* s) {
  if (s->id == nullptr) return std::nullopt;
  ast::LocalDecl result;
  result.is_let = s->keyword->getType() == P::LET;
  result.name = name(s->id);
  result.dimensions = dimensions(s->dimension());
  if (s->of != nullptr) result.type = type(s->of);
  if (s->whole != nullptr && s->exception == nullptr) {
    result.atomic = atomic_value(s->whole);
    if (!result.atomic) result.initial = hole(place(s->whole));
  } else if (s->value != nullptr || s->exception != nullptr) {
    result.initial = whole_value(s);
  } else if (result.is_let) {
    report(Code::MissingValue, result.name.range,
           fmt::format("`let {}` has no value", result.name.text))
        .cure("a `let` gets its value where it is declared; a `var` can wait");
    result.initial = hole(result.name.range);
  } else if (!result.type) {
    report(Code::MissingValue, result.name.range,
           fmt::format("`var {}` has neither a value nor a type", result.name.text))
        .cure(fmt::format("write `var {0} = 0;` or `var {0}: int;`", result.name.text));
    result.initial = hole(result.name.range);
  }
  return add(s, std::move(result));
}

/// All statements but the last, and what the last yields.
std::optional<ast::AtomicValue> Builder::atomic_value(P::AtomicValueContext* context) {
  P::BlockContext* whole = context->block();
  if (whole == nullptr) return std::nullopt;
  std::vector<P::StatementContext*> list = whole->statement();
  P::PlainStatementContext* last = list.empty() ? nullptr : list.back()->plainStatement();
  if (last == nullptr || last->keyword == nullptr || last->keyword->getType() != P::YIELD) {
    if (context->exception == nullptr && whole->exception == nullptr) {
      report(Code::MisplacedYield, place(context->start),
             "this block has no value: its last statement is no `yield`")
          .cure("write `let v = atomic { … yield e; };`");
    }
    block(whole);
    return std::nullopt;
  }
  list.pop_back();
  ast::AtomicValue result;
  result.body = {statements(list), place(whole)};
  result.yielded = whole_value(last);
  return result;
}

template <class Choice, class Entry, class Header, class Build>
void Builder::add_cases(Choice& result, const std::vector<Entry*>& entries,
                        Header* (Entry::*header_of)(), Build build) {
  for (Entry* entry : entries) {
    Header* header = (entry->*header_of)();
    ast::Block actions{statements(entry->statement()), place(entry)};
    if (header == nullptr) continue;
    if (header->DEFAULT() != nullptr) {
      result.defaults.push_back(std::move(actions));
      continue;
    }
    if (!result.defaults.empty()) result.default_last = false;
    auto built = build(header);
    built.body = std::move(actions);
    built.range = place(entry);
    result.cases.push_back(std::move(built));
  }
}

std::optional<ast::StmtId> Builder::match(P::PlainStatementContext* s) {
  ast::MatchStmt result;
  result.value = expression(s->condition() != nullptr ? s->condition()->cond : nullptr);
  add_cases(result, s->matchCase(), &P::MatchCaseContext::matchHeader,
            [this](P::MatchHeaderContext* header) {
              ast::MatchStmt::Case built;
              for (P::ExpressionContext* value : header->values)
                built.values.push_back(expression(value));
              return built;
            });
  // One that lost cases to an error does not lack them.
  if (s->exception != nullptr) return std::nullopt;
  return add(s, std::move(result));
}

std::optional<ast::StmtId> Builder::expression_statement(P::PlainStatementContext* s) {
  if (s->exception != nullptr || s->target == nullptr) return std::nullopt;
  if (s->op != nullptr) return assignment(s);
  if (prints(s)) return std::nullopt;
  const ast::ExprId what = value(s->target);
  const SourceRange where = ast_.exprs[what].range;
  const auto& node = ast_.exprs[what].node;
  if (std::holds_alternative<ast::ErrorExpr>(node)) return std::nullopt;
  const auto* call = std::get_if<ast::CallExpr>(&node);
  if (s->UNTIL() != nullptr) {
    ast::Name callee;
    if (call != nullptr) {
      const auto& target = ast_.exprs[call->callee].node;
      if (const auto* plain = std::get_if<ast::NameExpr>(&target)) callee = plain->name;
      if (const auto* member = std::get_if<ast::MemberExpr>(&target)) callee = member->member;
    }
    const bool is_wait = call != nullptr && callee.text == "wait" && call->arguments.empty();
    const ast::ExprId until = expression(s->cond);
    if (!is_wait) {
      report(Code::UntilWithoutWait, where, "`until` follows a call of `wait()` only")
          .cure("write `m.wait() until cond;`, or `await cond;` to wait without a lock");
      return std::nullopt;
    }
    return add(s, ast::WaitUntilStmt{what, until});
  }
  if (call == nullptr && !std::holds_alternative<ast::SpawnExpr>(node) &&
      !std::holds_alternative<ast::NewExpr>(node)) {
    if (reporter_.text(where).starts_with("--")) {
      report(Code::ForeignSyntax, where, "`--` is no operator of CML").cure("write `x -= 1;`");
      return std::nullopt;
    }
    Diagnostic& diagnostic = report(Code::NotAStatement, where, "this value is computed and lost");
    const auto* binary = std::get_if<ast::BinaryExpr>(&node);
    if (binary != nullptr && binary->op == ast::BinaryOp::Equal) {
      diagnostic.cure("an assignment is `x = e;`");
    } else if (binary != nullptr && reporter_.text(where).find("<-") != std::string_view::npos) {
      diagnostic.cure("to send write `c.send(e);`, to receive `c.recv()`");
    } else if (std::holds_alternative<ast::MemberExpr>(node)) {
      diagnostic.cure("a call needs parentheses: `m.acquire();`");
    } else {
      diagnostic.cure("a statement is an assignment or a single call");
    }
    return std::nullopt;
  }
  return add(s, ast::ExprStmt{what});
}

/// `print("x");` parses as a call, and the string would be the only thing to complain about.
bool Builder::prints(P::PlainStatementContext* s) {
  const std::size_t first = s->start->getTokenIndex();
  const std::string_view word = text(s->start);
  if ((word != "print" && word != "println" && word != "printf") ||
      first + 2 >= tokens_.notes.size() || stream_.get(first + 2)->getType() != P::STRING) {
    return false;
  }
  report(Code::ForeignSyntax, place(s->start), fmt::format("`{}` is no word of CML", word))
      .cure(
          "there is no output: the trace of a violation shows values; `cover \"label\";` marks a "
          "place");
  return true;
}

ast::StmtId Builder::assignment(P::PlainStatementContext* s) {
  ast::AssignStmt result;
  result.target = expression(s->target);
  const auto& node = ast_.exprs[result.target].node;
  const SourceRange where = ast_.exprs[result.target].range;
  if (!std::holds_alternative<ast::NameExpr>(node) &&
      !std::holds_alternative<ast::MemberExpr>(node) &&
      !std::holds_alternative<ast::IndexExpr>(node) &&
      !std::holds_alternative<ast::ErrorExpr>(node)) {
    report(Code::NotAssignable, where, "nothing can be stored here")
        .cure("the left side of an assignment is a variable, an element `a[i]` or a field `o.f`");
    result.target = hole(where);
  }
  switch (s->op->start->getType()) {
    case P::ADD_ASSIGN:
      result.op = ast::BinaryOp::Add;
      break;
    case P::SUBTRACT_ASSIGN:
      result.op = ast::BinaryOp::Subtract;
      break;
    case P::MULTIPLY_ASSIGN:
      result.op = ast::BinaryOp::Multiply;
      break;
    case P::DIVIDE_ASSIGN:
      result.op = ast::BinaryOp::Divide;
      break;
    case P::REMAINDER_ASSIGN:
      result.op = ast::BinaryOp::Remainder;
      break;
    default:
      break;
  }
  if (s->whole != nullptr) {
    report(Code::MisplacedYield, place(s->whole->start),
           "an atomic block with a value stands only where a local is declared")
        .cure("write `let v = atomic { … yield e; };`, and assign `v`");
    atomic_value(s->whole);
    result.value = hole(place(s->whole));
  } else {
    result.value = value(s->value);
  }
  return add(s, std::move(result));
}

std::optional<ast::StmtId> Builder::select(P::PlainStatementContext* s) {
  ast::SelectStmt result;
  add_cases(result, s->selectCase(), &P::SelectCaseContext::caseHeader,
            [this](P::CaseHeaderContext* header) { return select_case(header); });
  // A select that lost its cases to an error is not an empty one.
  const bool lost =
      result.cases.empty() && result.defaults.empty() && s->LBRACE() != nullptr &&
      s->RBRACE() != nullptr &&
      s->RBRACE()->getSymbol()->getTokenIndex() > s->LBRACE()->getSymbol()->getTokenIndex() + 1;
  if (lost || s->exception != nullptr) return std::nullopt;
  return add(s, std::move(result));
}

ast::SelectStmt::Case Builder::select_case(P::CaseHeaderContext* header) {
  ast::SelectStmt::Case built;
  if (header->AWAIT() != nullptr) {
    built.is_await = true;
    built.operation = expression(header->awaited);
    return built;
  }
  if (header->guard != nullptr) built.guard = expression(header->guard);
  if (header->second != nullptr) {
    built.binding = bare_name(header->first);
    if (!built.binding) {
      report(Code::ExpectedName, place(header->first), "what a case receives into is a new name")
          .cure("write `case x = c.recv():` and assign `x` in the body");
    }
  }
  built.operation = expression(header->second != nullptr ? header->second : header->first);
  const auto& operation = ast_.exprs[built.operation];
  const auto* call = std::get_if<ast::CallExpr>(&operation.node);
  const bool member =
      call != nullptr && std::holds_alternative<ast::MemberExpr>(ast_.exprs[call->callee].node);
  if (!member && !std::holds_alternative<ast::ErrorExpr>(operation.node)) {
    report(Code::BadSelectCase, operation.range,
           "this is no operation that a `select` can wait for")
        .cure(
            "the cases are `case x = c.recv():`, `c.send(e)`, `s.down()`, `m.acquire()`, and "
            "`case await e:` for a condition");
    built.operation = hole(operation.range);
  }
  return built;
}

ast::StmtId Builder::either(P::PlainStatementContext* s) {
  ast::EitherStmt result;
  for (P::BlockContext* branch : s->block())
    result.branches.push_back(block(branch));
  if (result.branches.size() == 1 && s->exception == nullptr) {
    report(Code::SingleBranch, place(s->keyword),
           "`either` has one branch only, so there is no choice")
        .cure("write `either { … } or { … }`");
  }
  return add(s, std::move(result));
}

void Builder::stray_semicolon(const antlr4::Token* token) {
  if (quiet(token)) return;
  const std::size_t index = token->getTokenIndex();
  const bool after_brace = index > 0 && stream_.get(index - 1)->getType() == P::RBRACE;
  if (after_brace) {
    report(Code::StraySemicolon, place(token), "there is no `;` after a `}`").cure("delete it");
  } else {
    report(Code::StraySemicolon, place(token), "there is nothing before this `;`")
        .cure("delete it, or write `skip;` for a statement that does nothing");
  }
}

void Builder::misplaced_in_block(P::MisplacedContext* decl) {
  if (quiet(decl->start)) return;
  const SourceRange where = place(decl->start);
  const std::string message =
      fmt::format("`{}` cannot be declared inside a body", text(decl->start));
  std::string cure;
  switch (decl->start->getType()) {
    case P::CONST:
      cure = "a local that does not change is `let x = …;`";
      break;
    case P::FUN:
    case P::SYNCHRONIZED:
      cure =
          "functions stand at top level, in processes and in classes, never nested; is a `}` "
          "missing before?";
      break;
    case P::SHARED:
    case P::ATOMIC:
    case P::LOCK:
    case P::MUTEX:
    case P::CONDITION:
    case P::RWLOCK:
    case P::SEMAPHORE:
    case P::CHANNEL:
      cure =
          "objects are declared at top level, in a process or as fields of a class; a local is "
          "`var x: int = 0;`";
      break;
    default:
      cure = "move it to top level; is a `}` missing before?";
      break;
  }
  report(Code::MisplacedDeclaration, where, message).cure(std::move(cure));
}

}  // namespace cml::syntax
