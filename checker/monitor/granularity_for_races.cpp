#include "checker/monitor/granularity_for_races.h"

#include "checker/monitor/static_discipline.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

bool uses_shared_in_blocks(const ir::System& system, const StaticDiscipline& statics) {
  bool result = false;
  for (const ir::Thread& thread : system.threads) {
    bool is_inside = false;
    for (const ir::Instruction& instruction : thread.code.instructions) {
      if (instruction.opcode() == ir::Opcode::Atomic) is_inside = true;
      if (instruction.opcode() == ir::Opcode::AtomicEnd) is_inside = false;
      if (!is_inside) continue;
      ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects) {
        ir::for_each_object(place, [&](ir::ObjectId id) {
          const ir::Object& object = system.objects[id];
          result = result || (object.kind == ir::ObjectKind::Shared && !object.is_constant &&
                              !statics.is_unshared(id) && statics.proof(id) == Proof::None);
        });
      });
    }
  }
  return result;
}

}  // namespace

Options with_granularity_for_races(Options options, const ir::Analyses& analyses) {
  if (options.discipline != Discipline::Races || !options.composes() ||
      CML_MUTATION("blocks-that-order-are-invisible"))
    return options;
  const StaticDiscipline statics(analyses.system(), analyses, options.static_analyses);
  if (!uses_shared_in_blocks(analyses.system(), statics)) return options;
  options.granularity = Granularity::Access;
  options.composition = Composition::None;
  return options;
}

}  // namespace cml::checker
