// What is looked at on transitions and states. Warnings are in warnings.cpp.
#include "checker/monitors.h"

#include <algorithm>

namespace cml::checker {

using ir::FaultKind;

Monitors::Monitors(ir::Step& step, ir::Interpreter& interpreter, const Options& options)
    : Monitors(step, interpreter, options, ir::HeldLocks(step.system())) {}

Monitors::Monitors(ir::Step& step, ir::Interpreter& interpreter, const Options& options,
                   const ir::HeldLocks& held)
    : step_(step),
      interpreter_(interpreter),
      system_(step.system()),
      layout_(step.layout()),
      findings_(options.all),
      discipline_(
          step, options.discipline,
          StaticDiscipline(step.system(), held,
                           options.static_analyses && options.discipline != Discipline::Off)),
      stuck_(step, held, options.spurious_wakeups),
      lock_order_(step),
      reached_(system_.points.size(), false),
      diverged_(system_.threads.size(), false),
      used_locks_(layout_.lock_set_words(), 0),
      held_(layout_.lock_set_words(), 0) {
  for (const ir::Invariant& invariant : system_.invariants)
    valuations_.emplace_back(layout_, invariant.code);
}

std::string limit_name(const ir::System& system, const ir::Event& event) {
  if (!event.thread.valid()) return "max-invisible";
  switch (system.threads[event.thread].code.instructions[event.pc].opcode()) {
    case ir::Opcode::Acquire:
    case ir::Opcode::TryAcquire:
      return "lock-depth";
    case ir::Opcode::Up:
      return "semaphore-value";
    case ir::Opcode::Choose:
    case ir::Opcode::Select:
      return "choices";
    default:
      return "max-invisible";
  }
}

void Monitors::initial(const std::uint8_t* before, const ir::Record& record,
                       const std::uint8_t* after, std::uint8_t* extra, const PathSource& path) {
  discipline_.initial(extra);
  properties(system_.invariants, Source::Invariant, before, path);
  transition(before, record, after, extra, path);
}

void Monitors::transition(const std::uint8_t* before, const ir::Record& record,
                          const std::uint8_t* after, std::uint8_t* extra, const PathSource& path) {
  for (const ir::PointId point : record.marks)
    reached_[point.index] = true;
  discipline_.transition(record, extra, path, findings_);
  discipline_.guards(after, extra, path, findings_);
  if (!record.events.empty()) events(record, path);
  use_of_locks(before, record);
  ends(before, record, after);
}

void Monitors::events(const ir::Record& record, const PathSource& path) {
  for (const ir::Event& event : record.events) {
    switch (event.kind) {
      case FaultKind::InitOrder:
        continue;
      case FaultKind::Limit:
        limits_.insert(limit_name(system_, event));
        continue;
      case FaultKind::Internal:
        internal_error_ = true;
        continue;
      case FaultKind::Divergence:
        diverges(event.thread, event, path);
        continue;
      default:
        break;
    }
    Finding finding;
    finding.kind = violation_kind(event.kind);
    finding.event = event;
    if (!findings_.is_new(finding)) continue;
    finding.path = path.path();
    findings_.add(std::move(finding));
  }
}

void Monitors::diverges(ir::ThreadId thread, const ir::Event& event, const PathSource& path) {
  if (diverged_[thread.index]) return;
  diverged_[thread.index] = true;
  Finding finding;
  finding.kind = ViolationKind::Divergence;
  finding.event = event;
  finding.path = path.path();
  findings_.add(std::move(finding));
}

// A lock is of use if somebody waits at it, or touches something else while owning it. Which locks
// the thread owns is followed through the transition: it may take one and give it back inside.
void Monitors::use_of_locks(const std::uint8_t* before, const ir::Record& record) {
  if (record.touches.empty() || record.micros.empty()) return;
  layout_.held(before, record.micros[0].entry.thread, held_.data());
  for (const ir::Touch& touch : record.touches) {
    if (system_.objects[touch.object].kind != ir::ObjectKind::Lock) {
      for (std::size_t w = 0; w < held_.size(); ++w)
        used_locks_[w] |= held_[w];
      continue;
    }
    const std::uint32_t number = layout_.lock_number(touch.object);
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    if (touch.effect == ir::Effect::Take) held_[number / 64] |= bit;
    if (touch.effect == ir::Effect::Give) held_[number / 64] &= ~bit;
    if (touch.effect == ir::Effect::EnterWait || touch.effect == ir::Effect::Notify)
      used_locks_[number / 64] |= bit;
  }
}

void Monitors::ends(const std::uint8_t* before, const ir::Record& record,
                    const std::uint8_t* after) {
  for (const ir::Micro& micro : record.micros) {
    const ir::ThreadId thread = micro.entry.thread;
    if (location(layout_, after, thread) != ir::kEnded) continue;
    if (location(layout_, before, thread) == ir::kEnded) continue;
    for (const ir::ObjectId lock : layout_.locks())
      if (layout_.owner(after, lock) == thread) held_at_end_.insert({thread, lock});
  }
}

void Monitors::state(const std::uint8_t* state, const std::vector<bool>& enabled,
                     const PathSource& path) {
  findings_.visited();
  properties(system_.invariants, Source::Invariant, state, path);
  if (auto stuck = stuck_.look(state, enabled); stuck && findings_.is_new(*stuck)) {
    stuck->path = path.path();
    findings_.add(std::move(*stuck));
  }
  if (!system_.finals.empty() && stuck_.all_ended(state) && !stuck_.any_stopped(state, enabled))
    properties(system_.finals, Source::Final, state, path);
  lock_order_.state(state);
}

void Monitors::properties(const std::vector<ir::Invariant>& list, Source source,
                          const std::uint8_t* state, const PathSource& path) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (source == Source::Invariant && !valuations_[i].is_new(state)) continue;
    record_.clear();
    interpreter_.run_free(state, list[i].code, record_);
    for (const ir::PointId point : record_.marks)
      reached_[point.index] = true;
    for (const ir::Event& event : record_.events) {
      if (event.kind == FaultKind::Limit) limits_.insert("max-invisible");
      if (event.kind == FaultKind::Internal) internal_error_ = true;
      if (event.kind == FaultKind::Limit || event.kind == FaultKind::Internal) continue;
      Finding finding;
      finding.kind = violation_kind(event.kind);
      finding.source = source;
      finding.property = static_cast<std::uint32_t>(i);
      finding.event = event;
      if (!findings_.is_new(finding)) continue;
      finding.path = path.path();
      findings_.add(std::move(finding));
    }
  }
}

}  // namespace cml::checker
