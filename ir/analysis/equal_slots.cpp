// The fixed point: groups are only ever split, so it terminates.
#include "ir/analysis/equal_slots.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

constexpr std::size_t kMaxWork = std::size_t{1} << 25;

/// By slot, the first of its group.
using Groups = std::vector<Slot>;

/// The slot whose value an instruction copies into a slot.
std::optional<Slot> source(const System& system, const Operation& node) {
  const auto* set = std::get_if<Set>(&node);
  if (set == nullptr || set->target.index) return std::nullopt;
  const Expr* expr = &system.exprs[set->value];
  while (expr->op == ExprOp::Bound)
    expr = &system.exprs[expr->a];
  if (expr->op != ExprOp::Local) return std::nullopt;
  return static_cast<Slot>(expr->value);
}

void leave(Groups& groups, Slot slot) {
  if (groups[slot] != slot) {
    groups[slot] = slot;
    return;
  }
  // It was the first: the next of them is, now.
  std::optional<Slot> first;
  for (Slot other = slot + 1; other < groups.size(); ++other) {
    if (groups[other] != slot) continue;
    if (!first) first = other;
    groups[other] = *first;
  }
}

void join(Groups& groups, Slot slot, Slot to) {
  const Slot first = std::min(groups[to], slot);
  const Slot before = groups[to];
  groups[slot] = before;
  for (Slot& group : groups)
    if (group == before) group = first;
}

void execute(const System& system, const Operation& node, Groups& groups) {
  const std::optional<Slot> from = source(system, node);
  if (from && groups[*from] == groups[std::get<Set>(node).target.slot]) return;
  for_each_assigned(node, [&](Slot slot) {
    if (slot < groups.size() && !CML_MUTATION("slots-that-were-equal-stay-so")) leave(groups, slot);
  });
  if (from) join(groups, std::get<Set>(node).target.slot, *from);
}

/// The groups of slots that are equal in both.
Groups meet(const Groups& a, const Groups& b) {
  Groups result(a.size());
  for (Slot slot = 0; slot < a.size(); ++slot) {
    Slot first = std::max(a[slot], b[slot]);
    while (a[first] != a[slot] || b[first] != b[slot])
      ++first;
    result[slot] = first;
  }
  return result;
}

}  // namespace

EqualSlots::EqualSlots(const System& system, const Code& code) : slots_(code.slots.size()) {
  const std::size_t instructions = code.instructions.size();
  if (slots_ == 0 || instructions == 0 || slots_ * slots_ * instructions > kMaxWork) return;
  Groups alone(slots_);
  std::iota(alone.begin(), alone.end(), 0);
  std::vector<std::optional<Groups>> before(instructions);
  before[0] = alone;
  std::vector<Pc> work{0};
  std::vector<Pc> next;
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    Groups after = *before[pc];
    execute(system, code.instructions[pc].node, after);
    next.clear();
    successors(code, pc, next);
    for (const Pc to : next) {
      std::optional<Groups>& there = before[to];
      Groups joined = there ? meet(*there, after) : after;
      if (there && (*there == joined || CML_MUTATION("slots-equal-on-one-way-are-equal"))) continue;
      there = std::move(joined);
      work.push_back(to);
    }
  }
  groups_.reserve(slots_ * instructions);
  for (const std::optional<Groups>& groups : before)
    groups_.insert(groups_.end(), (groups ? *groups : alone).begin(),
                   (groups ? *groups : alone).end());
}

}  // namespace cml::ir
