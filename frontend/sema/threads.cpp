// Threads, processes and what holds over all of them: invariants and `finally` (docs/reference.md,
// "Threads and processes" and "Properties").
#include <algorithm>
#include <fmt/format.h>

#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

std::int64_t size_of(const std::optional<model::IndexRange>& range) {
  if (!range) return 1;
  return std::max<std::int64_t>(0, std::int64_t{range->hi} - range->lo + 1);
}

}  // namespace

std::optional<model::IndexRange> Sema::family(const ast::IndexDecl& index, std::string_view what) {
  model::IndexRange result{std::string(index.name.text), 0, 0};
  const auto range = constant_range(index.range, "a bound of a family");
  if (!range) return result;
  const std::int64_t count = range->hi - range->lo + 1;
  if (count <= 0) {
    if (count == 0 && index.range.half_open) {
      report(Code::EmptyFamily, index.range.range,
             fmt::format("the family has no {}: its range is empty", what));
    } else {
      report(Code::EmptyRange, index.range.range,
             fmt::format("the range of the family, {}..{}, is upside down", range->lo, range->hi))
          .cure("write the smaller bound first");
    }
    result.hi = -1;
    return result;
  }
  if (count > kMaxInstances) {
    report(Code::TooManyInstances, index.range.range,
           fmt::format("a family of {} {}s; the limit is {}", count, what, kMaxInstances))
        .cure("two or three instances usually show what many do");
    return result;
  }
  result.lo = static_cast<std::int32_t>(range->lo);
  result.hi = static_cast<std::int32_t>(range->hi);
  return result;
}

void Sema::declare_process(SymbolId id) {
  if (symbols_[id].progress != Progress::Fresh) return;
  symbols_[id].progress = Progress::Busy;
  const auto& decl = std::get<ast::ProcessDecl>(decl_of(symbols_[id]).node);
  model::Process process{std::string(decl.name.text), decl.name.range, std::nullopt};
  Env outside;
  outside.module = symbols_[id].module;
  Enter enter(*this, Context{CodeKind::Clause, outside});
  if (decl.index) process.index = family(*decl.index, "process");
  symbols_[id].model_process = model_.processes.push(std::move(process));
  symbols_[id].progress = Progress::Done;
}

void Sema::declare_thread(SymbolId id) {
  if (symbols_[id].progress != Progress::Fresh) return;
  symbols_[id].progress = Progress::Busy;
  if (symbols_[id].process.valid()) declare_process(symbols_[id].process);
  const auto& decl = std::get<ast::ThreadDecl>(decl_of(symbols_[id]).node);
  model::Thread thread;
  thread.name = std::string(decl.name.text);
  thread.range = decl.name.range;
  thread.is_daemon = decl.is_daemon;
  thread.is_spawned = decl.has_parameters;
  Enter enter(*this, Context{CodeKind::Clause, env_of(id)});
  if (env().process.valid()) thread.process = symbols_[env().process].model_process;
  if (decl.index && decl.has_parameters) {
    report(Code::SpawnedFamily, decl.name.range,
           fmt::format("`{}` has an index and parameters: a family runs from the start, a thread "
                       "with parameters only when spawned",
                       decl.name.text))
        .cure("pass the index as a parameter");
  } else if (decl.index) {
    thread.index = family(*decl.index, "thread");
  }
  // The parameters are needed by whoever spawns it; the body comes later.
  add_parameters(decl.parameters, thread.body);
  symbols_[id].thread = model_.threads.push(std::move(thread));
  symbols_[id].progress = Progress::Done;
}

/// The index of the process, if the code stands in a family of processes.
void Sema::add_index_names() {
  if (!env().process.valid()) return;
  const auto& decl = std::get<ast::ProcessDecl>(decl_of(symbols_[env().process]).node);
  const model::ProcessId process = symbols_[env().process].model_process;
  if (!decl.index || !process.valid()) return;
  const model::IndexRange range = model_.processes[process].index.value_or(model::IndexRange{});
  LocalName name;
  name.name = decl.index->name.text;
  name.where = decl.index->name.range;
  name.kind = LocalName::Kind::ProcessIndex;
  name.type = range.lo <= range.hi ? intern(model::IntType{range.lo, range.hi}) : int_;
  declare_name(name);
}

void Sema::check_thread(SymbolId id) {
  const auto& decl = std::get<ast::ThreadDecl>(decl_of(symbols_[id]).node);
  const model::ThreadId thread = symbols_[id].thread;
  Context context{CodeKind::Thread, env_of(id)};
  context.result = void_;
  Enter enter(*this, std::move(context));
  add_index_names();
  if (decl.index && !decl.index->name.text.empty()) {
    LocalName name;
    name.name = decl.index->name.text;
    name.where = decl.index->name.range;
    name.kind = LocalName::Kind::ThreadIndex;
    const model::IndexRange range = model_.threads[thread].index.value_or(model::IndexRange{});
    name.type = range.lo <= range.hi ? intern(model::IntType{range.lo, range.hi}) : int_;
    if (check_hiding(decl.index->name)) declare_name(name);
  }
  declare_parameters(decl.parameters);
  model::Block body = block(decl.body);
  context_->body.block = std::move(body);
  model_.threads[thread].body = std::move(context_->body);
}

void Sema::check_properties(ModuleId module, std::span<const ast::DeclId> items, SymbolId process) {
  Env env;
  env.module = module;
  env.process = process;
  std::map<std::string_view, SourceRange> names;
  const auto declare = [&](std::string_view name, SourceRange where) {
    const auto [place, fresh] = names.emplace(name, where);
    if (fresh || name.empty()) return;
    report(Code::DuplicateName, where, fmt::format("two properties are called `{}`", name))
        .also(place->second, "the first one");
  };
  for (ast::DeclId item : items) {
    const ast::Decl& decl = tree(module).decls[item];
    if (const auto* invariant = std::get_if<ast::InvariantDecl>(&decl.node)) {
      Enter enter(*this, Context{CodeKind::Invariant, env});
      add_index_names();
      model::Invariant result;
      result.range = decl.range;
      if (invariant->name && !invariant->name->text.empty()) {
        result.name = std::string(invariant->name->text);
        result.range = invariant->name->range;
        declare(invariant->name->text, result.range);
      }
      if (process.valid()) result.process = symbols_[process].model_process;
      result.condition = condition(invariant->condition, "an invariant");
      model_.invariants.push_back(std::move(result));
    } else if (const auto* last = std::get_if<ast::FinallyDecl>(&decl.node)) {
      Context context{CodeKind::Finally, env};
      context.result = void_;
      Enter enter(*this, std::move(context));
      add_index_names();
      model::Finally result;
      result.range = decl.range;
      if (process.valid()) result.process = symbols_[process].model_process;
      model::Block body = block(last->body);
      context_->body.block = std::move(body);
      result.body = std::move(context_->body);
      model_.finals.push_back(std::move(result));
    } else if (const auto* property = std::get_if<ast::PropertyDecl>(&decl.node)) {
      Enter enter(*this, Context{CodeKind::Clause, env});
      declare(property->name.text, property->name.range);
      declare_implementation(*property);
    } else if (const auto* formula = std::get_if<ast::FormulaDecl>(&decl.node)) {
      Enter enter(*this, Context{CodeKind::Invariant, env});
      declare(formula->name.text, formula->name.range);
      declare_formulas(*formula);
    } else if (const auto* termination = std::get_if<ast::TerminatesDecl>(&decl.node)) {
      declare("terminates", decl.range);
      declare_termination(*termination, decl.range);
    } else if (const auto* fair = std::get_if<ast::FairnessDecl>(&decl.node)) {
      declare_fairness(*fair);
    }
  }
}

void Sema::check_thread_count() {
  std::int64_t total = 0;
  for (const model::Thread& thread : model_.threads) {
    if (thread.is_spawned) continue;
    const std::int64_t processes =
        thread.process ? size_of(model_.processes[*thread.process].index) : 1;
    total += size_of(thread.index) * processes;
    if (total > kMaxInstances) {
      report(Code::TooManyInstances, thread.range,
             fmt::format("with `{}` the model has {} threads; the limit is {}", thread.name, total,
                         kMaxInstances))
          .cure("two or three instances usually show what many do");
      return;
    }
  }
  // After an error the threads may be among what could not be understood.
  if (total > 0 || reporter_.has_errors()) return;
  const ast::Ast& main = tree(ModuleId(0));
  SourceRange where{main.file, 0, 0};
  for (const model::Thread& thread : model_.threads) {
    if (where.end == 0 && thread.range.file == main.file) where = thread.range;
  }
  auto& diagnostic =
      report(Code::NoThread, where, "the model has no thread that runs from the start");
  diagnostic.cure(model_.threads.empty()
                      ? "declare one: `thread Main { … }`"
                      : "a thread with a parameter list runs only when another one spawns it");
}

}  // namespace cml::sema
