// The list of the rules that are analyses, and of the code that they apply to; see rules.h.
#include "frontend/sema/rules.h"

namespace cml::sema {

void check_rules(const model::Model& model, Reporter& reporter, std::span<const NoteId> notes,
                 const Known* known) {
  const EffectTable effects(model);
  RuleContext context{model, reporter, effects, {}, {}};
  for (const model::ClassId id : model.classes.ids()) {
    if (known == nullptr || known->classes[id]) context.classes.push_back(id);
  }
  for (const model::FunctionId id : model.functions.ids()) {
    if (known != nullptr && !known->functions[id]) continue;
    const model::Function& function = model.functions[id];
    const NoteId note = id.index < notes.size() ? notes[id.index] : NoteId{};
    context.bodies.push_back({&function.body, function.process, id, false, note});
  }
  for (const model::Thread& thread : model.threads) {
    context.bodies.push_back({&thread.body, thread.process, std::nullopt, false, {}});
  }
  for (const model::Finally& last : model.finals) {
    context.bodies.push_back({&last.body, last.process, std::nullopt, true, {}});
  }
  check_flow(context);
  check_purity(context);
  check_lock_state(context);
  check_atomic_blocks(context);
  check_atomic_classes(context);
  check_fields(context);
  check_isolation(context);
}

}  // namespace cml::sema
