// Calls of the methods and constructors of atomic classes, by no thread, and the conditions of
// `commutes`: what the verification of such declarations executes (ir/system.h, CallCode).
#include <algorithm>
#include <utility>
#include <variant>

#include "ir/lower/body.h"

namespace cml::ir::lowering {
namespace {

const model::Body kNoLocals;

/// "put" of "Queue<int, 3>.put".
std::string name_in_class(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

bool BodyLowering::takes_lock(const model::Function& function) const {
  for (std::uint32_t k = 0; k < function.body.parameter_count; ++k) {
    const model::Type& type = context_.model.types[function.body.locals[model::LocalId(k)].type];
    if (std::holds_alternative<model::LockType>(type) ||
        std::holds_alternative<model::RwLockType>(type) ||
        std::holds_alternative<model::ConditionType>(type) ||
        std::holds_alternative<model::SemaphoreType>(type) ||
        std::holds_alternative<model::ChannelType>(type))
      return true;
  }
  return false;
}

Scalar BodyLowering::reserve_self(model::ClassId of) {
  const Class& decl = context_.system.classes[ClassId(of.index)];
  const auto last = static_cast<std::int32_t>(decl.places) - 1;
  const WordType type{WordType::Kind::Reference, 0, last, {}, ClassId(of.index)};
  return expressions_.local(code_.reserve({type}, decl.range), 1, last, true);
}

Slot BodyLowering::reserve_value(model::TypeId type, CallCode::Value& value, SourceRange range) {
  value.words = context_.words(type, range);
  if (!value.words.empty()) value.pattern = context_.pattern(type);
  return code_.reserve(value.words, range);
}

void BodyLowering::reserve_parameters(const model::Function& function, CallCode& call,
                                      Frame& frame) {
  frame.body = &function.body;
  frame.variables.resize(function.body.locals.size());
  for (std::uint32_t k = 0; k < function.body.parameter_count; ++k) {
    const model::Local& parameter = function.body.locals[model::LocalId(k)];
    frame.variables[k].slot =
        reserve_value(parameter.type, call.arguments.emplace_back(), parameter.range);
    frame.variables[k].immutable = parameter.is_let;
  }
}

Code BodyLowering::finish_call(SourceRange range) {
  code_.end(range);
  lower_routines(0);
  lay_out_stacks(range);
  return code_.finish();
}

CallCode BodyLowering::lower_method(model::FunctionId method) {
  const model::Function& function = context_.model.functions[method];
  CallCode call;
  call.name = name_in_class(function.name);
  call.takes_lock = takes_lock(function);
  if (call.takes_lock) return call;
  Frame frame;
  frame.self = reserve_self(*function.owner);
  reserve_parameters(function, call, frame);
  const Slot result = reserve_value(function.result, call.result, function.range);
  frame.result_type = function.result;
  if (!call.result.words.empty()) frame.result = destination(result, call.result.words);
  frame.exit = code_.new_label();
  const Label exit = frame.exit;
  lower_function(method, std::move(frame), function.range);
  code_.bind(exit);
  call.code = finish_call(function.range);
  return call;
}

CallCode BodyLowering::lower_constructor(model::ClassId of) {
  const model::Class& decl = context_.model.classes[of];
  CallCode call;
  call.name = "new";
  call.takes_lock = decl.init && takes_lock(context_.model.functions[*decl.init]);
  if (call.takes_lock) return call;
  const Scalar self = reserve_self(of);
  Frame outer;  // where fields are initialised
  outer.body = &kNoLocals;
  frames_.push_back(std::move(outer));
  Frame frame;
  frame.self = self;
  frame.exit = code_.new_label();
  const Label exit = frame.exit;
  if (decl.init) reserve_parameters(context_.model.functions[*decl.init], call, frame);
  open_region(decl.range);
  allocate_fields(self, of);
  frame.depth = scopes_.size();
  if (decl.init) lower_function(*decl.init, std::move(frame), decl.range);
  code_.bind(exit);
  close_region();
  call.code = finish_call(decl.range);
  return call;
}

CallCode BodyLowering::lower_when(model::ClassId of, const model::Commutes& commutes) {
  CallCode call;
  call.name = "when";
  const SourceRange range = commutes.range;
  model::Body body;
  body.locals = commutes.locals;
  Frame frame;
  frame.body = &body;
  frame.variables.resize(body.locals.size());
  frame.self = reserve_self(of);
  for (const model::Commutes::Method& method : commutes.methods) {
    const model::Function& function = context_.model.functions[method.function];
    call.takes_lock = call.takes_lock || takes_lock(function);
    if (call.takes_lock) return call;
    for (std::size_t k = 0; k < method.parameters.size(); ++k) {
      const model::Local& parameter = function.body.locals[model::LocalId::of(k)];
      const Slot slot = reserve_value(parameter.type, call.arguments.emplace_back(), range);
      const model::LocalId name = method.parameters[k];
      if (!name.valid()) continue;
      frame.variables[name.index].slot = slot;
      frame.variables[name.index].immutable = true;
    }
  }
  const Slot result = reserve_value(expr_of(*commutes.when).type, call.result, range);
  frames_.push_back(std::move(frame));
  open_scope(range);
  lower_into(*commutes.when, destination(result, call.result.words), range);
  close_scope();
  call.code = finish_call(range);
  return call;
}

}  // namespace cml::ir::lowering
