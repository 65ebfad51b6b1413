// `m.owner == T`: which thread instance owns a lock, asked from outside of all threads
// (docs/reference.md, "Properties").
//
// An owner is no value: it can only be compared, and only with the name of a thread that runs from
// the start. `T` is looked up as a name of a thread here and nowhere else, so threads need no type.
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {

bool Sema::is_owner(ExprId expr) const {
  const auto* operation = std::get_if<model::Operation>(&model_.exprs[expr].node);
  return operation != nullptr && operation->op == model::Operator::Owner;
}

ExprId Sema::owner_not_compared(ExprId owner, std::string_view cure) {
  report(Code::OwnerNotCompared, range_of(owner),
         "the owner of a lock is no value: it can only be compared with a thread")
      .cure(cure.empty() ? "write `….owner == Main`, or `….owner == Worker[2]`"
                         : std::string(cure));
  return error(range_of(owner));
}

/// The thread, family, process's thread or its family that an expression names.
std::optional<Sema::ThreadName> Sema::thread_name(ast::ExprId expr) {
  ThreadName result;
  ast::ExprId bare = strip(expr);
  if (const auto* index = std::get_if<ast::IndexExpr>(&ast_expr(bare).node)) {
    result.index = index->index;
    bare = strip(index->base);
  }
  if (const auto symbol = named_symbol(bare, SymbolKind::Thread)) {
    result.symbol = *symbol;
    return result;
  }
  const auto* member = std::get_if<ast::MemberExpr>(&ast_expr(bare).node);
  if (member == nullptr) return std::nullopt;
  ast::ExprId process = strip(member->base);
  if (const auto* index = std::get_if<ast::IndexExpr>(&ast_expr(process).node)) {
    result.process_index = index->index;
    process = strip(index->base);
  }
  const auto owner = named_symbol(process, SymbolKind::Process);
  if (!owner) return std::nullopt;
  const Scope& scope = process_scopes_.at(*owner);
  const auto found = scope.find(member->member.text);
  if (found == scope.end() || symbols_[found->second].kind != SymbolKind::Thread)
    return std::nullopt;
  saw(member->member.range, symbols_[found->second].where);
  result.process = *owner;
  result.symbol = found->second;
  return result;
}

ExprId Sema::owned_by(ExprId owner, ast::ExprId thread, ast::BinaryOp op, SourceRange range) {
  const SourceRange where = ast_expr(thread).range;
  const auto bad = [&](const std::string& message) -> Diagnostic& {
    return report(Code::OwnerNotCompared, where, message);
  };
  const auto name = thread_name(thread);
  if (!name) {
    if (std::holds_alternative<ast::NullLiteral>(ast_expr(strip(thread)).node))
      return owner_not_compared(owner, "whether nobody owns it is asked by `….free`");
    const ExprId other = comparand(thread);
    if (!is_error(other)) {
      bad("the owner of a lock is compared with something else than a thread")
          .cure(
              "name a thread that runs from the start: `….owner == Main`, `….owner == Worker[2]`");
    }
    return error(range);
  }
  declare_thread(name->symbol);
  const Symbol symbol = symbols_[name->symbol];
  if (!symbol.thread.valid()) {
    // The constant is needed for the bounds of this very family.
    report(Code::NotConstant, where,
           fmt::format("the value is not constant: `{}` is a thread", symbol.name))
        .also(symbol.where, "declared here");
    return error(range);
  }
  model::OwnedBy result{
      std::get<model::Operation>(model_.exprs[owner].node).target, symbol.thread, {}, {}};
  const auto position = [&](ast::ExprId index, std::string_view what) -> std::optional<ExprId> {
    const ExprId checked = integer(index, what);
    return is_error(checked) ? std::nullopt : std::optional(checked);
  };
  if (name->process.valid()) {
    const auto& process = std::get<ast::ProcessDecl>(decl_of(symbols_[name->process]).node);
    if (process.index.has_value() != name->process_index.has_value()) {
      bad(process.index
              ? fmt::format("`{}` is a family of processes: say which one", process.name.text)
              : fmt::format("`{}` is a single process and takes no index", process.name.text))
          .also(process.name.range, "declared here");
      return error(range);
    }
    if (name->process_index) {
      result.process_index = position(*name->process_index, "the index of a process");
      if (!result.process_index) return error(range);
    }
  }
  const model::Thread& declared = model_.threads[symbol.thread];
  const SourceRange declared_at = declared.range;
  if (declared.is_spawned) {
    bad(fmt::format("`{}` is spawned: which of its instances is meant is not known", symbol.name))
        .also(declared_at, "declared here")
        .cure("name a thread that runs from the start");
    return error(range);
  }
  if (declared.index.has_value() != name->index.has_value()) {
    auto& diagnostic = bad(
        declared.index ? fmt::format("`{}` is a family of threads: say which one", symbol.name)
                       : fmt::format("`{}` is a single thread and takes no index", symbol.name));
    diagnostic.also(declared_at, "declared here");
    if (declared.index)
      diagnostic.cure(fmt::format("write `{}[{}]`", symbol.name, declared.index->lo));
    return error(range);
  }
  if (name->index) {
    result.index = position(*name->index, "the index of a thread");
    if (!result.index) return error(range);
  }
  const ExprId is = add(range, bool_, result);
  return op == ast::BinaryOp::Equal ? is : add(range, bool_, model::Unary{ast::UnaryOp::Not, is});
}

}  // namespace cml::sema
