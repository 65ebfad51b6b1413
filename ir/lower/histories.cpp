// Calls that are recorded: `property lin: Set implements SetSpec;` (docs/reference.md,
// "Linearizability").
//
//   arguments; enter; invoke; the body; respond
//
// An invocation begins with an operation of its own, directly before the body, unless it can be one
// with the first operation of the body (join_invocations.h); a response is local, so that it
// belongs to the last operation of the call. The less calls overlap, the fewer orders explain
// their results: what is wrong in an execution is wrong in the one, too, in which the thread
// invokes later or responds earlier. So nothing is lost if no other thread gets between the last
// operation and the response.
#include <algorithm>
#include <utility>

#include "ir/lower/body.h"

namespace cml::ir::lowering {

std::optional<RecordedCall> BodyLowering::recorded_call(
    model::FunctionId function, const std::optional<model::ExprId>& receiver) const {
  if (!instance_.records || !receiver) return std::nullopt;
  if (std::holds_alternative<model::ThisRef>(expr_of(*receiver).node)) return std::nullopt;
  const std::vector<model::Implementation>& all = context_.model.implementations;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto same = [function](const model::Implementation::Method& method) {
      return method.of == function;
    };
    const auto found = std::find_if(all[i].methods.begin(), all[i].methods.end(), same);
    if (found == all[i].methods.end()) continue;
    const auto method = static_cast<std::uint32_t>(found - all[i].methods.begin());
    return RecordedCall{i, method, all[i].of};
  }
  return std::nullopt;
}

Place BodyLowering::history_of(const Scalar& self, model::ClassId of) {
  ObjectPlace result;
  result.kind = ObjectKind::History;
  result.base = context_.histories.at(of);
  result.terms.push_back({self, 1, context_.places[of], ClassId(of.index)});
  return place(result);
}

void BodyLowering::invoke(const RecordedCall& call, const Scalar& self,
                          std::vector<ExprId> arguments, SourceRange range) {
  if (!code_.reachable()) return;
  code_.emit(Enter{}, range);
  code_.emit(
      Invoke{history_of(self, call.of), call.specification, call.method, std::move(arguments)},
      range);
}

void BodyLowering::respond(const RecordedCall& call, const Scalar& self,
                           std::vector<ExprId> results, SourceRange range) {
  if (!code_.reachable()) return;
  code_.emit(
      Respond{history_of(self, call.of), call.specification, call.method, std::move(results)},
      range);
}

void BodyLowering::begin_history(const Scalar& self, model::ClassId of, const Frame* constructor,
                                 SourceRange range) {
  const std::vector<model::Implementation>& all = context_.model.implementations;
  for (std::uint32_t i = 0; i < all.size() && code_.reachable(); ++i) {
    if (all[i].of != of) continue;
    const model::Class& specification = context_.model.classes[all[i].specification];
    std::vector<ExprId> arguments;
    if (specification.init) {
      const model::Body& body = context_.model.functions[*specification.init].body;
      if (constructor == nullptr && body.parameter_count > 0)
        return unsupported(
            "the arguments of a constructor that calls itself cannot be passed to that of the "
            "specification",
            range);
      for (std::uint32_t k = 0; k < body.parameter_count; ++k)
        append_variable(constructor->variables[k].slot, body.locals[model::LocalId(k)].type,
                        arguments, range);
    }
    code_.emit(Construct{history_of(self, of), i, std::move(arguments)}, range);
  }
}

void BodyLowering::append_variable(Slot first, model::TypeId type, std::vector<ExprId>& out,
                                   SourceRange range) {
  const std::vector<WordType> words = context_.words(type, range);
  for (std::size_t k = 0; k < words.size(); ++k)
    out.push_back(
        expressions_.local(first + static_cast<Slot>(k), words[k].lo, words[k].hi, false).expr);
}

}  // namespace cml::ir::lowering
