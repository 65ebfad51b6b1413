// Functions are expanded where they are called.
//
// Parameters are variables, arguments are converted as they are evaluated. Locks, semaphores and
// channels are specialised: the parameter is the place, whose index is evaluated once, at the call.
// Those that call themselves are routines (routine.cpp).
#include <utility>

#include "ir/lower/body.h"
#include "support/mutation.h"

namespace cml::ir::lowering {

// Its value is called so where it is no variable's.
std::string BodyLowering::call_text(SourceRange range) const {
  constexpr std::size_t kLongest = 60;
  const bool is_known = range.file.valid() && range.file.index < context_.sources.size();
  const std::string_view text = is_known ? context_.sources.text(range) : std::string_view();
  const bool is_short = !text.empty() && text.size() <= kLongest &&
                        text.find_first_of("\n=") == std::string_view::npos;
  return is_short ? std::string(text) : std::string();
}

Value BodyLowering::lower_call(const model::Expr& expr, const model::Call& node, Want want) {
  Value value;
  const model::Function& function = context_.model.functions[node.function];
  if (!code_.reachable()) return value;
  const std::optional<RecordedCall> recorded = recorded_call(node.function, node.receiver);
  if (context_.is_recursive(node.function)) {
    std::optional<Scalar> self;
    if (function.owner && !node.receiver) self = frames_.back().self;
    return call_routine(node.function, node.receiver, self, node.arguments, expr.range, want,
                        recorded);
  }
  if (recorded) {
    value = lower_recorded(node, function, *recorded, expr.range);
    if (want.drop) release(value.temporaries, expr.range);
    return value;
  }
  Frame frame;
  frame.exit = code_.new_label();
  frame.result_type = function.result;
  const std::vector<WordType> words = context_.words(function.result, function.range);
  if (!words.empty() && !want.drop) {
    const std::vector<LocalPlace> places = results(words, want, value, expr.range);
    frame.result = value.stored ? *want.destination
                                : destination(places.front().slot, words, call_text(expr.range),
                                              function.result);
    frame.result->words = words;  // a returned value must be in the range of the function's type
  }
  value.stored = value.stored || words.empty() || want.drop;

  frame.depth = scopes_.size();
  open_scope(expr.range);
  if (node.receiver) {
    frame.self = keep_receiver(*node.receiver, expr_of(*node.receiver).range);
  } else if (function.owner) {
    frame.self = frames_.back().self;
  }
  pass_arguments(function, node.arguments, frame);
  const Label exit = frame.exit;
  lower_function(node.function, std::move(frame), expr.range);
  close_scope();
  code_.bind(exit);
  return value;
}

// The result is in temporaries, and the receiver stays, until the response has been recorded.
Value BodyLowering::lower_recorded(const model::Call& node, const model::Function& function,
                                   const RecordedCall& recorded, SourceRange range) {
  Value value;
  Frame frame;
  frame.exit = code_.new_label();
  frame.result_type = function.result;
  const std::vector<WordType> words = context_.words(function.result, function.range);
  if (!words.empty())
    frame.result = destination(results(words, {}, value, range).front().slot, words);
  value.stored = words.empty();
  open_scope(range);
  const Scalar self = keep_receiver(*node.receiver, range);
  frame.self = self;
  frame.depth = scopes_.size();
  open_scope(range);
  pass_arguments(function, node.arguments, frame);
  std::vector<ExprId> arguments;
  for (std::uint32_t k = 0; k < function.body.parameter_count && !context_.failed(); ++k)
    append_variable(frame.variables[k].slot, function.body.locals[model::LocalId(k)].type,
                    arguments, range);
  invoke(recorded, self, std::move(arguments), range);
  const Label exit = frame.exit;
  lower_function(node.function, std::move(frame), range);
  close_scope();
  code_.bind(exit);
  respond(recorded, self, expressions_of(value), range);
  close_scope();
  return value;
}

/// The receiver of a call, in a slot of the scope.
Scalar BodyLowering::keep_receiver(model::ExprId receiver, SourceRange range) {
  std::vector<Slot> temporaries;
  const SourceRange where = expr_of(receiver).range;
  const Scalar reference = lower_reference(receiver, temporaries);
  const WordType type = context_.words(expr_of(receiver).type, where).front();
  const Slot self = scoped_slots({{type.kind, 0, type.hi, {}, type.of}}, range);
  if (code_.reachable()) code_.emit(Set{{self, {}, 1, {}}, reference.expr, {}}, where);
  release(temporaries, where);
  return expressions_.local(self, 1, type.hi, true);
}

void BodyLowering::pass_arguments(const model::Function& function,
                                  const std::vector<model::ExprId>& arguments, Frame& frame) {
  frame.body = &function.body;
  frame.variables.resize(function.body.locals.size());
  for (std::uint32_t k = 0; k < function.body.parameter_count && k < arguments.size(); ++k) {
    // Evaluated in the caller's frame, for the callee's.
    const model::Local& parameter = function.body.locals[model::LocalId(k)];
    const model::ExprId argument = arguments[k];
    const SourceRange range = expr_of(argument).range;
    if (expr_of(argument).storage == model::Storage::Handle) {
      frame.variables[k].handle = scoped_handle(argument);
      continue;
    }
    const std::vector<WordType> types = context_.words(parameter.type, range);
    frame.variables[k] = declare(parameter, types);
    lower_into(argument,
               destination(frame.variables[k].slot, types, parameter.name, parameter.type), range);
  }
}

// An atomic function and a method of an atomic class are one transition; a synchronized one holds
// the monitor.
void BodyLowering::lower_function(model::FunctionId id, Frame frame, SourceRange range) {
  const model::Function& function = context_.model.functions[id];
  const bool is_method =
      function.owner && context_.model.classes[*function.owner].is_atomic && !makes_atomic_;
  const bool is_atomic =
      is_method || (function.is_atomic && !CML_MUTATION("atomic-functions-are-ordinary"));
  const std::optional<Scalar> self = frame.self;
  frames_.push_back(std::move(frame));
  if (is_atomic) open_region(range);
  if (function.is_synchronized && self) {
    const ObjectPlace monitor = monitor_of(*self, *function.owner);
    code_.emit(Acquire{place(monitor)}, function.range);
    open_scope(function.range);
    scopes_.back().lock = monitor;
  }
  lower_block(function.body.block);
  if (function.is_synchronized && self) close_scope();
  if (is_atomic) close_region();
  frames_.pop_back();
}

}  // namespace cml::ir::lowering
