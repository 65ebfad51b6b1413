// Functions and methods: signatures, bodies, calls, and the inference of type parameters.
#include <fmt/format.h>

#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"

namespace cml::sema {

model::FunctionId Sema::function_of(SymbolId symbol, std::vector<Binding> bindings,
                                    std::optional<SourceRange> call) {
  const auto& decl = std::get<ast::FunctionDecl>(decl_of(symbols_[symbol]).node);
  Env env = env_of(symbol);
  const std::string arguments = arguments_text(bindings);
  if (!bindings.empty() && call) {
    const std::tuple key{&decl, model::ClassId{}, key_of(bindings)};
    if (!functions_by_key_.contains(key)) {
      env.depth = this->env().depth + 1;
      if (too_many_instances(env.depth, arguments.size(), *call, decl.name.text)) return {};
      env.note = reporter_.add_note(
          {*call, fmt::format("the instantiation `{}{}`", decl.name.text, arguments),
           this->env().note});
    }
  }
  return declare_function(decl, env, std::move(bindings));
}

model::FunctionId Sema::declare_function(const ast::FunctionDecl& decl, Env env,
                                         std::vector<Binding> bindings) {
  const std::tuple key{&decl, env.cls, key_of(bindings)};
  if (const auto found = functions_by_key_.find(key); found != functions_by_key_.end()) {
    return found->second;
  }
  auto made = std::make_unique<FunctionInstance>();
  made->decl = &decl;
  made->bindings = std::move(bindings);
  env.bindings = made->bindings;
  made->env = env;
  Enter enter(*this, Context{CodeKind::Clause, env});
  names_differ(decl.type_parameters);
  model::Function function;
  function.name =
      std::string(decl.is_init ? "init" : decl.name.text) + arguments_text(made->bindings);
  if (env.cls.valid()) function.name = model_.classes[env.cls].name + "." + function.name;
  function.range = decl.name.range;
  if (env.cls.valid()) function.owner = env.cls;
  if (env.process.valid()) function.process = symbols_[env.process].model_process;
  function.is_synchronized = decl.is_synchronized;
  function.is_atomic = decl.is_atomic;
  function.is_init = decl.is_init;
  function.result = void_;
  if (decl.result && !decl.is_init) {
    function.result = resolve_type(*decl.result);
    const SourceRange where = tree().types[*decl.result].range;
    const auto may_be_result = [&](TypeId type) {
      if (is_error(type)) return true;
      if (!storable(type, where, "a result")) return false;
      if (as<model::ArrayType>(type) == nullptr) return limit_value(type, where, "the result");
      report(Code::ArrayValue, where, "a function returns no whole array")
          .cure("put the array into a struct, or fill one that is passed in by an object");
      return false;
    };
    if (!may_be_result(function.result)) function.result = error_;
  }
  add_parameters(decl.parameters, function.body);
  const model::FunctionId id = model_.functions.push(std::move(function));
  function_instances_.push(std::move(made));
  functions_by_key_.emplace(key, id);
  if (!generics_only_) pending_functions_.push_back(id);
  return id;
}

void Sema::names_differ(std::span<const ast::TypeParameter> parameters) {
  std::map<std::string_view, SourceRange> seen;
  for (const ast::TypeParameter& parameter : parameters) {
    const auto [place, fresh] = seen.emplace(parameter.name.text, parameter.name.range);
    if (fresh) continue;
    report(Code::DuplicateName, parameter.name.range,
           fmt::format("the parameter `{}` is declared twice", parameter.name.text))
        .also(place->second, "the first one");
  }
}

void Sema::add_parameters(std::span<const ast::Parameter> parameters, model::Body& body) {
  for (const ast::Parameter& parameter : parameters) {
    model::Local local;
    local.name = std::string(parameter.name.text);
    local.type = parameter_type(parameter);
    local.range = parameter.name.range;
    local.is_parameter = true;
    body.locals.push(std::move(local));
  }
  body.parameter_count = static_cast<std::uint32_t>(parameters.size());
}

TypeId Sema::parameter_type(const ast::Parameter& parameter) {
  if (!parameter.type) return error_;
  const TypeId type = resolve_type(*parameter.type);
  if (is_error(type)) return type;
  if (as<model::ArrayType>(type) != nullptr &&
      !storable(type, tree().types[*parameter.type].range, "an array that is passed")) {
    return error_;
  }
  return limit_value(type, parameter.name.range, "this parameter") ? type : error_;
}

void Sema::declare_parameters(std::span<const ast::Parameter> parameters) {
  for (const ast::Parameter& parameter : parameters) {
    declare_local(parameter.name, parameter_type(parameter), false, true);
  }
  context_->body.parameter_count = static_cast<std::uint32_t>(parameters.size());
}

void Sema::check_body(model::FunctionId id) {
  FunctionInstance& function = *function_instances_[id];
  if (function.progress != Progress::Fresh) return;
  if (body_depth_ >= kMaxBodyDepth) {
    report(Code::ConstantFailed, function.decl->name.range,
           fmt::format("constants in functions that constants call nest deeper than {} levels",
                       kMaxBodyDepth));
    function.progress = Progress::Done;
    return;
  }
  function.progress = Progress::Busy;
  ++body_depth_;
  Context context{CodeKind::Function, function.env};
  context.result = model_.functions[id].result;
  context.is_init = function.decl->is_init;
  context.atomic_blocks = function.decl->is_atomic ? 1 : 0;
  Enter enter(*this, std::move(context));
  add_index_names();
  declare_parameters(function.decl->parameters);
  model::Block body = block(function.decl->body);
  context_->body.block = std::move(body);
  model_.functions[id].body = std::move(context_->body);
  function.progress = Progress::Done;
  --body_depth_;
}

// ---- signatures --------------------------------------------------------------------------------

std::string Sema::signature(model::FunctionId id) const {
  const model::Function& function = model_.functions[id];
  std::string text = function.name + "(";
  for (std::uint32_t i = 0; i < function.body.parameter_count; ++i) {
    const model::Local& parameter = function.body.locals[model::LocalId(i)];
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", parameter.name, name_of(parameter.type));
  }
  text += ")";
  if (as<model::VoidType>(function.result) == nullptr) text += ": " + name_of(function.result);
  return text;
}

// ---- calls -------------------------------------------------------------------------------------

std::vector<ExprId> Sema::check_loose_arguments(std::span<const ast::Argument> arguments) {
  std::vector<ExprId> values;
  for (const ast::Argument& argument : arguments)
    values.push_back(value(argument.value));
  return values;
}

std::vector<ExprId> Sema::check_arguments(std::span<const ast::Argument> arguments,
                                          std::span<const TypeId> types, SourceRange call,
                                          SourceRange declared, std::string_view signature) {
  const auto declared_as = [&](Diagnostic& diagnostic) {
    if (declared.file.valid() && declared.end > 0) {
      diagnostic.also(declared, fmt::format("declared as `{}`", signature));
    } else {
      diagnostic.cure(fmt::format("the operation is `{}`", signature));
    }
  };
  bool named = false;
  for (const ast::Argument& argument : arguments) {
    if (!argument.name || named) continue;
    named = true;
    declared_as(report(Code::BadArgumentName, argument.name->range,
                       fmt::format("`{}:` names an argument: only the fields of a struct are named",
                                   argument.name->text)));
  }
  if (arguments.size() != types.size()) {
    declared_as(report(Code::WrongArgumentCount, call,
                       fmt::format("{} argument{} given, {} expected", arguments.size(),
                                   arguments.size() == 1 ? "" : "s", types.size())));
    check_loose_arguments(arguments);
    return {};
  }
  std::vector<ExprId> values;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::size_t before = reporter_.count();
    values.push_back(typed(arguments[i].value, types[i], "the argument"));
    if (reporter_.count() > before && reporter_.last_is(Code::TypeMismatch)) {
      declared_as(reporter_.last());
    }
  }
  return values;
}

ExprId Sema::finish_call(model::FunctionId function, std::optional<ExprId> receiver,
                         std::span<const ast::Argument> arguments, SourceRange range) {
  std::vector<TypeId> types;
  for (std::uint32_t i = 0; i < model_.functions[function].body.parameter_count; ++i) {
    types.push_back(model_.functions[function].body.locals[model::LocalId(i)].type);
  }
  std::vector<ExprId> values = check_arguments(
      arguments, types, range, model_.functions[function].range, signature(function));
  const TypeId result = model_.functions[function].result;
  if (values.size() != types.size()) return error(range);
  return add(range, result, model::Call{function, receiver, std::move(values)});
}

/// The same with arguments that have been checked, for a function whose parameters they determine.
ExprId Sema::finish_inferred(model::FunctionId function, std::optional<ExprId> receiver,
                             std::vector<ExprId> values, SourceRange range) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TypeId type = model_.functions[function].body.locals[model::LocalId::of(i)].type;
    if (!convert(values[i], type, "the argument") && reporter_.last_is(Code::TypeMismatch)) {
      reporter_.last().also(model_.functions[function].range,
                            fmt::format("declared as `{}`", signature(function)));
    }
  }
  const TypeId result = model_.functions[function].result;
  return add(range, result, model::Call{function, receiver, std::move(values)});
}

ExprId Sema::call_function(SymbolId symbol, const ast::CallExpr& call, SourceRange range) {
  const auto& decl = std::get<ast::FunctionDecl>(decl_of(symbols_[symbol]).node);
  if (decl.type_parameters.empty()) {
    return finish_call(function_of(symbol, {}, {}), std::nullopt, call.arguments, range);
  }
  std::vector<ExprId> values = check_loose_arguments(call.arguments);
  auto bindings = infer_all(decl, env_of(symbol), values, range);
  if (!bindings) return error(range);
  const model::FunctionId function = function_of(symbol, std::move(*bindings), range);
  if (!function.valid()) return error(range);
  return finish_inferred(function, std::nullopt, std::move(values), range);
}

ExprId Sema::call_method(model::ClassId cls, const Member& member, ExprId receiver,
                         const ast::CallExpr& call, SourceRange range) {
  if (member.function.valid()) {
    return finish_call(member.function, receiver, call.arguments, range);
  }
  Env env = env_of(cls);
  const ast::Decl& item = tree(env.module).decls[member.decl];
  const auto* decl = std::get_if<ast::FunctionDecl>(&item.node);
  if (decl == nullptr) {
    report(Code::NotCallable, range, fmt::format("`{}` is a field, not a method", member.name))
        .also(member.where, "declared here");
    check_loose_arguments(call.arguments);
    return error(range);
  }
  std::vector<ExprId> values = check_loose_arguments(call.arguments);
  auto bindings = infer_all(*decl, env, values, range);
  if (!bindings) return error(range);
  const std::tuple key{decl, cls, key_of(*bindings)};
  if (!functions_by_key_.contains(key)) {
    env.depth = this->env().depth + 1;
    const std::string text = arguments_text(*bindings);
    if (too_many_instances(env.depth, text.size(), range, member.name)) return error(range);
    env.note = reporter_.add_note(
        {range, fmt::format("the instantiation `{}{}`", member.name, text), this->env().note});
  }
  const model::FunctionId function = declare_function(*decl, env, std::move(*bindings));
  return finish_inferred(function, receiver, std::move(values), range);
}

// ---- inference ---------------------------------------------------------------------------------

std::optional<std::vector<Binding>> Sema::infer_all(const ast::FunctionDecl& decl, const Env& where,
                                                    std::span<const ExprId> values,
                                                    SourceRange range) {
  std::vector<Binding> bindings;
  for (const ast::TypeParameter& parameter : decl.type_parameters) {
    bindings.push_back({parameter.name.text, parameter.name.range, parameter.is_const, {}, {}});
  }
  bool poisoned = false;
  for (std::size_t i = 0; i < values.size() && i < decl.parameters.size(); ++i) {
    poisoned = poisoned || is_error(values[i]);
    if (decl.parameters[i].type) {
      infer(type_of(values[i]), *decl.parameters[i].type, where, bindings, false);
    }
  }
  if (poisoned) return std::nullopt;
  if (values.size() != decl.parameters.size()) {
    report(Code::WrongArgumentCount, range,
           fmt::format("{} argument{} given, {} expected", values.size(),
                       values.size() == 1 ? "" : "s", decl.parameters.size()))
        .also(decl.name.range, "declared here");
    return std::nullopt;
  }
  for (const Binding& binding : bindings) {
    if (binding.is_const ? binding.constant.value.has_value() : binding.type.valid()) continue;
    report(Code::CannotInfer, range,
           fmt::format("the parameter `{}` cannot be inferred from the arguments", binding.name))
        .also(binding.where, "declared here")
        .cure("each type parameter must be the type of a parameter, or a part of one");
    return std::nullopt;
  }
  return bindings;
}

/// Matches the type of an argument with the type of a parameter as written. A conflict is left to
/// the conversion of the argument, which reports it. Inside `channel<T>` or a class the match is
/// exact.
void Sema::infer(TypeId actual, ast::TypeId formal, const Env& where,
                 std::vector<Binding>& bindings, bool exact) {
  const ast::Ast& ast = tree(where.module);
  const ast::Type& type = ast.types[formal];
  const auto bind_constant = [&](std::string_view name, const Constant& constant) {
    for (Binding& binding : bindings) {
      if (binding.is_const && binding.name == name && !binding.constant.value) {
        binding.constant = constant;
      }
    }
  };
  if (const auto* named = std::get_if<ast::NamedType>(&type.node)) {
    for (Binding& binding : bindings) {
      if (binding.is_const || binding.name != named->name.text) continue;
      TypeId found = actual;
      if (as<model::NullType>(actual) != nullptr || as<model::VoidType>(actual) != nullptr) return;
      if (!exact && as<model::IntType>(actual) != nullptr) found = int_;
      if (!binding.type.valid() || exact) binding.type = found;
      return;
    }
    const auto* cls = as<model::ClassType>(actual);
    if (cls == nullptr || named->arguments.empty()) return;
    const ClassInstance& given = instance(cls->decl);
    if (find_symbol(where, named->name.text) != given.symbol) return;
    for (std::size_t i = 0; i < named->arguments.size() && i < given.bindings.size(); ++i) {
      const Binding argument = given.bindings[i];
      const auto* inner = std::get_if<ast::TypeId>(&named->arguments[i]);
      if (inner == nullptr) continue;
      if (!argument.is_const) {
        infer(argument.type, *inner, where, bindings, true);
      } else if (const auto* bare = std::get_if<ast::NamedType>(&ast.types[*inner].node)) {
        bind_constant(bare->name.text, argument.constant);
      }
    }
  } else if (const auto* nullable = std::get_if<ast::NullableType>(&type.node)) {
    if (const auto* cls = as<model::ClassType>(actual)) {
      actual = intern(model::ClassType{cls->decl, false});
    } else if (as<model::ThreadType>(actual) != nullptr) {
      actual = thread_;
    }
    infer(actual, nullable->inner, where, bindings, exact);
  } else if (const auto* channel = std::get_if<ast::ChannelType>(&type.node);
             channel != nullptr && channel->element.valid()) {
    if (const auto* given = as<model::ChannelType>(actual)) {
      infer(given->element, channel->element, where, bindings, true);
    }
  } else if (const auto* array = std::get_if<ast::ArrayType>(&type.node)) {
    const auto* given = as<model::ArrayType>(actual);
    if (given == nullptr) return;
    const model::ArrayType shape = *given;
    if (const auto* size = std::get_if<ast::NameExpr>(&ast.exprs[array->size].node)) {
      bind_constant(
          size->name.text,
          Constant{int_, model::Value{
                             model::Value::Kind::Int, static_cast<std::int32_t>(shape.size), {}}});
    }
    infer(shape.element, array->element, where, bindings, true);
  }
}

}  // namespace cml::sema
