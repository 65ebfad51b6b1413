// Collecting the names of the top level and of processes, and finding them again.
//
// Each module sees its own names and those of the modules it imports directly; a name that reaches
// it twice is a clash (docs/reference.md, "A model").
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "frontend/sema/sema.h"
#include "support/suggest.h"

namespace cml::sema {
namespace {

struct Named {
  SymbolKind kind;
  const ast::Name* name;
};

std::optional<Named> named(const ast::Decl& decl) {
  if (const auto* d = std::get_if<ast::ConstDecl>(&decl.node)) {
    return Named{SymbolKind::Constant, &d->name};
  }
  if (const auto* d = std::get_if<ast::EnumDecl>(&decl.node)) {
    return Named{SymbolKind::Enum, &d->name};
  }
  if (const auto* d = std::get_if<ast::StructDecl>(&decl.node)) {
    return Named{SymbolKind::Struct, &d->name};
  }
  if (const auto* d = std::get_if<ast::ClassDecl>(&decl.node)) {
    return Named{SymbolKind::Class, &d->name};
  }
  if (const auto* d = std::get_if<ast::ObjectDecl>(&decl.node)) {
    return Named{SymbolKind::Object, &d->name};
  }
  if (const auto* d = std::get_if<ast::FunctionDecl>(&decl.node)) {
    return Named{SymbolKind::Function, &d->name};
  }
  if (const auto* d = std::get_if<ast::ThreadDecl>(&decl.node)) {
    return Named{SymbolKind::Thread, &d->name};
  }
  if (const auto* d = std::get_if<ast::ProcessDecl>(&decl.node)) {
    return Named{SymbolKind::Process, &d->name};
  }
  return std::nullopt;
}

}  // namespace

void Sema::collect_symbols() {
  scopes_.resize(program_.modules.size());
  for (ModuleId module : program_.modules.ids()) {
    const ast::Ast& ast = tree(module);
    collect_items(module, ast.items, SymbolId{}, scopes_[module]);
  }
  for (ModuleId module : program_.modules.ids())
    check_import_clashes(module);
}

void Sema::collect_items(ModuleId module, std::span<const ast::DeclId> items, SymbolId process,
                         Scope& scope) {
  const ast::Ast& ast = tree(module);
  for (ast::DeclId item : items) {
    const ast::Decl& decl = ast.decls[item];
    const auto found = named(decl);
    if (!found || found->name->text.empty()) continue;
    const ast::Name& name = *found->name;
    const auto [place, fresh] = scope.try_emplace(name.text, symbols_.next_id());
    if (!fresh) {
      report(Code::DuplicateName, name.range,
             fmt::format("`{}` is declared twice in the same scope", name.text))
          .also(symbols_[place->second].where, "the first declaration")
          .cure("there is no overloading: give one of them another name");
    }
    // A second declaration is checked all the same, although nobody finds it by name.
    Symbol symbol;
    symbol.kind = found->kind;
    symbol.name = name.text;
    symbol.where = name.range;
    symbol.module = module;
    symbol.decl = item;
    symbol.process = process;
    const SymbolId id = symbols_.push(symbol);
    if (const auto* enumeration = std::get_if<ast::EnumDecl>(&decl.node)) {
      for (const ast::Name& enumerator : enumeration->enumerators) {
        auto& enums = enumerators_[enumerator.text];
        if (enums.empty() || enums.back() != id) enums.push_back(id);
      }
    }
    if (const auto* inner = std::get_if<ast::ProcessDecl>(&decl.node)) {
      collect_items(module, inner->members, id, process_scopes_[id]);
    }
  }
}

void Sema::check_import_clashes(ModuleId module) {
  std::unordered_map<std::string_view, std::pair<SymbolId, SourceRange>> imported;
  for (const Import& import : program_.modules[module].imports) {
    for (const auto& [name, symbol] : scopes_[import.module]) {
      const auto own = scopes_[module].find(name);
      if (own != scopes_[module].end()) {
        report(Code::ImportClash, symbols_[own->second].where,
               fmt::format("`{}` is also declared in `{}`, which is imported here", name,
                           program_.modules[import.module].name))
            .also(import.where, "the import")
            .also(symbols_[symbol].where, "the other declaration")
            .cure("give this one another name");
        continue;
      }
      const auto [place, fresh] = imported.try_emplace(name, symbol, import.where);
      if (fresh) continue;
      report(Code::ImportClash, import.where,
             fmt::format("this import brings `{}` in, which an earlier import declares, too", name))
          .also(symbols_[place->second.first].where, "the earlier one")
          .also(symbols_[symbol].where, "the later one")
          .cure("import only one of the two");
    }
  }
}

const ast::Decl& Sema::decl_of(const Symbol& symbol) const {
  return tree(symbol.module).decls[symbol.decl];
}

SymbolId Sema::find_symbol(const Env& env, std::string_view name) const {
  if (env.process.valid()) {
    const Scope& scope = process_scopes_.at(env.process);
    if (const auto found = scope.find(name); found != scope.end()) return found->second;
  }
  const Scope& own = scopes_[env.module];
  if (const auto found = own.find(name); found != own.end()) return found->second;
  for (const Import& import : program_.modules[env.module].imports) {
    const Scope& scope = scopes_[import.module];
    if (const auto found = scope.find(name); found != scope.end()) return found->second;
  }
  return {};
}

const LocalName* Sema::find_local(std::string_view name) const {
  const auto& names = context_->names;
  for (auto local = names.rbegin(); local != names.rend(); ++local) {
    if (local->name == name) return &*local;
  }
  return nullptr;
}

const Binding* Sema::find_binding(const Env& env, std::string_view name) const {
  for (const Binding& binding : env.bindings) {
    if (binding.name == name) return &binding;
  }
  if (env.cls.valid()) {
    for (const Binding& binding : instance(env.cls).bindings) {
      if (binding.name == name) return &binding;
    }
  }
  return nullptr;
}

void Sema::collect_candidates(Suggestion& suggestion, bool types_only) const {
  const auto is_type = [](SymbolKind kind) {
    return kind == SymbolKind::Enum || kind == SymbolKind::Struct || kind == SymbolKind::Class;
  };
  if (!types_only) {
    for (const LocalName& local : context_->names)
      suggestion.consider(local.name);
    if (env().cls.valid()) {
      for (const Member& member : instance(env().cls).members)
        suggestion.consider(member.name);
    }
  }
  for (const Binding& binding : env().bindings)
    suggestion.consider(binding.name);
  if (env().cls.valid()) {
    for (const Binding& binding : instance(env().cls).bindings)
      suggestion.consider(binding.name);
  }
  // Scopes are hash tables; the order of declaration makes the choice among equals repeatable.
  const auto consider_scope = [&](const Scope& scope) {
    std::vector<SymbolId> ids;
    for (const auto& [name, symbol] : scope)
      ids.push_back(symbol);
    std::sort(ids.begin(), ids.end());
    for (SymbolId id : ids) {
      if (!types_only || is_type(symbols_[id].kind)) suggestion.consider(symbols_[id].name);
    }
  };
  if (env().process.valid()) consider_scope(process_scopes_.at(env().process));
  consider_scope(scopes_[env().module]);
  for (const Import& import : program_.modules[env().module].imports) {
    consider_scope(scopes_[import.module]);
  }
  if (types_only) {
    for (const char* builtin : {"bool", "int", "thread", "lock", "semaphore", "channel"}) {
      suggestion.consider(builtin);
    }
  } else {
    for (const auto& [name, enums] : enumerators_)
      suggestion.consider(name);
  }
}

Diagnostic& Sema::report_unknown(const ast::Name& name, std::string_view what, bool types_only) {
  if (is_asked(name.text)) answer_visible(types_only);
  Suggestion suggestion(name.text);
  collect_candidates(suggestion, types_only);
  // Declared, but in a module that this one does not import itself?
  std::optional<ModuleId> elsewhere;
  for (ModuleId module : program_.modules.ids()) {
    if (scopes_[module].contains(name.text)) elsewhere = module;
  }
  // Types of other languages, and words that newcomers try.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kForeign = {
      {{"boolean", "bool"},
       {"Boolean", "bool"},
       {"Int", "int"},
       {"integer", "int"},
       {"long", "int"},
       {"byte", "int(0..255)"},
       {"mod", "mod(8)"},
       {"set", "set(0..<4)"},
       {"mutex", "lock"},
       {"Mutex", "lock"},
       {"chan", "channel"},
       {"close", "c.close()"},
       {"len", "c.size"},
       {"nil", "null"},
       {"None", "null"},
       {"self", "this"}}};
  Diagnostic& diagnostic =
      report(Code::UnknownName, name.range,
             what == "name" ? fmt::format("`{}` is not declared here", name.text)
                            : fmt::format("`{}` is no {} here", name.text, what));
  for (const auto& [foreign, ours] : kForeign) {
    if (foreign == name.text) return diagnostic.cure(fmt::format("write `{}`", ours));
  }
  // What needs more than another name.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kCures = {
      {{"sleep", "time does not pass in a model: every interleaving is explored, so delete it"},
       {"usleep", "time does not pass in a model: every interleaving is explored, so delete it"},
       {"time", "a time-out that may come at any time is `case await true:` in a `select`"},
       {"Thread", "write `thread T() { … }` at top level, and `let h = spawn T();`"},
       {"pthread_cond_broadcast", "write `c.notifyAll();`, where `condition c of m;`"},
       {"pthread_cond_signal", "write `c.notify();`, where `condition c of m;`"},
       {"pthread_cond_wait", "write `c.wait();`, where `condition c of m;`"},
       {"pthread_create", "write `thread T() { … }` at top level, and `let h = spawn T();`"},
       {"pthread_mutex_lock", "write `m.acquire();`, or `with m { … }`"},
       {"pthread_mutex_unlock", "write `m.release();`, or `with m { … }`"}}};
  for (const auto& [foreign, cure] : kCures) {
    if (foreign == name.text) return diagnostic.cure(std::string(cure));
  }
  if (elsewhere) {
    diagnostic.cure(
        fmt::format("`{}` declares it; import that file here", program_.modules[*elsewhere].name));
  } else if (suggestion.best()) {
    diagnostic.cure(fmt::format("did you mean `{}`?", *suggestion.best()));
  }
  return diagnostic;
}

Env Sema::env_of(SymbolId symbol) const {
  const Symbol& s = symbols_[symbol];
  Env env;
  env.module = s.module;
  env.process = s.kind == SymbolKind::Process ? symbol : s.process;
  return env;
}

Env Sema::env_of(model::ClassId cls) const {
  const ClassInstance& c = instance(cls);
  Env env = env_of(c.symbol);
  env.cls = cls;
  env.note = c.note;
  env.depth = c.depth;
  return env;
}

}  // namespace cml::sema
