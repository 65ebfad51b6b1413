#include "checker/reduction/dynamic/conflict_table.h"

#include <algorithm>
#include <optional>

#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::uint32_t kFewest = 64;
constexpr std::uint32_t kMost = 4096;  // summaries in the table, which has the square of that

bool waits(const ir::Instruction& instruction) {
  bool result = instruction.opcode() == ir::Opcode::Guard;
  ir::for_each_wait(instruction,
                    [&](const ir::Place&, std::initializer_list<ir::Awaited>) { result = true; });
  return result;
}

Blocking blocking_at(const ir::Code& code, ir::Pc pc) {
  const ir::Instruction& instruction = code.instructions[pc];
  if (instruction.opcode() == ir::Opcode::Acquire) return Blocking::Lock;
  const auto* block = std::get_if<ir::Atomic>(&instruction.node);
  if (block == nullptr) return waits(instruction) ? Blocking::Other : Blocking::Never;
  for (ir::Pc inside = pc + 1; inside < block->end; ++inside)
    if (waits(code.instructions[inside])) return Blocking::Other;
  return Blocking::Never;
}

/// The lock that a transition takes, where that is one.
std::optional<std::uint32_t> lock_of(const Dependency& dependency, SummaryId id) {
  std::optional<std::uint32_t> result;
  for (const KeyUse& use : dependency.uses(id)) {
    if (!dependency.is_lock(use.key)) continue;
    if (result || (use.use != ir::Use::Take && use.use != ir::Use::Pass)) return std::nullopt;
    result = use.key;
  }
  return result;
}

}  // namespace

ConflictTable::ConflictTable(ir::Step& step, const ir::Analyses& analyses, bool keeps_order)
    : step_(step),
      analyses_(analyses),
      dependency_(step.system(), step.layout(), nullptr, Visits::EveryTrace, keeps_order),
      stops_(step, analyses, true),
      keeps_last_(true),
      last_(step.system()),
      blocking_(step.system()),
      extent_(step.system()),
      uses_(step.system()) {
  const ir::System& system = step.system();
  // The first access to an object that somebody initialises depends on the state.
  for (const ir::Object& object : system.objects)
    keeps_last_ = keeps_last_ && !object.init_by;
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at) {
      blocking_.at(thread, at) = blocking_at(code, code.location_pc[at]);
      extent_.at(thread, at) = extent_at(system, thread, at);
    }
  }
}

ConflictTable::Extent ConflictTable::extent_at(const ir::System& system, ir::ThreadId thread,
                                               ir::Location at) const {
  const ir::Code& code = system.threads[thread].code;
  const ir::Instruction& instruction = code.instructions[code.location_pc[at]];
  if (instruction.opcode() == ir::Opcode::Atomic) return Extent::Anything;
  // Who was notified has left the wait set already, which is what the notify did.
  if (ir::wait_set(instruction.node) != nullptr) return Extent::Anything;
  const std::vector<ir::ObjectUse> uses = analyses_.accesses().operation(thread, at);
  // What comes behind it, the response of a call or the end of the thread, may depend on a value.
  std::vector<ir::ObjectUse> own;
  ir::for_each_use(instruction, [&own](const ir::ObjectUse& use) { own.push_back(use); });
  for (const ir::ObjectUse& use : uses)
    if (use.object.valid() && std::find(own.begin(), own.end(), use) == own.end())
      return Extent::Anything;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!uses[i].object.valid()) continue;
    const bool is_virgin_once = system.objects[uses[i].object].init_by.has_value();
    if (is_virgin_once || (i > 0 && uses[i - 1].object == uses[i].object)) return Extent::Objects;
  }
  return Extent::Same;
}

SummaryId ConflictTable::anywhere(ir::ThreadId thread, ir::Location at, SummaryId did) {
  const Extent extent = extent_.at(thread, at);
  if (extent == Extent::Same) return did;
  std::optional<std::vector<ir::ObjectUse>>& uses = uses_.at(thread, at);
  if (!uses) uses = analyses_.accesses().operation(thread, at);
  return dependency_.widened(did, *uses, extent == Extent::Objects);
}

SummaryId ConflictTable::executed(const Transition& transition) {
  const ir::Record& record = transition.record;
  const ir::ThreadId thread = record.micros[0].action.thread;
  const bool stops = stops_(transition.after, thread);
  const ir::Location from = location(step_.layout(), transition.before, thread);
  const auto summary = [&] {
    const SummaryId did = dependency_.summary(record, checker::Extent::All, transition.before,
                                              transition.after, stops);
    return CML_MUTATED("transitions-count-as-what-they-did", anywhere(thread, from, did), did);
  };
  const std::size_t count = record.touches.size();
  if (!keeps_last_ || count > Last::kMost) return summary();
  const ir::Layout& layout = step_.layout();
  Last& last = last_.at(thread, from);
  const ir::Location to = location(layout, transition.after, thread);
  bool is_same =
      last.summary.valid() && last.count == count && last.to == to && last.stops == stops;
  for (std::size_t i = 0; i < count && is_same; ++i)
    is_same = last.touches.at(i) == std::pair(record.touches[i].object, record.touches[i].effect);
  if (is_same) return last.summary;
  last = {summary(), to, stops, static_cast<std::uint32_t>(count), {}};
  for (std::size_t i = 0; i < count; ++i)
    last.touches.at(i) = {record.touches[i].object, record.touches[i].effect};
  return last.summary;
}

PartialOrder::Locks ConflictTable::locks(const Transition& transition) const {
  if (CML_MUTATION("locks-that-may-be-taken-were-free")) return {true, true};
  const ir::Micro& first = transition.record.micros[0];
  const ir::Code& code = step_.system().threads[first.action.thread].code;
  switch (code.instructions[first.pc].opcode()) {
    case ir::Opcode::Atomic:
    case ir::Opcode::Select:
    case ir::Opcode::TryAcquire:
      return {};
    default:
      break;
  }
  const auto takes = [](const ir::Touch& touch) { return touch.effect == ir::Effect::Take; };
  return {std::ranges::any_of(transition.record.touches, takes), true};
}

SummaryId ConflictTable::pending(const std::uint8_t* state, ir::ThreadId thread) {
  const ir::Code& code = step_.system().threads[thread].code;
  const ir::Location at = location(step_.layout(), state, thread);
  const ir::Pc pc = code.location_pc[at];
  record_.clear();
  if (code.instructions[pc].opcode() != ir::Opcode::Atomic) step_.pending(state, thread, record_);
  return anywhere(thread, at, dependency_.pending(record_, thread, pc));
}

Conflict ConflictTable::compute(SummaryId earlier, SummaryId later) const {
  const bool one_stops = (dependency_.stops(earlier) || dependency_.stops(later)) &&
                         !CML_MUTATION("stops-conflict-with-stops-alone");
  if (!one_stops && !dependency_.ever_dependent(earlier, later)) return Conflict::None;
  const std::optional<std::uint32_t> lock = lock_of(dependency_, later);
  if (!lock) return Conflict::Some;
  for (const KeyUse& use : dependency_.uses(earlier)) {
    if (use.key != *lock) continue;
    if (use.use == ir::Use::Take || use.use == ir::Use::Pass) return Conflict::Taken;
    if (use.use == ir::Use::Give) return Conflict::Freed;
  }
  return Conflict::Some;
}

Conflict ConflictTable::grow(SummaryId earlier, SummaryId later) {
  const std::uint32_t needed = std::max(earlier.index, later.index) + 1;
  if (needed > kMost) return compute(earlier, later);
  known_ = std::max(known_, kFewest);
  while (known_ < needed)
    known_ *= 2;
  table_.assign(std::size_t{known_} * known_, Conflict::Unknown);
  return between(earlier, later);
}

}  // namespace cml::checker
