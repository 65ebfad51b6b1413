// Functions are expanded where they are called.
//
// Parameters are variables, arguments are converted as they are evaluated. Locks, semaphores and
// channels are specialised: the parameter is the place, whose index is evaluated once, at the call.
// Recursion needs a stack of frames, which does not exist yet.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {

Value BodyLowering::lower_call(const model::Expr& expr, const model::Call& node, Want want) {
  Value value;
  const model::Function& function = context_.model.functions[node.function];
  if (!code_.reachable()) return value;
  if (node.receiver || function.owner) {
    unsupported(fmt::format("the method `{}` is checked but cannot be run yet", function.name),
                expr.range);
    return value;
  }
  if (std::find(calls_.begin(), calls_.end(), node.function) != calls_.end()) {
    unsupported(fmt::format("recursion is checked but cannot be run yet, and `{}` calls itself",
                            function.name),
                expr.range);
    return value;
  }

  Frame frame;
  frame.body = &function.body;
  frame.variables.resize(function.body.locals.size());
  frame.exit = code_.new_label();
  frame.result_type = function.result;
  const std::vector<WordType> words = context_.words(function.result, function.range);
  if (!words.empty() && !want.drop) {
    const std::vector<LocalPlace> places = results(words, want, value, expr.range);
    frame.result = value.stored ? *want.destination : destination(places.front().slot, words);
    frame.result->words = words;  // a returned value must be in the range of the function's type
  }
  value.stored = value.stored || words.empty() || want.drop;

  frame.depth = scopes_.size();
  open_scope(expr.range);
  for (std::uint32_t k = 0; k < function.body.parameter_count && k < node.arguments.size(); ++k) {
    // Evaluated in the caller's frame, for the callee's.
    const model::Local& parameter = function.body.locals[model::LocalId(k)];
    const model::ExprId argument = node.arguments[k];
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
  frames_.push_back(std::move(frame));

  calls_.push_back(node.function);
  lower_block(function.body.block);
  calls_.pop_back();
  close_scope();
  code_.bind(frames_.back().exit);
  frames_.pop_back();
  return value;
}

}  // namespace cml::ir::lowering
