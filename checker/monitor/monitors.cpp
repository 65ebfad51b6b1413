// What is looked at on transitions and states. Warnings are in warnings.cpp.
#include "checker/monitor/monitors.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cml::checker {

using ir::FaultKind;

namespace {

void set_bit(std::vector<std::uint64_t>& set, std::uint32_t bit) {
  set[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

std::string_view name(ir::LimitKind kind) {
  switch (kind) {
    case ir::LimitKind::Invisible:
      return "max-invisible";
    case ir::LimitKind::Choices:
      return "choices";
    case ir::LimitKind::LockDepth:
      return "lock-depth";
    case ir::LimitKind::SemaphoreValue:
      return "semaphore-value";
  }
  return "";
}

void clear_bit(std::vector<std::uint64_t>& set, std::uint32_t bit) {
  set[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
}

}  // namespace

Monitors::Monitors(ir::Step& step, ir::Interpreter& interpreter, const ir::Analyses& analyses,
                   const Options& options)
    : step_(step),
      interpreter_(interpreter),
      analyses_(analyses),
      system_(step.system()),
      layout_(step.layout()),
      findings_(options.all, options.shortest),
      statics_(system_, analyses, options.static_analyses && options.discipline != Discipline::Off),
      observations_(std::make_shared<ir::Observations>(
          system_, analyses.held,
          DisciplineMonitor::kept_in_state(system_, options.discipline, statics_),
          options.composes())),
      discipline_(step, options.discipline, statics_, *observations_),
      stuck_(step, analyses, options),
      enabled_(system_.threads.size()),
      has_properties_(!system_.invariants.empty() || !system_.finals.empty()),
      lock_order_(step, analyses.held),
      diverged_(system_.threads.size(), false),
      used_locks_(layout_.lock_set_words(), 0),
      held_(layout_.lock_set_words(), 0) {
  for (const ir::Invariant& invariant : system_.invariants)
    valuations_.emplace_back(layout_, invariant.code);
  for (const ir::ThreadId thread : system_.threads.ids()) {
    std::vector<UseOfLocks> uses(system_.threads[thread].code.instructions.size());
    for (ir::Pc pc = 0; pc < uses.size(); ++pc)
      uses[pc] = analyses.held.is_exact(thread, pc) ? UseOfLocks::Known : UseOfLocks::Followed;
    uses_.push(std::move(uses));
  }
}

void Monitors::initial(const std::uint8_t* before, const ir::Record& record,
                       const std::uint8_t* after, std::uint8_t* extra, const PathSource& path) {
  discipline_.initial(extra);
  properties(system_.invariants, Source::Invariant, before, path);
  // The beginnings of all threads in one record. None of them owns a lock: to take one is visible.
  executed(record, extra, path);
  if (discipline_.has_guards()) discipline_.guards(after, extra, path, findings_);
  for (const ir::ThreadId thread : system_.threads.ids())
    arrived(after, thread);
}

void Monitors::observed(const std::uint8_t* before, const ir::Record& record, std::uint8_t* extra,
                        const PathSource& path) {
  executed(record, extra, path);
  if (!all_locks_are_used_) use_of_locks(before, record);
  record_observations(before, record);  // after all others have
}

void Monitors::executed(const ir::Record& record, std::uint8_t* extra, const PathSource& path) {
  for (const ir::PointId point : record.marks)
    observations_->record(observations_->of(point));
  discipline_.transition(record, extra, path, findings_);
  if (!record.events.empty()) events(record, path);
}

void Monitors::ended(const std::uint8_t* state, ir::ThreadId thread) {
  for (const ir::ObjectId lock : layout_.locks())
    if (layout_.owner(state, lock) == thread) held_at_end_.insert({thread, lock});
}

void Monitors::events(const ir::Record& record, const PathSource& path) {
  for (const ir::Event& event : record.events) {
    switch (event.kind) {
      case FaultKind::InitOrder:
        continue;
      case FaultKind::Limit:
        limit(event);
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
    if (const ir::Observations::Number number = observations_->of(system_, event);
        number != ir::Observations::Touches::kAlways)
      observations_->record(number);
    if (!findings_.is_new(finding)) continue;
    findings_.add(std::move(finding), path);
  }
}

void Monitors::limit(const ir::Event& event) { limits_.emplace(name(event.limit), event); }

void Monitors::diverges(ir::ThreadId thread, const ir::Event& event, const PathSource& path) {
  if (diverged_[thread.index]) return;
  diverged_[thread.index] = true;
  Finding finding;
  finding.kind = ViolationKind::Divergence;
  finding.event = event;
  findings_.add(std::move(finding), path);
}

// A lock is of use if somebody waits at it, or touches something else while owning it. Where
// neither the touch nor the place says which locks the thread owns, they are followed through the
// transition: it may take one and give it back inside.
void Monitors::use_of_locks(const std::uint8_t* before, const ir::Record& record) {
  const ir::ThreadId thread = record.micros[0].action.thread;
  std::vector<UseOfLocks>& uses = uses_[thread];
  bool is_news = false;
  const auto use = [&](const std::uint64_t* locks) {
    for (std::size_t w = 0; w < used_locks_.size(); ++w) {
      is_news = is_news || (locks[w] & ~used_locks_[w]) != 0;
      used_locks_[w] |= locks[w];
    }
  };
  const auto use_one = [&](ir::ObjectId lock) {
    is_news = true;
    set_bit(used_locks_, layout_.lock_number(lock));
  };
  for (std::size_t i = 0; i < record.touches.size(); ++i) {
    const ir::Touch& touch = record.touches[i];
    if (is_heard(before, record, i)) continue;
    if (system_.objects[touch.object].kind == ir::ObjectKind::Lock) {
      if (touch.effect == ir::Effect::EnterWait || touch.effect == ir::Effect::Notify)
        use_one(touch.object);
    } else if (uses[touch.pc] == UseOfLocks::Followed) {
      use(owned_at(before, record, i));
    } else if (uses[touch.pc] == UseOfLocks::Known) {
      for (const ir::ObjectId lock : analyses_.held.certainly(thread, touch.pc))
        use_one(lock);
      uses[touch.pc] = UseOfLocks::Counted;
    }
  }
  if (!is_news) return;
  std::size_t used = 0;
  for (const std::uint64_t word : used_locks_)
    used += static_cast<std::size_t>(std::popcount(word));
  all_locks_are_used_ = used == layout_.locks().size();
}

const std::uint64_t* Monitors::owned_at(const std::uint8_t* before, const ir::Record& record,
                                        std::size_t touch) {
  if (record.touches[touch].counted) return record.held.data() + record.touches[touch].held;
  layout_.held(before, record.micros[0].action.thread, held_.data());
  for (std::size_t i = 0; i < touch; ++i) {
    const ir::Effect effect = record.touches[i].effect;
    const auto lock = [&] { return layout_.lock_number(record.touches[i].object); };
    if (effect == ir::Effect::Take) set_bit(held_, lock());
    if (effect == ir::Effect::Give) clear_bit(held_, lock());
  }
  return held_.data();
}

template <class Use>
void Monitors::for_each_number(const std::uint8_t* before, const ir::Record& record,
                               std::size_t touch, Use use) {
  const ir::ThreadId thread = record.micros[0].action.thread;
  const ir::Touch& told = record.touches[touch];
  const ir::Observations::Touches& observations = observations_->touches(thread, told.pc);
  if (!observations.are_numbered()) return;
  owned_.clear();
  if (!observations.choices.empty()) layout_.add_locks(owned_at(before, record, touch), owned_);
  observations.for_each_number(told.object, owned_, use);
}

bool Monitors::is_heard(const std::uint8_t* before, const ir::Record& record, std::size_t touch) {
  bool result = false;
  for_each_number(before, record, touch, [&](ir::Observations::Number number) {
    result = result || observations_->is_heard(number);
  });
  return result;
}

void Monitors::record_observations(const std::uint8_t* before, const ir::Record& record) {
  for (std::size_t i = 0; i < record.touches.size(); ++i)
    for_each_number(before, record, i,
                    [&](ir::Observations::Number number) { observations_->record(number); });
}

void Monitors::arrived(const std::uint8_t* state, ir::ThreadId thread) {
  const ir::Location at = location(layout_, state, thread);
  const ir::ObjectId lock = lock_order_.arrived(state, thread, at);
  if (at == ir::kEnded) ended(state, thread);
  const ir::Observations::Touches& observations = observations_->arrival(thread, at);
  if (!observations.are_numbered()) return;
  if (lock.valid()) {
    owned_.clear();
    if (!observations.choices.empty()) {
      layout_.held(state, thread, held_.data());
      layout_.add_locks(held_.data(), owned_);
    }
    observations.for_each_number(
        lock, owned_, [&](ir::Observations::Number number) { observations_->record(number); });
  } else if (!lock_order_.looks(thread, at)) {
    observations_->record(observations.first);
  }
}

void Monitors::look_at(const std::uint8_t* state, std::span<const ir::Action> actions,
                       ir::ThreadId moved, const PathSource& path) {
  properties(system_.invariants, Source::Invariant, state, path);
  // Without properties it was asked before.
  if (has_properties_ && system_.finals.empty() && stuck_.makes_nobody_stuck(state, actions, moved))
    return;
  enabled_.clear();
  for (const ir::Action action : actions)
    enabled_.insert(action.thread);
  if (auto stuck = stuck_.look(state, enabled_); stuck && findings_.is_new(*stuck)) {
    findings_.add(std::move(*stuck), path);
  }
  if (!system_.finals.empty() && stuck_.all_ended(state) && !stuck_.any_stopped(state, enabled_))
    properties(system_.finals, Source::Final, state, path);
  if (stuck_.anyone_stuck()) lock_order_.stuck(state);
}

void Monitors::properties(const std::vector<ir::Invariant>& list, Source source,
                          const std::uint8_t* state, const PathSource& path) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (source == Source::Invariant && !valuations_[i].is_new(state)) continue;
    record_.clear();
    interpreter_.run_free(state, list[i].code, record_);
    for (const ir::PointId point : record_.marks)
      observations_->record(observations_->of(point));
    for (const ir::Event& event : record_.events) {
      if (event.kind == FaultKind::Limit) limit(event);
      if (event.kind == FaultKind::Internal) internal_error_ = true;
      if (event.kind == FaultKind::Limit || event.kind == FaultKind::Internal) continue;
      Finding finding;
      finding.kind = violation_kind(event.kind);
      finding.source = source;
      finding.property = static_cast<std::uint32_t>(i);
      finding.event = event;
      if (!findings_.is_new(finding)) continue;
      findings_.add(std::move(finding), path);
    }
  }
}

}  // namespace cml::checker
