#include "ir/analysis/live_references.h"

#include <cstddef>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

/// Calls `use(Slot)` for all that an expression may read.
template <class Use>
void for_each_slot(const System& system, std::size_t slots, ExprId id, Use use) {
  if (!id.valid()) return;
  const Expr& expr = system.exprs[id];
  const auto first = static_cast<Slot>(expr.value);
  if (expr.op == ExprOp::Local) use(first);
  if (expr.op == ExprOp::LocalAt) {
    const Expr& index = system.exprs[expr.a];
    const auto count = index.op == ExprOp::Bound ? static_cast<Slot>(index.value) : Slot(slots);
    for (Slot slot = first; slot < slots && slot < first + count; ++slot)
      use(slot);
  }
  for (const ExprId part : {expr.a, expr.b, expr.c})
    for_each_slot(system, slots, part, use);
}

}  // namespace

// The other parts of the index say which element, and are within its bounds.
std::optional<Slot> slot_of_object(const System& system, const Code& code, const Place& place) {
  const ClassId of = system.objects[place.base].owner;
  if (!place.index || !of.valid() || system.objects[place.base].position != 0) return std::nullopt;
  std::optional<Slot> result;
  std::size_t found = 0;
  for_each_slot(system, code.slots.size(), *place.index, [&](Slot slot) {
    if (slot >= code.slots.size() || code.slots[slot].type.kind != WordType::Kind::Reference)
      return;
    if (code.slots[slot].type.of == of) result = slot;
    ++found;
  });
  if (found != 1) return std::nullopt;
  return result;
}

std::vector<std::vector<Slot>> live_references(const System& system, const Code& code) {
  const std::size_t slots = code.slots.size();
  const std::size_t size = code.instructions.size();
  std::vector<Slot> references;
  std::vector<std::optional<std::size_t>> position(slots);
  for (Slot slot = 0; slot < slots; ++slot) {
    if (code.slots[slot].type.kind != WordType::Kind::Reference) continue;
    position[slot] = references.size();
    references.push_back(slot);
  }
  std::vector<std::vector<Slot>> result(size);
  if (references.empty()) return result;
  std::vector<std::vector<bool>> live(size, std::vector<bool>(references.size(), false));
  std::vector<bool> here;
  std::vector<Pc> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = size; pc-- > 0;) {
      const Instruction& instruction = code.instructions[pc];
      here.assign(references.size(), false);
      next.clear();
      successors(code, static_cast<Pc>(pc), next);
      for (const Pc to : next)
        for (std::size_t i = 0; i < here.size(); ++i)
          here[i] = here[i] || live[to][i];
      for_each_target(instruction, [&](const LocalPlace& target, Assigned when) {
        const bool always =
            when == Assigned::Always || CML_MUTATION("what-is-perhaps-assigned-was-not-live");
        const bool known =
            !target.index || CML_MUTATION("an-element-that-is-assigned-is-the-first");
        if (always && known && position[target.slot]) here[*position[target.slot]] = false;
      });
      for_each_expr(instruction, [&](ExprId expr) {
        for_each_slot(system, slots, expr, [&](Slot slot) {
          if (position[slot]) here[*position[slot]] = true;
        });
      });
      if (here == live[pc]) continue;
      live[pc] = here;
      changed = true;
    }
  }
  for (std::size_t pc = 0; pc < size; ++pc)
    for (std::size_t i = 0; i < references.size(); ++i)
      if (live[pc][i]) result[pc].push_back(references[i]);
  return result;
}

}  // namespace cml::ir
