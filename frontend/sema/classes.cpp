// Classes: one instance for each distinct list of arguments, its members, and the rules about what
// a class may contain (docs/reference.md, "Classes").
#include <fmt/format.h>

#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"

namespace cml::sema {

std::string Sema::key_of(std::span<const Binding> bindings) const {
  std::string key;
  const auto add_value = [&](const auto& self, const model::Value& value) -> void {
    key += fmt::format("{}:{}(", static_cast<int>(value.kind), value.scalar);
    for (const model::Value& part : value.parts)
      self(self, part);
    key += ')';
  };
  for (const Binding& binding : bindings) {
    if (!binding.is_const) {
      key += fmt::format("t{},", binding.type.index);
    } else if (binding.constant.value) {
      key += fmt::format("c{}=", binding.constant.type.index);
      add_value(add_value, *binding.constant.value);
    } else {
      key += "?,";
    }
  }
  return key;
}

std::string Sema::arguments_text(std::span<const Binding> bindings) const {
  if (bindings.empty()) return {};
  std::string text;
  for (const Binding& binding : bindings) {
    text += text.empty() ? "<" : ", ";
    if (!binding.is_const) {
      text += is_error(binding.type) ? std::string(binding.name) : name_of(binding.type);
    } else if (!binding.constant.value) {
      text += binding.name;
    } else if (binding.constant.value->kind == model::Value::Kind::Bool) {
      text += binding.constant.value->scalar != 0 ? "true" : "false";
    } else if (const auto* e = as<model::EnumType>(binding.constant.type)) {
      text += model_.enums[e->decl]
                  .enumerators[static_cast<std::size_t>(binding.constant.value->scalar)];
    } else if (binding.constant.value->kind == model::Value::Kind::Struct) {
      text += name_of(binding.constant.type) + "(…)";
    } else {
      text += fmt::format("{}", binding.constant.value->scalar);
    }
  }
  return text + ">";
}

bool Sema::too_many_instances(std::uint32_t depth, std::size_t name_length, SourceRange where,
                              std::string_view what) {
  const std::size_t total = class_instances_.size() + function_instances_.size();
  if (depth <= kMaxInstantiationDepth && name_length <= kMaxTypeName &&
      total <= kMaxInstantiations) {
    return false;
  }
  const std::string_view culprit =
      env().cls.valid() ? symbols_[instance(env().cls).symbol].name : what;
  report(Code::GrowingInstantiation, where,
         fmt::format("instantiating `{}` does not come to an end: each instance needs another one "
                     "with larger arguments",
                     culprit))
      .cure("a generic declaration may refer to itself with its own parameters only");
  return true;
}

model::ClassId Sema::instantiate(SymbolId symbol, std::vector<Binding> bindings,
                                 SourceRange where) {
  const std::pair<SymbolId, std::string> key{symbol, key_of(bindings)};
  if (const auto found = classes_by_key_.find(key); found != classes_by_key_.end()) {
    return found->second;
  }
  const auto& decl = std::get<ast::ClassDecl>(decl_of(symbols_[symbol]).node);
  model::Class result;
  result.name = std::string(decl.name.text) + arguments_text(bindings);
  result.range = decl.name.range;
  result.is_atomic = decl.is_atomic;
  auto made = std::make_unique<ClassInstance>();
  made->symbol = symbol;
  if (!bindings.empty()) {
    made->depth = env().depth + 1;
    if (too_many_instances(made->depth, result.name.size(), where, decl.name.text)) return {};
    if (!generics_only_ || !is_error(bindings.front().type) || bindings.front().is_const) {
      made->note = reporter_.add_note(
          {where, fmt::format("the instantiation `{}`", result.name), env().note});
    }
    bool unknown = false;
    for (const Binding& binding : bindings) {
      unknown = unknown || (binding.is_const ? !binding.constant.value : is_error(binding.type));
    }
    if (unknown) made->note = {};
  }
  made->bindings = std::move(bindings);
  const model::ClassId id = model_.classes.push(std::move(result));
  class_instances_.push(std::move(made));
  classes_by_key_.emplace(key, id);
  if (!generics_only_) pending_classes_.push_back(id);
  return id;
}

const Member* Sema::find_member(model::ClassId cls, std::string_view name) {
  declare_members(cls);
  const ClassInstance& c = instance(cls);
  const auto found = c.by_name.find(name);
  return found == c.by_name.end() ? nullptr : &c.members[found->second];
}

void Sema::declare_members(model::ClassId cls) {
  if (instance(cls).progress != Progress::Fresh) return;
  instance(cls).progress = Progress::Busy;
  Enter enter(*this, Context{CodeKind::Clause, env_of(cls)});
  const auto& decl = std::get<ast::ClassDecl>(decl_of(symbols_[instance(cls).symbol]).node);
  // All names first: the type of one member may need the constant in another.
  std::optional<SourceRange> first_init;
  names_differ(decl.type_parameters);
  for (ast::DeclId id : decl.members) {
    const ast::Decl& member = tree().decls[id];
    const ast::Name* name = nullptr;
    bool is_init = false;
    if (const auto* object = std::get_if<ast::ObjectDecl>(&member.node)) name = &object->name;
    if (const auto* constant = std::get_if<ast::ConstDecl>(&member.node)) name = &constant->name;
    if (const auto* function = std::get_if<ast::FunctionDecl>(&member.node)) {
      name = &function->name;
      is_init = function->is_init;
    }
    check_member_rules(decl, member, first_init);
    if (name == nullptr || (name->text.empty() && !is_init)) continue;
    ClassInstance& c = instance(cls);
    if (!is_init) {
      const auto [place, fresh] = c.by_name.try_emplace(name->text, c.members.size());
      if (!fresh) {
        report(Code::DuplicateName, name->range,
               fmt::format("the class already has a member `{}`", name->text))
            .also(c.members[place->second].where, "the first declaration")
            .cure("there is no overloading: give one of them another name");
      }
    }
    Member made{id, name->text, name->range, {}, {}};
    c.members.push_back(made);
  }
  for (std::size_t i = 0; i < instance(cls).members.size(); ++i)
    declare_member(cls, i);
  instance(cls).progress = Progress::Done;
}

void Sema::check_member_rules(const ast::ClassDecl& cls, const ast::Decl& member,
                              std::optional<SourceRange>& first_init) {
  if (const auto* object = std::get_if<ast::ObjectDecl>(&member.node)) {
    if (cls.is_atomic && object->kind != ast::ObjectKind::Var) {
      report(Code::AtomicClassMember, object->name.range,
             fmt::format("`{} {}` in an atomic class: its fields are `var` or `const`",
                         ast::spelling(object->kind), object->name.text))
          .cure("every method is one indivisible operation, so plain `var` fields suffice");
    } else if (!cls.is_atomic && object->kind == ast::ObjectKind::Var) {
      report(Code::MisplacedVar, object->name.range,
             fmt::format("`var {}` in a class that is not atomic", object->name.text))
          .cure("use `shared`, or `atomic` for what is racy on purpose");
    } else if (object->init_by) {
      report(Code::BadInitBy, ast_expr(*object->init_by).range,
             fmt::format("`init by` on the field `{}`: a field is initialised by the thread that "
                         "executes `new`",
                         object->name.text))
          .cure("remove it; the window opens with `new`");
    }
  } else if (const auto* function = std::get_if<ast::FunctionDecl>(&member.node)) {
    if (cls.is_atomic && function->is_synchronized) {
      report(Code::AtomicClassMember, function->name.range,
             fmt::format("`synchronized fun {}` in an atomic class: its methods are indivisible "
                         "without a monitor",
                         function->name.text))
          .cure("remove `synchronized`");
    }
    if (cls.is_atomic && function->is_atomic) {
      report(Code::AtomicClassMember, function->name.range,
             fmt::format("`atomic fun {}` in an atomic class: its methods are indivisible anyway",
                         function->name.text))
          .cure("remove `atomic`");
    }
    if (!function->is_init) return;
    if (first_init) {
      report(Code::BadConstructor, member.range,
             fmt::format("a second `init` in `{}`: a class has one constructor", cls.name.text))
          .also(*first_init, "the first one");
    } else {
      first_init = function->name.range.end > 0 ? function->name.range : member.range;
    }
  } else if (std::holds_alternative<ast::CommutesDecl>(member.node)) {
    if (!cls.is_atomic) {
      report(Code::BadCommutes, member.range,
             fmt::format("`commutes` in `{}`, which is not an atomic class: only indivisible "
                         "operations can commute",
                         cls.name.text))
          .cure("declare it as `atomic class`");
    }
  }
}

void Sema::declare_member(model::ClassId cls, std::size_t position) {
  const Env env = env_of(cls);
  const ast::Decl& decl = tree(env.module).decls[instance(cls).members[position].decl];
  if (const auto* object = std::get_if<ast::ObjectDecl>(&decl.node)) {
    model::Object made = make_object(*object, env, decl.doc);
    made.owner = cls;
    const model::ObjectId id = model_.objects.push(std::move(made));
    model_.classes[cls].fields.push_back(id);
    instance(cls).members[position].object = id;
  } else if (const auto* constant = std::get_if<ast::ConstDecl>(&decl.node)) {
    model::Object made;
    made.kind = ast::ObjectKind::Var;
    made.is_const = true;
    made.name = std::string(constant->name.text);
    made.range = constant->name.range;
    made.owner = cls;
    made.doc = decl.doc;
    Enter enter(*this, Context{CodeKind::Clause, env});
    made.type = error_;
    if (constant->type) {
      const TypeId type = resolve_type(*constant->type);
      if (storable(type, tree().types[*constant->type].range, "a constant field")) {
        made.type = type;
      }
    }
    if (constant->value) {
      const std::optional<Constant> value = constant_of(cls, position);
      if (value && !constant->type) made.type = value->type;
    }
    const model::ObjectId id = model_.objects.push(std::move(made));
    model_.classes[cls].fields.push_back(id);
    instance(cls).members[position].object = id;
  } else if (const auto* function = std::get_if<ast::FunctionDecl>(&decl.node)) {
    if (!function->type_parameters.empty() && !function->is_init) return;  // once per call's types
    const model::FunctionId id = declare_function(*function, env, {});
    instance(cls).members[position].function = id;
    if (function->is_init) {
      if (!model_.classes[cls].init) model_.classes[cls].init = id;
    } else {
      model_.classes[cls].methods.push_back(id);
    }
  }
}

void Sema::finish_class(model::ClassId cls) {
  const Env env = env_of(cls);
  const auto& decl = std::get<ast::ClassDecl>(decl_of(symbols_[instance(cls).symbol]).node);
  for (std::size_t i = 0; i < instance(cls).members.size(); ++i) {
    const Member member = instance(cls).members[i];
    const ast::Decl& item = tree(env.module).decls[member.decl];
    if (const auto* object = std::get_if<ast::ObjectDecl>(&item.node)) {
      finish_object(member.object, *object, env);
    } else if (std::holds_alternative<ast::ConstDecl>(item.node)) {
      const std::optional<Constant> value = constant_of(cls, i);
      if (!value) continue;
      Enter enter(*this, Context{CodeKind::Initialiser, env});
      const SourceRange range = ast_expr(*std::get<ast::ConstDecl>(item.node).value).range;
      // A value that depends on an unknown argument is one all the same.
      model_.objects[member.object].initial = value->value ? literal(range, *value) : error(range);
    } else if (const auto* function = std::get_if<ast::FunctionDecl>(&item.node)) {
      if (!generics_only_) continue;
      // On its own, a generic method is checked with unknown arguments.
      if (function->type_parameters.empty() || function->is_init) {
        if (!instance(cls).bindings.empty()) check_body(member.function);
        continue;
      }
      Enter enter(*this, Context{CodeKind::Clause, env});
      std::vector<Binding> unknown;
      for (const ast::TypeParameter& parameter : function->type_parameters) {
        unknown.push_back({parameter.name.text, parameter.name.range, parameter.is_const, error_,
                           Constant{error_, std::nullopt}});
      }
      check_body(declare_function(*function, env, std::move(unknown)));
    }
  }
  for (ast::DeclId id : decl.members) {
    const ast::Decl& member = tree(env.module).decls[id];
    const auto* commutes = std::get_if<ast::CommutesDecl>(&member.node);
    if (commutes != nullptr && decl.is_atomic) check_commutes(cls, *commutes, member.range);
  }
}

void Sema::check_commutes(model::ClassId cls, const ast::CommutesDecl& decl, SourceRange range) {
  Enter enter(*this, Context{CodeKind::When, env_of(cls)});
  model::Commutes result;
  result.range = range;
  bool good = !decl.methods.empty();
  for (const ast::CommutesDecl::Method& method : decl.methods) {
    if (method.name.text.empty()) return;
    const Member* member = find_member(cls, method.name.text);
    if (member != nullptr) saw(method.name.range, member->where);
    if (member == nullptr || !member->function.valid()) {
      report(Code::BadCommutes, method.name.range,
             fmt::format("`{}` is no method of `{}`", method.name.text, model_.classes[cls].name))
          .cure("`commutes` names methods of this class");
      good = false;
      continue;
    }
    const model::FunctionId function = member->function;
    const std::uint32_t wanted = model_.functions[function].body.parameter_count;
    if (method.parameters.size() != wanted) {
      report(Code::BadCommutes, method.range,
             fmt::format("`{}` takes {} argument{}, not {}", method.name.text, wanted,
                         wanted == 1 ? "" : "s", method.parameters.size()))
          .also(model_.functions[function].range, fmt::format("`{}`", signature(function)))
          .cure("write `_` for each argument that does not matter");
      good = false;
      continue;
    }
    model::Commutes::Method entry{function, {}};
    for (std::size_t i = 0; i < method.parameters.size(); ++i) {
      const ast::Name& name = method.parameters[i];
      if (name.text == "_" || name.text.empty()) {
        entry.parameters.emplace_back();
        continue;
      }
      const TypeId type = model_.functions[function].body.locals[model::LocalId::of(i)].type;
      entry.parameters.push_back(declare_local(name, type, true, true));
    }
    result.methods.push_back(std::move(entry));
  }
  if (good && result.methods.size() == 1) {
    model::Commutes::Method other = result.methods.front();
    for (model::LocalId& parameter : other.parameters)
      parameter = {};
    result.methods.push_back(std::move(other));
  }
  if (decl.when) result.when = condition(*decl.when, "`when`");
  result.locals = context_->body.locals;
  if (good && result.methods.size() == 2) model_.classes[cls].commutes.push_back(std::move(result));
}

}  // namespace cml::sema
