#include "ir/exec/beginning.h"

#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "ir/exec/execution.h"

namespace cml::ir {
namespace {

std::string_view what(FaultKind kind) {
  switch (kind) {
    case FaultKind::Divergence:
      return "does not end";
    case FaultKind::Limit:
      return "reaches a limit";
    default:
      return "fails";
  }
}

Unsupported failure(const System& system, const Initialiser& initialiser, const Event& event) {
  FailedBeginning why;
  why.kind = event.kind;
  why.limit = event.limit;
  if (event.message.valid()) why.text = system.texts[event.message];
  why.declaration = initialiser.declaration;
  why.declared = initialiser.declared;
  return {fmt::format("what makes the initial value of `{}` {} here, before any thread begins",
                      initialiser.declaration, what(event.kind)),
          event.range, std::move(why)};
}

}  // namespace

Expected<System, Unsupported> begin(System system, const std::vector<Initialiser>& initialisers) {
  const Layout layout(system);
  const StepConfig config;
  Execution execution(system, layout, config);
  std::vector<std::uint8_t> state(layout.size() + 1);
  layout.initial(system, state.data());
  Record record;
  for (const Initialiser& initialiser : initialisers) {
    execution.begin_free(state.data(), initialiser.code, record);
    execution.run_free();
    if (!record.events.empty()) return Unexpected(failure(system, initialiser, record.events[0]));
    if (execution.current().opcode() == Opcode::Assume)
      return Unexpected(Unsupported{
          fmt::format(
              "there is no execution: what makes the initial value of `{}` assumes here what "
              "is false",
              initialiser.declaration),
          execution.current().range});
  }
  for (const ObjectId id : system.objects.ids()) {
    Object& object = system.objects[id];
    if (object.kind == ObjectKind::Channel) continue;  // which is empty
    for (std::size_t i = 0; i < object.initial.size(); ++i)
      object.initial[i] = layout.object(id).fields[i].load(state.data());
  }
  for (const PointId point : record.marks)
    system.reached.push_back(point);
  return system;
}

}  // namespace cml::ir
