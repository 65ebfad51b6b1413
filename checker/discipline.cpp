// Candidate sets: their two forms, and what breaks them. The table is in discipline_table.cpp.
#include "checker/discipline.h"

#include <algorithm>
#include <variant>

#include "checker/control_flow.h"
#include "ir/visibility.h"

namespace cml::checker {

IdVector<ir::ObjectId, bool> unshared_objects(const ir::System& system) {
  IdVector<ir::ObjectId, ir::ThreadId> user(system.objects.size());
  IdVector<ir::ObjectId, bool> result(system.objects.size(), true);
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    const std::vector<bool> reached = reachable(code);
    for (std::size_t pc = 0; pc < reached.size(); ++pc) {
      if (!reached[pc]) continue;
      const auto& node = code.instructions[pc].node;
      const auto use = [&](ir::ObjectId id) {
        if (user[id].valid() && user[id] != thread) result[id] = false;
        user[id] = thread;
      };
      if (const auto* read = std::get_if<ir::Read>(&node)) ir::for_each_object(read->place, use);
      if (const auto* write = std::get_if<ir::Write>(&node)) ir::for_each_object(write->place, use);
    }
  }
  const ir::Visibility visibility(system);
  for (const ir::ObjectId id : system.objects.ids())
    if (system.objects[id].kind != ir::ObjectKind::Shared || visibility.in_invariant[id])
      result[id] = false;
  return result;
}

DisciplineMonitor::DisciplineMonitor(ir::Step& step, Discipline form,
                                     IdVector<ir::ObjectId, bool> unshared)
    : step_(step),
      system_(step.system()),
      layout_(step.layout()),
      form_(form),
      unshared_(std::move(unshared)),
      index_(system_.objects.size()),
      lock_bytes_((layout_.locks().size() + 7) / 8),
      init_order_broken_(system_.objects.size(), false),
      used_locks_(layout_.lock_set_words(), 0) {
  if (form == Discipline::Off) return;
  for (const ir::ObjectId id : system_.objects.ids())
    if (system_.objects[id].kind == ir::ObjectKind::Shared && !unshared_[id])
      index_[id] = static_cast<std::uint32_t>(checked_++);
  global_.resize(checked_);
  for (Candidates& candidates : global_)
    candidates.locks.assign(layout_.lock_set_words(), ~std::uint64_t{0});
  if (form == Discipline::PerExecution) state_bytes_ = checked_ * (1 + lock_bytes_);
  for (const ir::ThreadId id : system_.threads.ids()) {
    const auto& code = system_.threads[id].code.instructions;
    if (std::any_of(code.begin(), code.end(), [](const ir::Instruction& instruction) {
          return instruction.opcode() == ir::Opcode::Guard;
        }))
      waits_at_guards_.push_back(id);
  }
}

void DisciplineMonitor::initial(std::uint8_t* extra) const {
  for (std::size_t i = 0; i < state_bytes_; i += 1 + lock_bytes_) {
    extra[i] = 0;
    for (std::size_t lock = 0; lock < layout_.locks().size(); ++lock) {
      std::uint8_t& byte = extra[i + 1 + lock / 8];
      byte = static_cast<std::uint8_t>(lock % 8 == 0 ? 1 : byte << 1 | 1);
    }
  }
}

void DisciplineMonitor::transition(const ir::Record& record, std::uint8_t* extra,
                                   const PathSource& path, Findings& findings) {
  for (const ir::Event& event : record.events) {
    if (event.kind != ir::FaultKind::InitOrder || form_ == Discipline::Off) continue;
    if (unshared_[event.object] || init_order_broken_[event.object]) continue;
    Finding found;
    found.kind = ViolationKind::InitOrder;
    found.event = event;
    found.path = path.path();
    init_order_broken_[event.object] = true;
    findings.add(std::move(found));
  }
  record_accesses(record, false, extra, path, findings);
}

void DisciplineMonitor::guards(const std::uint8_t* state, std::uint8_t* extra,
                               const PathSource& path, Findings& findings) {
  if (form_ == Discipline::Off) return;
  for (const ir::ThreadId thread : waits_at_guards_) {
    if (location(layout_, state, thread) < ir::kFirstLocation) continue;
    record_.clear();
    // One micro-transition, so that its touches are this thread's.
    record_.micros.push_back({{thread, 0}, 0, 0, 0, 0});
    step_.pending(state, thread, record_);
    for (const ir::Event& event : record_.events) {
      if (event.kind != ir::FaultKind::InitOrder || unshared_[event.object]) continue;
      if (init_order_broken_[event.object]) continue;
      Finding found;
      found.kind = ViolationKind::InitOrder;
      found.event = event;
      found.path = path.path();
      init_order_broken_[event.object] = true;
      findings.add(std::move(found));
    }
    record_accesses(record_, true, extra, path, findings);
  }
}

void DisciplineMonitor::record_accesses(const ir::Record& record, bool pending, std::uint8_t* extra,
                                        const PathSource& path, Findings& findings) {
  std::size_t micro = 0;
  for (std::size_t i = 0; i < record.touches.size(); ++i) {
    while (micro + 1 < record.micros.size() && record.micros[micro + 1].touches <= i)
      ++micro;
    const ir::Touch& touch = record.touches[i];
    if (!touch.counted || !index_[touch.object]) continue;
    access(touch, record.micros[micro].entry.thread, record.held.data() + touch.held, pending,
           extra, path, findings);
  }
}

Finding DisciplineMonitor::finding(ViolationKind kind, const ir::Touch& touch,
                                   ir::ThreadId thread) const {
  Finding result;
  result.kind = kind;
  result.event.thread = thread;
  result.event.pc = touch.pc;
  result.event.range = system_.threads[thread].code.instructions[touch.pc].range;
  result.event.object = touch.object;
  return result;
}

void DisciplineMonitor::access(const ir::Touch& touch, ir::ThreadId thread,
                               const std::uint64_t* held, bool pending, std::uint8_t* extra,
                               const PathSource& path, Findings& findings) {
  const std::uint32_t index = *index_[touch.object];
  Candidates& candidates = global_[index];
  const bool is_write = touch.effect == ir::Effect::Write;
  const auto described = [&] {
    return DisciplineAccess{thread, touch.pc, is_write, pending, locks(held), path.path()};
  };
  candidates.accessed = true;
  const auto& guard = system_.objects[touch.object].guarded_by;
  if (guard && !candidates.guard_broken) {
    const std::uint32_t number = layout_.lock_number(*guard);
    if ((held[number / 64] >> (number % 64) & 1) == 0) {
      candidates.guard_broken = true;
      Finding found = finding(ViolationKind::Guard, touch, thread);
      found.accesses.push_back(described());
      found.path = found.accesses.back().path;
      findings.add(std::move(found));
    }
  }
  // Accumulated over the search in both forms: the table tells what ran.
  bool smaller = false;
  bool empty = true;
  for (std::size_t w = 0; w < candidates.locks.size(); ++w) {
    used_locks_[w] |= held[w];
    smaller = smaller || (candidates.locks[w] & ~held[w]) != 0;
    candidates.locks[w] &= held[w];
    empty = empty && candidates.locks[w] == 0;
  }
  const bool first_access_without_locks = candidates.locks.empty() && candidates.accesses.empty();
  const bool first_write = is_write && !candidates.written;
  candidates.written = candidates.written || is_write;
  bool broken = candidates.written && empty;
  if (form_ == Discipline::PerExecution) {
    broken = update(extra + index * (1 + lock_bytes_), held, is_write);
  } else if ((smaller || first_access_without_locks || first_write) && !candidates.broken) {
    candidates.accesses.push_back(described());
  }
  if (!broken || candidates.broken) return;
  candidates.broken = true;
  Finding found = finding(ViolationKind::LockDiscipline, touch, thread);
  found.accesses = candidates.accesses;
  if (form_ == Discipline::PerExecution) found.accesses.push_back(described());
  found.path = found.accesses.back().path;
  findings.add(std::move(found));
}

bool DisciplineMonitor::update(std::uint8_t* bytes, const std::uint64_t* held,
                               bool is_write) const {
  if (is_write) bytes[0] = 1;
  bool empty = true;
  for (std::size_t i = 0; i < lock_bytes_; ++i) {
    bytes[1 + i] &= static_cast<std::uint8_t>(held[i / 8] >> (i % 8 * 8));
    empty = empty && bytes[1 + i] == 0;
  }
  return bytes[0] != 0 && empty;
}

std::vector<ir::ObjectId> DisciplineMonitor::locks(const std::uint64_t* set) const {
  std::vector<ir::ObjectId> result;
  for (std::size_t i = 0; i < layout_.locks().size(); ++i)
    if ((set[i / 64] >> (i % 64) & 1) != 0) result.push_back(layout_.locks()[i]);
  return result;
}

}  // namespace cml::checker
