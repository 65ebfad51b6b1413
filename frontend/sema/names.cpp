// What a name in an expression means: a local, a parameter of a generic declaration, a member,
// something at top level, or an enumerator where that is unambiguous (docs/reference.md, "A model"
// and "Classes").
#include <algorithm>
#include <fmt/format.h>

#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

std::string_view kind_text(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::Constant:
      return "a constant";
    case SymbolKind::Enum:
      return "an enum";
    case SymbolKind::Struct:
      return "a struct";
    case SymbolKind::Class:
      return "a class";
    case SymbolKind::Object:
      return "an object";
    case SymbolKind::Function:
      return "a function";
    case SymbolKind::Thread:
      return "a thread";
    case SymbolKind::Process:
      return "a process";
  }
  return "something else";
}

}  // namespace

ExprId Sema::name(const ast::NameExpr& node, SourceRange range, TypeId expected) {
  const std::string_view text = node.name.text;
  if (text.empty()) return error(range);
  if (const LocalName* found = find_local(text)) {
    saw(node.name.range, found->where);
    switch (found->kind) {
      case LocalName::Kind::Local: {
        const bool handle = is_handle(found->type);
        return add(range, found->type, model::LocalRef{found->local},
                   handle ? model::Storage::Handle : model::Storage::Local);
      }
      case LocalName::Kind::Constant:
        return literal(range, found->constant);
      case LocalName::Kind::ThreadIndex:
        return add(range, found->type, model::IndexRef{false});
      case LocalName::Kind::ProcessIndex:
        return add(range, found->type, model::IndexRef{true});
      case LocalName::Kind::Element: {
        const std::int32_t position = found->element;
        const ExprId array = value(found->array);
        const auto* type = as<model::ArrayType>(type_of(array));
        if (type == nullptr) return error(range);
        const TypeId element = type->element;
        const ExprId index = add(range, int_, model::IntLiteral{position});
        return add(range, element, model::Index{array, index}, model_.exprs[array].storage);
      }
    }
  }
  if (const Binding* binding = find_binding(env(), text)) {
    saw(node.name.range, binding->where);
    if (binding->is_const) return literal(range, binding->constant);
    report(Code::WrongKindOfName, range, fmt::format("`{}` is a type parameter, not a value", text))
        .also(binding->where, "declared here");
    return error(range);
  }
  if (env().cls.valid()) {
    if (const Member* member = find_member(env().cls, text)) {
      saw(node.name.range, member->where);
      const ExprId self = this_ref(range);
      return member_value(env().cls, *member, self, true, range);
    }
  }
  const SymbolId symbol = find_symbol(env(), text);
  if (symbol.valid()) return symbol_value(symbol, node.name, range);
  if (enumerators_.contains(text)) return enumerator(text, range, expected, true);
  report_unknown(node.name, "name");
  return error(range);
}

ExprId Sema::symbol_value(SymbolId symbol, const ast::Name& name, SourceRange range) {
  saw(name.range, symbols_[symbol].where);
  const SymbolKind kind = symbols_[symbol].kind;
  if (kind == SymbolKind::Constant) return literal(range, constant_of(symbol));
  if (kind == SymbolKind::Object) return object_ref(symbol, range);
  auto& diagnostic = report(Code::WrongKindOfName, range,
                            fmt::format("`{}` is {}, not a value", name.text, kind_text(kind)));
  diagnostic.also(symbols_[symbol].where, "declared here");
  if (kind == SymbolKind::Function) {
    diagnostic.cure(fmt::format("call it: `{}(…)`", name.text));
  } else if (kind == SymbolKind::Enum) {
    diagnostic.cure(fmt::format("name one of its values: `{}.…`", name.text));
  } else if (kind == SymbolKind::Thread) {
    const auto& decl = std::get<ast::ThreadDecl>(decl_of(symbols_[symbol]).node);
    diagnostic.cure(
        decl.has_parameters
            ? fmt::format("`spawn {}(…)` returns a handle of a thread", name.text)
            : fmt::format("a thread is named in `….owner == {0}` and `init by {0}` only",
                          name.text));
  } else if (kind == SymbolKind::Process) {
    diagnostic.cure(fmt::format("name one of its objects: `{}.…`", name.text));
  }
  return error(range);
}

ExprId Sema::object_ref(SymbolId symbol, SourceRange range, std::optional<ExprId> process_index) {
  // Code that constants call is checked before all objects are declared.
  declare_object(symbol);
  const Symbol found = symbols_[symbol];
  if (!found.object.valid()) {
    // The constant is needed for the type of this very object.
    report(Code::NotConstant, range,
           fmt::format("the value is not constant: `{}` is an object", found.name))
        .also(found.where, "declared here");
    return error(range);
  }
  const model::ObjectKind kind = model_.objects[found.object].kind;
  const TypeId type = model_.objects[found.object].type;
  if (is_error(element_of(type))) return error(range);
  const bool property =
      context_->kind == CodeKind::Invariant || context_->kind == CodeKind::Finally;
  const bool foreign = found.process != env().process || process_index.has_value();
  if (foreign && !property) {
    const bool top_level_code = !env().process.valid();
    const std::string owner = found.process.valid()
                                  ? fmt::format("process `{}`", symbols_[found.process].name)
                                  : std::string("the top-level threads");
    if (ast::is_memory(kind)) {
      report(Code::OtherProcess, range,
             fmt::format("`{} {}` belongs to {}: processes share no memory", ast::spelling(kind),
                         found.name, owner))
          .also(found.where, "declared here")
          .cure("processes interact through `atomic`, `semaphore` and `channel`");
      return error(range);
    }
    const auto* channel = as<model::ChannelType>(element_of(type));
    if (!(top_level_code && !found.process.valid()) &&
        carries_references(channel != nullptr ? channel->element : type)) {
      report(Code::ReferenceCrosses, range,
             fmt::format("`{}` carries references, and it belongs to {}: references do not cross "
                         "processes",
                         found.name, owner))
          .also(found.where, "declared here")
          .cure("send the data itself, or an index");
      return error(range);
    }
  }
  model::Storage storage = model::Storage::Handle;
  if (kind == model::ObjectKind::Shared) storage = model::Storage::Shared;
  if (kind == model::ObjectKind::Atomic) storage = model::Storage::Atomic;
  if (kind == model::ObjectKind::Var) storage = model::Storage::Var;
  return add(range, type, model::ObjectRef{found.object, process_index}, storage);
}

/// A member of an object as a value or place; `through_this` if it was named without the object.
ExprId Sema::member_value(model::ClassId cls, const Member& member, ExprId object,
                          bool through_this, SourceRange range) {
  const ast::Decl& decl = tree(symbols_[instance(cls).symbol].module).decls[member.decl];
  if (std::holds_alternative<ast::FunctionDecl>(decl.node)) {
    report(Code::WrongKindOfName, range, fmt::format("`{}` is a method, not a value", member.name))
        .also(member.where, "declared here")
        .cure(fmt::format("call it: `{}(…)`", member.name));
    return error(range);
  }
  if (const auto* constant = std::get_if<ast::ConstDecl>(&decl.node)) {
    if (constant->value && through_this) {
      const Member* again = nullptr;
      const auto found = instance(cls).by_name.find(member.name);
      if (found != instance(cls).by_name.end()) again = &instance(cls).members[found->second];
      const std::size_t position =
          again != nullptr ? static_cast<std::size_t>(again - instance(cls).members.data()) : 0;
      const auto value = constant_of(cls, position);
      if (value) return literal(range, *value);
    }
  }
  if (!member.object.valid()) {
    report(Code::NotConstant, range,
           fmt::format("the value is not constant: `{}` is a field", member.name))
        .also(member.where, "declared here");
    return error(range);
  }
  const model::Object& field = model_.objects[member.object];
  const TypeId type = field.type;
  if (is_error(element_of(type))) return error(range);
  model::Storage storage = model::Storage::Handle;
  switch (field.kind) {
    case model::ObjectKind::Shared:
      storage = model::Storage::Shared;
      break;
    case model::ObjectKind::Atomic:
      storage = model::Storage::Atomic;
      break;
    case model::ObjectKind::Var:
      storage = field.is_const ? model::Storage::Constant : model::Storage::Var;
      break;
    default:
      break;
  }
  return add(range, type, model::FieldRef{object, member.object}, storage);
}

/// A bare name that can only be an enumerator, and of several enums.
bool Sema::is_loose_enumerator(ast::ExprId expr) {
  const auto* node = std::get_if<ast::NameExpr>(&ast_expr(strip(expr)).node);
  if (node == nullptr) return false;
  const std::string_view text = node->name.text;
  if (!enumerators_.contains(text) || find_local(text) != nullptr ||
      find_binding(env(), text) != nullptr || find_symbol(env(), text).valid()) {
    return false;
  }
  return !env().cls.valid() || find_member(env().cls, text) == nullptr;
}

ExprId Sema::enumerator(std::string_view name, SourceRange range, TypeId expected,
                        bool report_unknown_one) {
  std::vector<SymbolId> visible;
  for (SymbolId id : enumerators_.at(name)) {
    if (find_symbol(env(), symbols_[id].name) == id) visible.push_back(id);
  }
  const auto literal_in = [&](SymbolId id) {
    declare_enum(id);
    const model::EnumId decl = symbols_[id].enumeration;
    const auto& all = model_.enums[decl].enumerators;
    const auto position = std::find(all.begin(), all.end(), name) - all.begin();
    saw_enumerator(range, id, static_cast<std::size_t>(position));
    return add(range, intern(model::EnumType{decl}),
               model::EnumLiteral{decl, static_cast<std::uint32_t>(position)});
  };
  if (expected.valid()) {
    if (const auto* wanted = as<model::EnumType>(expected)) {
      for (SymbolId id : visible) {
        if (symbols_[id].enumeration == wanted->decl) return literal_in(id);
      }
    }
  }
  if (visible.size() == 1) return literal_in(visible.front());
  if (visible.empty()) {
    if (report_unknown_one) report_unknown(ast::Name{name, range}, "name");
    return error(range);
  }
  auto& diagnostic = report(Code::AmbiguousEnumerator, range,
                            fmt::format("`{}` is a value of {} enums", name, visible.size()));
  std::string options;
  for (SymbolId id : visible) {
    diagnostic.also(symbols_[id].where, fmt::format("one of `{}`", symbols_[id].name));
    options += fmt::format("{}`{}.{}`", options.empty() ? "" : " or ", symbols_[id].name, name);
  }
  diagnostic.cure(fmt::format("write {}", options));
  return error(range);
}

}  // namespace cml::sema
