// What semantic analysis tells editors: which name is bound to which declaration, as it binds them,
// and what could stand where a name is asked about (frontend/name_index.h). Without an index all of
// this does nothing.
#include <algorithm>
#include <span>
#include <utility>

#include "frontend/inspect_model.h"
#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

NameKind kind_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::Constant:
      return NameKind::Constant;
    case SymbolKind::Enum:
      return NameKind::Enum;
    case SymbolKind::Struct:
      return NameKind::Struct;
    case SymbolKind::Class:
      return NameKind::Class;
    case SymbolKind::Object:
      return NameKind::Object;
    case SymbolKind::Function:
      return NameKind::Function;
    case SymbolKind::Thread:
      return NameKind::Thread;
    case SymbolKind::Process:
      return NameKind::Process;
  }
  return NameKind::Object;
}

std::string value_text(const model::Model& model, const Constant& constant) {
  if (!constant.value || !constant.type.valid()) return {};
  const model::Value& value = *constant.value;
  if (value.kind == model::Value::Kind::Bool) return value.scalar != 0 ? "true" : "false";
  if (value.kind == model::Value::Kind::Int) return std::to_string(value.scalar);
  const auto* type = std::get_if<model::EnumType>(&model.types[constant.type]);
  if (value.kind != model::Value::Kind::Enum || type == nullptr) return {};
  return model.enums[type->decl].enumerators[static_cast<std::size_t>(value.scalar)];
}

}  // namespace

// ---- uses --------------------------------------------------------------------------------------

void Sema::saw(SourceRange use, SourceRange declared) {
  if (index_ != nullptr && use.end > use.begin && declared.end > declared.begin)
    index_->uses.push_back({use, declared});
}

void Sema::saw_operation(SourceRange use, model::Operator op) {
  if (index_ != nullptr) index_->operations.push_back({use, op});
}

void Sema::saw_enumerator(SourceRange use, SymbolId enumeration, std::size_t position) {
  if (index_ == nullptr) return;
  const auto& decl = std::get<ast::EnumDecl>(decl_of(symbols_[enumeration]).node);
  // The model leaves out what stands twice.
  const std::string& name = model_.enums[symbols_[enumeration].enumeration].enumerators[position];
  const auto found = std::ranges::find(decl.enumerators, name, &ast::Name::text);
  if (found != decl.enumerators.end()) saw(use, found->range);
}

void Sema::saw_field(SourceRange use, model::StructId structure, std::string_view name) {
  if (index_ == nullptr) return;
  for (const Symbol& symbol : symbols_) {
    if (symbol.kind != SymbolKind::Struct || symbol.structure != structure) continue;
    for (const auto& field : std::get<ast::StructDecl>(decl_of(symbol).node).fields)
      if (field.name.text == name) return saw(use, field.name.range);
  }
}

// ---- declarations ------------------------------------------------------------------------------

void Sema::note_declared(SourceRange where, NameKind kind, TypeId type, std::string value) {
  if (index_ == nullptr || where.end <= where.begin) return;
  const bool is_known = type.valid() && !is_error(element_of(type));
  index_->declared.push_back(
      {where, kind, is_known ? name_of(type) : std::string(), std::move(value)});
}

void Sema::note_local(const LocalName& name) {
  if (index_ == nullptr) return;
  NameKind kind = NameKind::Index;
  if (name.kind == LocalName::Kind::Local && !name.is_for_index) {
    const model::Local& local = context_->body.locals[name.local];
    kind = local.is_let ? NameKind::Let : NameKind::Variable;
    if (local.is_parameter) kind = NameKind::Parameter;
  } else if (name.kind == LocalName::Kind::Constant) {
    kind = NameKind::Let;
  }
  const bool is_constant = name.kind == LocalName::Kind::Constant;
  note_declared(name.where, kind, name.type,
                is_constant ? value_text(model_, name.constant) : std::string());
}

/// When everything is known: what stands at top level and in processes, and parts of types.
void Sema::note_symbols() {
  if (index_ == nullptr) return;
  for (const Symbol& symbol : symbols_) {
    const ast::Decl& decl = decl_of(symbol);
    TypeId type = symbol.kind == SymbolKind::Constant ? symbol.constant.type : TypeId{};
    if (symbol.object.valid()) type = model_.objects[symbol.object].type;
    const bool is_constant = symbol.kind == SymbolKind::Constant;
    note_declared(symbol.where, kind_of(symbol.kind), type,
                  is_constant ? value_text(model_, symbol.constant) : std::string());
    if (const auto* enumeration = std::get_if<ast::EnumDecl>(&decl.node))
      for (const ast::Name& name : enumeration->enumerators)
        note_declared(name.range, NameKind::Enumerator, {});
    if (const auto* structure = std::get_if<ast::StructDecl>(&decl.node)) {
      for (const auto& field : structure->fields) {
        TypeId is = {};
        if (symbol.structure.valid())
          for (const auto& known : model_.structs[symbol.structure].fields)
            if (known.name == field.name.text) is = known.type;
        note_declared(field.name.range, NameKind::StructField, is);
      }
    }
    if (const auto* cls = std::get_if<ast::ClassDecl>(&decl.node))
      note_parameters(cls->type_parameters);
    if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node))
      note_parameters(function->type_parameters);
  }
  for (const auto& instance : class_instances_) {
    const ast::Ast& ast = tree(symbols_[instance->symbol].module);
    for (const Member& member : instance->members) {
      const auto* method = std::get_if<ast::FunctionDecl>(&ast.decls[member.decl].node);
      if (method != nullptr) note_parameters(method->type_parameters);
      note_declared(member.where, method != nullptr ? NameKind::Method : NameKind::Field,
                    member.object.valid() ? model_.objects[member.object].type : TypeId{});
    }
  }
}

void Sema::note_parameters(std::span<const ast::TypeParameter> parameters) {
  for (const ast::TypeParameter& parameter : parameters)
    note_declared(parameter.name.range,
                  parameter.is_const ? NameKind::ConstantParameter : NameKind::TypeParameter, {});
}

// ---- what can stand at a cursor ----------------------------------------------------------------

bool Sema::is_asked(std::string_view name) const {
  return index_ != nullptr && !index_->asked.empty() && name == index_->asked;
}

void Sema::answer(std::string_view name, NameKind kind, TypeId type) {
  const bool is_known = type.valid() && !is_error(element_of(type));
  index_->candidates.push_back(
      {std::string(name), kind, is_known ? name_of(type) : std::string(), {}});
}

void Sema::answer_symbol(SymbolId id) {
  const Symbol& symbol = symbols_[id];
  TypeId type = symbol.kind == SymbolKind::Constant ? symbol.constant.type : TypeId{};
  if (symbol.object.valid()) type = model_.objects[symbol.object].type;
  answer(symbol.name, kind_of(symbol.kind), type);
}

void Sema::answer_scope(const Scope& scope, bool types_only) {
  std::vector<SymbolId> ids;
  for (const auto& [name, id] : scope) {
    const SymbolKind kind = symbols_[id].kind;
    if (!types_only || kind == SymbolKind::Enum || kind == SymbolKind::Struct ||
        kind == SymbolKind::Class)
      ids.push_back(id);
  }
  std::ranges::sort(ids);
  for (const SymbolId id : ids)
    answer_symbol(id);
}

/// All names that can stand here.
void Sema::answer_visible(bool types_only) {
  index_->is_answered = true;
  index_->asks_for_type = types_only;
  if (!types_only) {
    for (const LocalName& local : context_->names)
      answer(local.name, NameKind::Variable, local.type);
    if (env().cls.valid())
      for (const Member& member : instance(env().cls).members)
        if (!member.name.empty()) answer_member(member);
  }
  const auto parameters = [&](std::span<const Binding> bindings) {
    for (const Binding& binding : bindings)
      answer(binding.name, binding.is_const ? NameKind::ConstantParameter : NameKind::TypeParameter,
             {});
  };
  parameters(env().bindings);
  if (env().cls.valid()) parameters(instance(env().cls).bindings);
  if (env().process.valid()) answer_scope(process_scopes_.at(env().process), types_only);
  answer_scope(scopes_[env().module], types_only);
  for (const Import& import : program_.modules[env().module].imports)
    answer_scope(scopes_[import.module], types_only);
  if (types_only) return;
  for (const auto& [name, enums] : enumerators_)
    for (const SymbolId id : enums)
      if (find_symbol(env(), symbols_[id].name) == id) {
        answer(name, NameKind::Enumerator, {});
        index_->candidates.back().type = std::string(symbols_[id].name);
      }
}

void Sema::answer_member(const Member& member) {
  answer(member.name, member.function.valid() ? NameKind::Method : NameKind::Field,
         member.object.valid() ? model_.objects[member.object].type : TypeId{});
}

/// What can stand behind `base.`.
void Sema::answer_members(ExprId base, std::span<const model::Family> families) {
  index_->is_answered = true;
  const TypeId type = type_of(base);
  if (const auto* record = as<model::StructType>(type))
    for (const auto& field : model_.structs[record->decl].fields)
      answer(field.name, NameKind::StructField, field.type);
  if (const auto* cls = as<model::ClassType>(type))
    for (const Member& member : instance(cls->decl).members)
      if (!member.name.empty()) answer_member(member);
  const bool is_atomic =
      model_.exprs[base].storage == model::Storage::Atomic && as<model::ArrayType>(type) == nullptr;
  for (const model::Operator op : model::all_operators()) {
    const model::Family of = model::info(op).family;
    if (std::ranges::find(families, of) == families.end() &&
        !(is_atomic && of == model::Family::Atomic))
      continue;
    const bool is_repeated = std::ranges::any_of(index_->candidates, [&](const Candidate& other) {
      return other.op && other.name == model::spelling(op);
    });
    if (is_repeated) continue;  // recv() and recv(local)
    index_->candidates.push_back({std::string(model::spelling(op)), NameKind::Method,
                                  std::string(model::info(op).signature), op});
  }
}

void Sema::answer_enumerators(SymbolId enumeration) {
  index_->is_answered = true;
  for (const std::string& name : model_.enums[symbols_[enumeration].enumeration].enumerators) {
    answer(name, NameKind::Enumerator, {});
    index_->candidates.back().type = std::string(symbols_[enumeration].name);
  }
}

void Sema::answer_process(SymbolId process) {
  index_->is_answered = true;
  answer_scope(process_scopes_.at(process), false);
}

}  // namespace cml::sema

namespace cml {

InspectedModel inspect_model(SourceSet& sources, FileId main, const UnsavedTexts& unsaved,
                             Diagnostics& diagnostics, std::string asked) {
  InspectedModel result;
  result.names.asked = std::move(asked);
  sema::Program program = sema::load_program(sources, main, Imports::Inside, diagnostics, &unsaved);
  sema::Reporter reporter(diagnostics);
  const Definitions none;
  // Without those who have arguments, generic code would have no uses; with them, types are known.
  if (sema::Sema generics(program, none, reporter, &result.names); generics.has_generics())
    generics.check_generics();
  result.model = sema::Sema(program, none, reporter, &result.names).check();
  result.names.finish();
  for (sema::Module& module : program.modules)
    result.files.push_back({std::move(module.path), std::move(module.ast)});
  return result;
}

}  // namespace cml
