// The order of the work, and the entrance of the front end's second half.
#include "frontend/sema/sema.h"

#include "frontend/sema/enter.h"
#include "frontend/sema/rules.h"

namespace cml::sema {

Sema::Sema(const Program& program, const Definitions& definitions, Reporter& reporter,
           NameIndex* index)
    : program_(program), definitions_(definitions), reporter_(reporter), index_(index) {
  error_ = intern(model::ErrorType{});
  void_ = intern(model::VoidType{});
  null_ = intern(model::NullType{});
  bool_ = intern(model::BoolType{});
  int_ = intern(model::IntType{});
  thread_ = intern(model::ThreadType{});
  lock_ = intern(model::LockType{});
  mutex_ = intern(model::LockType{true});
  condition_ = intern(model::ConditionType{});
  rwlock_ = intern(model::RwLockType{});
  semaphore_ = intern(model::SemaphoreType{});
}

model::Model Sema::check() {
  const ModuleId main(0);
  Enter root(*this, Context{CodeKind::Clause, Env{main, {}, {}}});
  model_.main_file = tree(main).file;
  for (ast::DeclId item : tree(main).items) {
    const auto* title = std::get_if<ast::ModelDecl>(&tree(main).decls[item].node);
    if (title != nullptr && model_.title.empty()) model_.title = title->title.value;
    const auto* discipline = std::get_if<ast::DisciplineDecl>(&tree(main).decls[item].node);
    if (discipline != nullptr) choose_discipline(discipline->which);
  }
  collect_symbols();
  apply_definitions();
  declare_all();
  finish_all();
  finish_implementations();
  check_labels();
  check_thread_count();
  count_elements();
  check_closing();
  check_rules(model_, reporter_, function_notes());
  note_symbols();
  return std::move(model_);
}

void Sema::choose_discipline(const ast::Name& which) {
  if (which.text == "races") {
    model_.discipline = model::Discipline::Races;
    return;
  }
  report(Code::UnknownDiscipline, which.range,
         "there is no discipline `" + std::string(which.text) + "`")
      .cure(
          "`discipline races;` lets anything order accesses; without it, locks must protect them");
}

bool Sema::has_generics() const {
  for (const Module& module : program_.modules) {
    for (const ast::Decl& decl : module.ast.decls) {
      if (const auto* cls = std::get_if<ast::ClassDecl>(&decl.node)) {
        if (!cls->type_parameters.empty()) return true;
      } else if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
        if (!function->type_parameters.empty()) return true;
      }
    }
  }
  return false;
}

void Sema::check_generics() {
  const ModuleId main(0);
  Enter root(*this, Context{CodeKind::Clause, Env{main, {}, {}}});
  generics_only_ = true;
  collect_symbols();
  apply_definitions();
  const auto unknown = [&](const std::vector<ast::TypeParameter>& parameters) {
    std::vector<Binding> bindings;
    for (const ast::TypeParameter& parameter : parameters) {
      bindings.push_back({parameter.name.text, parameter.name.range, parameter.is_const, error_,
                          Constant{error_, std::nullopt}});
    }
    return bindings;
  };
  std::vector<model::ClassId> poisons;
  for (SymbolId id : symbols_.ids()) {
    const ast::Decl& decl = decl_of(symbols_[id]);
    if (const auto* cls = std::get_if<ast::ClassDecl>(&decl.node)) {
      if (cls->type_parameters.empty()) continue;
      const model::ClassId poison = instantiate(id, unknown(cls->type_parameters), cls->name.range);
      declare_members(poison);
      finish_class(poison);
      poisons.push_back(poison);
    } else if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
      if (function->type_parameters.empty()) continue;
      check_body(function_of(id, unknown(function->type_parameters), {}));
    }
  }
  // Whatever else they name is looked at when the model is checked.
  Known known{IdVector<model::FunctionId, bool>(model_.functions.size(), false),
              IdVector<model::ClassId, bool>(model_.classes.size(), false)};
  for (const model::FunctionId id : model_.functions.ids())
    known.functions[id] = function_instances_[id]->progress == Progress::Done;
  for (const model::ClassId id : poisons)
    known.classes[id] = true;
  check_rules(model_, reporter_, function_notes(), &known);
  note_symbols();
}

std::vector<NoteId> Sema::function_notes() const {
  std::vector<NoteId> notes;
  for (const auto& function : function_instances_)
    notes.push_back(function->env.note);
  return notes;
}

void Sema::declare_all() {
  for (SymbolId id : symbols_.ids()) {
    switch (symbols_[id].kind) {
      case SymbolKind::Constant:
        constant_of(id);
        break;
      case SymbolKind::Enum:
        declare_enum(id);
        break;
      case SymbolKind::Struct:
        declare_struct(id);
        break;
      case SymbolKind::Process:
        declare_process(id);
        break;
      default:
        break;
    }
  }
  for (SymbolId id : symbols_.ids()) {
    const ast::Decl& decl = decl_of(symbols_[id]);
    if (symbols_[id].kind == SymbolKind::Object) declare_object(id);
    if (const auto* cls = std::get_if<ast::ClassDecl>(&decl.node)) {
      if (cls->type_parameters.empty()) instantiate(id, {}, cls->name.range);
    }
  }
  for (SymbolId id : symbols_.ids()) {
    const ast::Decl& decl = decl_of(symbols_[id]);
    if (symbols_[id].kind == SymbolKind::Thread) declare_thread(id);
    if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
      if (function->type_parameters.empty()) function_of(id, {}, {});
    }
  }
  for (SymbolId id : symbols_.ids()) {
    const Symbol& symbol = symbols_[id];
    if (symbol.kind != SymbolKind::Constant || symbol.module != ModuleId(0) ||
        symbol.process.valid() || !symbol.constant.value) {
      continue;
    }
    const model::Value& value = *symbol.constant.value;
    model::Constant known{std::string(symbol.name), value.scalar};
    if (value.kind == model::Value::Kind::Bool) {
      known.value = value.scalar != 0;
    } else if (value.kind == model::Value::Kind::Enum) {
      const auto* type = as<model::EnumType>(symbol.constant.type);
      if (type == nullptr) continue;
      known.value = model_.enums[type->decl].enumerators[static_cast<std::size_t>(value.scalar)];
    } else if (as<model::SetType>(symbol.constant.type) != nullptr) {
      known.value = model::set_text(value.scalar);
    } else if (value.kind != model::Value::Kind::Int) {
      continue;
    }
    model_.constants.push_back(std::move(known));
  }
}

void Sema::finish_all() {
  for (SymbolId id : symbols_.ids()) {
    const Symbol symbol = symbols_[id];
    if (symbol.kind == SymbolKind::Object && symbol.object.valid()) {
      const auto* decl = std::get_if<ast::ObjectDecl>(&decl_of(symbol).node);
      if (decl != nullptr) finish_object(symbol.object, *decl, env_of(id));
    }
    if (symbol.kind == SymbolKind::Thread) check_thread(id);
  }
  for (ModuleId module : program_.modules.ids()) {
    check_properties(module, tree(module).items, SymbolId{});
  }
  for (SymbolId id : symbols_.ids()) {
    const auto* process = std::get_if<ast::ProcessDecl>(&decl_of(symbols_[id]).node);
    if (process != nullptr) check_properties(symbols_[id].module, process->members, id);
  }
  drain();
}

void Sema::drain() {
  while (!pending_classes_.empty() || !pending_functions_.empty()) {
    if (!pending_classes_.empty()) {
      const model::ClassId cls = pending_classes_.back();
      pending_classes_.pop_back();
      declare_members(cls);
      finish_class(cls);
      continue;
    }
    const model::FunctionId function = pending_functions_.back();
    pending_functions_.pop_back();
    check_body(function);
  }
}

}  // namespace cml::sema

namespace cml {

model::Model load_model(SourceSet& sources, FileId main, const Definitions& definitions,
                        Diagnostics& diagnostics, Imports imports) {
  const sema::Program program = sema::load_program(sources, main, imports, diagnostics);
  sema::Reporter reporter(diagnostics);
  // Generic declarations first: what is wrong in them whatever their arguments are is reported
  // without an instantiation.
  if (sema::Sema generics(program, definitions, reporter); generics.has_generics()) {
    generics.check_generics();
  }
  return sema::Sema(program, definitions, reporter).check();
}

}  // namespace cml
