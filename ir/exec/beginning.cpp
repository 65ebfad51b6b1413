#include "ir/exec/beginning.h"

#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace

Expected<System, Unsupported> begin(System system, const Code& code) {
  const Layout layout(system);
  const StepConfig config;
  Execution execution(system, layout, config);
  std::vector<std::uint8_t> state(layout.size() + 1);
  layout.initial(system, state.data());
  Record record;
  execution.begin_free(state.data(), code, record);
  execution.run_free();
  if (!record.events.empty()) {
    const Event& event = record.events[0];
    return Unexpected(Unsupported{fmt::format("what makes the initial state {} here, before any "
                                              "thread begins",
                                              what(event.kind)),
                                  event.range});
  }
  for (const ObjectId id : system.objects.ids()) {
    Object& object = system.objects[id];
    for (std::size_t i = 0; i < object.initial.size(); ++i)
      object.initial[i] = layout.object(id).fields[i].load(state.data());
  }
  for (const PointId point : record.marks)
    system.reached.push_back(point);
  return system;
}

}  // namespace cml::ir
