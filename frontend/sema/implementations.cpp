// `property lin: Set implements SetSpec;`: which calls are compared with those of the specification
// (docs/reference.md, "Linearizability").
//
// Compared are the calls that clients make: of methods of another object, not those that a method
// makes on `this`. They are matched with the methods of the same name, once all code is known.
// Arguments and results are values, since there is no telling which object of the one execution is
// which of the other.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "frontend/sema/effects.h"
#include "frontend/sema/enter.h"
#include "frontend/sema/sema.h"

namespace cml::sema {
namespace {

std::string_view name_in_class(const model::Function& function) {
  const std::string_view name = function.name;
  return name.substr(name.rfind('.') + 1);
}

/// bool, int, enum, and structs of these.
bool is_value(const model::Model& model, model::TypeId type) {
  if (const auto* record = std::get_if<model::StructType>(&model.types[type])) {
    return std::ranges::all_of(
        model.structs[record->decl].fields,
        [&](const model::Struct::Field& field) { return is_value(model, field.type); });
  }
  return std::holds_alternative<model::BoolType>(model.types[type]) ||
         std::holds_alternative<model::IntType>(model.types[type]) ||
         std::holds_alternative<model::ModType>(model.types[type]) ||
         std::holds_alternative<model::SetType>(model.types[type]) ||
         std::holds_alternative<model::EnumType>(model.types[type]) ||
         std::holds_alternative<model::VoidType>(model.types[type]);
}

/// A call of a method by somebody else: what a client does.
const model::Call* client_call(const model::Model& model, model::ExprId id, model::ClassId of) {
  const auto* call = std::get_if<model::Call>(&model.exprs[id].node);
  if (call == nullptr || !call->receiver) return nullptr;
  if (model.functions[call->function].owner != of) return nullptr;
  const bool own = std::holds_alternative<model::ThisRef>(model.exprs[*call->receiver].node);
  return own ? nullptr : call;
}

struct ClientCall {
  model::FunctionId function;
  SourceRange range;
};

/// All calls that clients make, in code that runs as a thread, and those in the conditions that a
/// thread waits for, where a call may be made any number of times.
class ClientCalls {
 public:
  ClientCalls(const model::Model& model, model::ClassId of) : model_(model), of_(of) {
    for (const model::Function& function : model.functions)
      look(function.body.block);
    for (const model::Thread& thread : model.threads)
      look(thread.body.block);
  }

  std::vector<ClientCall> calls;
  std::vector<ClientCall> in_conditions;

 private:
  void look(const model::Block& block) {
    scan(
        model_, block,
        [this](model::ExprId part, bool) {
          if (const model::Call* call = client_call(model_, part, of_))
            calls.push_back({call->function, model_.exprs[part].range});
        },
        [this](const model::Stmt& stmt) {
          std::set<model::FunctionId> seen;
          if (const auto* await = std::get_if<model::Await>(&stmt.node))
            look_in_condition(await->condition, seen);
          if (const auto* wait = std::get_if<model::WaitUntil>(&stmt.node))
            look_in_condition(wait->condition, seen);
        });
  }
  void look_in_condition(model::ExprId condition, std::set<model::FunctionId>& seen) {
    scan(model_, condition, [&](model::ExprId part, bool) { called(part, seen); });
  }
  void called(model::ExprId part, std::set<model::FunctionId>& seen) {
    if (const model::Call* call = client_call(model_, part, of_)) {
      in_conditions.push_back({call->function, model_.exprs[part].range});
      return;
    }
    const auto callee = called_by(model_, model_.exprs[part]);
    if (!callee || !seen.insert(*callee).second) return;
    scan(
        model_, model_.functions[*callee].body.block,
        [&](model::ExprId inside, bool) { called(inside, seen); }, [](const model::Stmt&) {});
  }

  const model::Model& model_;
  model::ClassId of_;
};

}  // namespace

std::optional<model::ClassId> Sema::class_of_property(ast::TypeId type, bool is_specification) {
  const TypeId resolved = resolve_type(type);
  if (is_error(resolved)) return std::nullopt;
  const SourceRange range = tree().types[type].range;
  const auto* of = as<model::ClassType>(resolved);
  if (of == nullptr || of->nullable) {
    report(Code::BadImplementation, range, fmt::format("`{}` is no class", name_of(resolved)))
        .cure("`property name: C implements S;` relates a class and an atomic class");
    return std::nullopt;
  }
  const model::Class& decl = model_.classes[of->decl];
  if (decl.is_atomic == is_specification) return of->decl;
  if (is_specification) {
    report(Code::BadImplementation, range,
           fmt::format("`{}` is not atomic, so it cannot be a specification", decl.name))
        .also(decl.range, "declared here")
        .cure("a specification is an `atomic class`: its calls come one after the other");
  } else {
    report(Code::BadImplementation, range,
           fmt::format("`{}` is atomic: its calls never overlap", decl.name))
        .also(decl.range, "declared here")
        .cure("name the class whose calls can overlap first, its specification second");
  }
  return std::nullopt;
}

void Sema::declare_implementation(const ast::PropertyDecl& property) {
  const auto of = class_of_property(property.of, false);
  const auto specification = class_of_property(property.specification, true);
  if (!of || !specification) return;
  const SourceRange range = property.name.range;
  for (const model::Implementation& other : model_.implementations) {
    if (other.of != *of) continue;
    report(Code::BadImplementation, range,
           fmt::format("`{}` has a specification already", model_.classes[*of].name))
        .also(other.range, "the first one")
        .cure("one class implements one specification");
    return;
  }
  model_.implementations.push_back(
      {std::string(property.name.text), range, *of, *specification, {}});
}

void Sema::finish_implementations() {
  for (model::Implementation& property : model_.implementations) {
    match_methods(property);
    match_constructors(property);
  }
}

bool Sema::same_parameters(model::FunctionId a, model::FunctionId b) const {
  const model::Body& left = model_.functions[a].body;
  const model::Body& right = model_.functions[b].body;
  bool same = left.parameter_count == right.parameter_count;
  for (std::uint32_t k = 0; same && k < left.parameter_count; ++k)
    same = left.locals[model::LocalId(k)].type == right.locals[model::LocalId(k)].type;
  return same;
}

void Sema::match_methods(model::Implementation& property) {
  const model::Class& of = model_.classes[property.of];
  const model::Class& specification = model_.classes[property.specification];
  for (const model::FunctionId id : of.methods) {
    const model::Function& method = model_.functions[id];
    const auto same_name = [&](model::FunctionId other) {
      return name_in_class(model_.functions[other]) == name_in_class(method);
    };
    const auto found = std::ranges::find_if(specification.methods, same_name);
    if (found == specification.methods.end()) continue;
    const model::Function& other = model_.functions[*found];
    if (!same_parameters(id, *found) || method.result != other.result) {
      report(Code::BadImplementation, method.range,
             fmt::format("`{}` and `{}` differ in their parameters or results", signature(id),
                         signature(*found)))
          .also(other.range, "the specification")
          .cure("give them the same types, in the same order");
      continue;
    }
    bool are_values = is_value(model_, method.result);
    for (std::uint32_t k = 0; k < method.body.parameter_count; ++k)
      are_values = are_values && is_value(model_, method.body.locals[model::LocalId(k)].type);
    if (!are_values) {
      report(Code::BadImplementation, method.range,
             fmt::format("`{}` takes or returns a reference, or something to synchronise with",
                         signature(id)))
          .also(property.range, "this property compares its calls")
          .cure("what is compared is `bool`, `int`, an enum, or a struct of these");
      continue;
    }
    property.methods.push_back({id, *found});
  }
  const ClientCalls calls(model_, property.of);
  std::set<model::FunctionId> reported;
  for (const ClientCall& call : calls.calls) {
    const auto has_name = [&](model::FunctionId other) {
      return name_in_class(model_.functions[other]) ==
             name_in_class(model_.functions[call.function]);
    };
    if (std::ranges::any_of(specification.methods, has_name)) continue;
    if (!reported.insert(call.function).second) continue;
    report(Code::BadImplementation, call.range,
           fmt::format("`{}` is called here, and `{}` has no such method",
                       model_.functions[call.function].name, specification.name))
        .also(property.range, "this property compares all calls of clients")
        .cure("add the method to the specification, or call it on `this` only");
  }
  for (const ClientCall& call : calls.in_conditions) {
    report(Code::BadImplementation, call.range,
           fmt::format("`{}` is called in a condition that is waited for, so it is not known how "
                       "often",
                       model_.functions[call.function].name))
        .also(property.range, "this property compares its calls")
        .cure("call it in a loop, or wait inside a method");
  }
}

void Sema::match_constructors(const model::Implementation& property) {
  const model::Class& of = model_.classes[property.of];
  const model::Class& specification = model_.classes[property.specification];
  if (!specification.init) return;
  const model::Function& wanted = model_.functions[*specification.init];
  if (wanted.body.parameter_count == 0) return;
  if (!of.init || !same_parameters(*of.init, *specification.init)) {
    report(Code::BadImplementation, wanted.range,
           fmt::format("`{}` and `{}` are constructed with different arguments", of.name,
                       specification.name))
        .also(of.init ? model_.functions[*of.init].range : of.range, "the implementation")
        .cure("give both constructors the same parameters, or that of the specification none");
    return;
  }
  for (std::uint32_t k = 0; k < wanted.body.parameter_count; ++k) {
    const model::Local& parameter = wanted.body.locals[model::LocalId(k)];
    if (is_value(model_, parameter.type)) continue;
    report(Code::BadImplementation, parameter.range,
           fmt::format("the constructor of a specification takes a `{}`", name_of(parameter.type)))
        .cure("what it takes is `bool`, `int`, an enum, or a struct of these");
  }
}

}  // namespace cml::sema
