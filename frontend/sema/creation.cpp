// What makes something that lives on its own: objects by `new`, threads by `spawn`
// (docs/reference.md, "Classes" and "Threads and processes").
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {

ExprId Sema::new_object(const ast::NewExpr& node, SourceRange range) {
  const TypeId type = resolve_type(node.type);
  const auto* cls = as<model::ClassType>(type);
  if (cls == nullptr) {
    if (!is_error(type)) {
      auto& diagnostic = report(Code::WrongKindOfName, tree().types[node.type].range,
                                fmt::format("`new {}`: only classes are allocated", name_of(type)));
      if (as<model::StructType>(type) != nullptr) {
        diagnostic.cure(fmt::format("a struct is a value: write `{}(…)`", name_of(type)));
      }
    }
    check_loose_arguments(node.arguments);
    return error(range);
  }
  const model::ClassId id = cls->decl;
  declare_members(id);
  std::vector<ExprId> arguments;
  if (const auto init = model_.classes[id].init) {
    const ExprId call = finish_call(*init, std::nullopt, node.arguments, range);
    if (is_error(call)) return error(range);
    arguments = std::get<model::Call>(model_.exprs[call].node).arguments;
  } else if (!node.arguments.empty()) {
    report(Code::WrongArgumentCount, range,
           fmt::format("{} argument{} given, but `{}` has no `init`", node.arguments.size(),
                       node.arguments.size() == 1 ? "" : "s", model_.classes[id].name))
        .also(model_.classes[id].range, "declared here")
        .cure(fmt::format("write `new {}()`, or declare `init(…)`", model_.classes[id].name));
    check_loose_arguments(node.arguments);
  }
  return add(range, type, model::New{id, node.unshared, std::move(arguments)});
}

ExprId Sema::spawn(const ast::SpawnExpr& node, SourceRange range) {
  const auto* name = std::get_if<ast::NameExpr>(&ast_expr(strip(node.thread)).node);
  const auto fail = [&] {
    check_loose_arguments(node.arguments);
    return error(range);
  };
  if (name == nullptr) {
    if (!std::holds_alternative<ast::ErrorExpr>(ast_expr(strip(node.thread)).node)) {
      report(Code::NotSpawnable, ast_expr(node.thread).range,
             "`spawn` wants the name of a thread declared in the same process")
          .cure("declare `thread Task(…) { … }` and write `spawn Task(…)`");
    }
    return fail();
  }
  const SymbolId symbol = find_symbol(env(), name->name.text);
  if (!symbol.valid()) {
    report_unknown(name->name, "thread");
    return fail();
  }
  if (symbols_[symbol].kind == SymbolKind::Thread) declare_thread(symbol);
  const Symbol found = symbols_[symbol];
  saw(name->name.range, found.where);
  if (found.kind != SymbolKind::Thread) {
    auto& diagnostic = report(Code::NotSpawnable, name->name.range,
                              fmt::format("`{}` is no thread and cannot be spawned", found.name));
    diagnostic.also(found.where, "declared here");
    if (found.kind == SymbolKind::Function) {
      diagnostic.cure("declare it as `thread`, or call it without `spawn`");
    }
    return fail();
  }
  if (found.process != env().process) {
    report(
        Code::SpawnsOtherProcess, name->name.range,
        fmt::format("`{}` is declared outside this process: a process spawns only its own threads",
                    found.name))
        .also(found.where, "declared here")
        .cure("declare the thread inside the process");
    return fail();
  }
  if (!found.thread.valid()) {
    report_constant_cycle(found.name, found.where);
    return fail();
  }
  const model::ThreadId thread = found.thread;
  if (!model_.threads[thread].is_spawned) {
    report(Code::NotSpawnable, name->name.range,
           fmt::format("`{}` runs from the start and cannot be spawned", found.name))
        .also(found.where, "declared here")
        .cure(fmt::format("give it a parameter list: `thread {}() {{ … }}`", found.name));
    return fail();
  }
  std::vector<TypeId> types;
  std::string text = model_.threads[thread].name + "(";
  for (std::uint32_t i = 0; i < model_.threads[thread].body.parameter_count; ++i) {
    const model::Local& parameter = model_.threads[thread].body.locals[model::LocalId(i)];
    types.push_back(parameter.type);
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", parameter.name, name_of(parameter.type));
  }
  std::vector<ExprId> arguments =
      check_arguments(node.arguments, types, range, found.where, "thread " + text + ")");
  if (arguments.size() != types.size()) return error(range);
  return add(range, thread_, model::Spawn{thread, std::move(arguments)});
}

}  // namespace cml::sema
