// Candidate sets in both forms, and when they are violated. The table is in discipline_table.cpp.
#include "checker/monitor/discipline.h"

#include <algorithm>

#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

bool guards_read_shared_objects(const ir::System& system, const ir::Code& code) {
  bool reads = false;  // since the beginning of the region
  for (const ir::Instruction& instruction : code.instructions) {
    if (instruction.opcode() == ir::Opcode::Atomic) reads = false;
    if (instruction.opcode() == ir::Opcode::Guard && reads) return true;
    ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects effects) {
      reads = reads ||
              (ir::only_look(effects) && system.objects[place.base].kind == ir::ObjectKind::Shared);
    });
  }
  return false;
}

}  // namespace

IdVector<ir::ObjectId, bool> DisciplineMonitor::kept_in_state(const ir::System& system,
                                                              Discipline form,
                                                              const StaticDiscipline& statics,
                                                              const ir::HeldLocks& held) {
  IdVector<ir::ObjectId, bool> result(system.objects.size(), false);
  if (!demands_locks(form)) return result;
  const bool all =
      form == Discipline::PerExecution || CML_MUTATION("candidates-undone-in-the-global-form");
  const auto is_checked = [&](ir::ObjectId id) {
    const ir::Object& object = system.objects[id];
    return object.kind == ir::ObjectKind::Shared && !object.is_constant &&
           statics.proof(id) == Proof::None;
  };
  for (const ir::ObjectId id : system.objects.ids())
    result[id] = is_checked(id) && (all || system.objects[id].owner.valid());
  if (all || system.classes.empty()) return result;
  for (const ir::ThreadId thread : system.threads.ids()) {
    const ir::Code& code = system.threads[thread].code;
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc) {
      bool of_heap = false;
      held.for_each(thread, pc, [&](ir::ObjectId lock, ir::LockDepth depth) {
        of_heap = of_heap || (depth.greatest > 0 && system.objects[lock].owner.valid());
      });
      if (!of_heap) continue;
      ir::for_each_place(code.instructions[pc], [&](const ir::Place& place, ir::Effects) {
        ir::for_each_object(place, [&](ir::ObjectId id) { result[id] = is_checked(id); });
      });
    }
  }
  return result;
}

KeptSets DisciplineMonitor::kept() const {
  KeptSets result;
  result.set_bytes = lock_bytes_;
  result.members = layout_.locks();
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (!index_[id] || !global_[*index_[id]].state_bytes) continue;
    const std::size_t begin = *global_[*index_[id]].state_bytes;
    result.parts.push_back({id, begin, 1 + lock_bytes_});
    result.sets.push_back(begin + 1);
  }
  return result;
}

DisciplineMonitor::DisciplineMonitor(ir::Step& step, Discipline form,
                                     const StaticDiscipline& statics, const ir::HeldLocks& held,
                                     const ir::Observations& observations,
                                     const FollowedObjects& followed)
    : step_(step),
      system_(step.system()),
      layout_(step.layout()),
      form_(form),
      statics_(statics),
      observations_(observations),
      is_processed_(observations.recorded().size(), false),
      index_(system_.objects.size()),
      relations_(system_, layout_),
      related_(relations_.words()),
      lock_bytes_((layout_.locks().size() + 7) / 8),
      init_order_broken_(system_.objects.size(), false),
      used_locks_(layout_.lock_set_words(), 0),
      protecting_(layout_.lock_set_words(), 0) {
  if (form == Discipline::Off) return;
  const IdVector<ir::ObjectId, bool> in_state = kept_in_state(system_, form, statics, held);
  lasting_.resize(layout_.lock_set_words());
  for (const ir::ObjectId lock : layout_.locks())
    has_locks_of_heap_ = has_locks_of_heap_ || system_.objects[lock].owner.valid();
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (system_.objects[id].kind != ir::ObjectKind::Shared) continue;
    if (statics_.proof(id) == Proof::Unshared || system_.objects[id].is_constant) continue;
    if (CML_MUTATION("guards-are-void-where-races-are-looked-for") && !demands_locks(form) &&
        followed[id])
      continue;
    index_[id] = static_cast<std::uint32_t>(global_.size());
    Candidates candidates;
    candidates.locks.assign(layout_.lock_set_words(), ~std::uint64_t{0});
    candidates.is_followed = !demands_locks(form) && (followed[id] || statics_.is_unshared(id));
    candidates.relations.assign(relations_.words(), ~std::uint64_t{0});
    if (in_state[id]) {
      candidates.state_bytes = state_bytes_;
      state_bytes_ += 1 + lock_bytes_;
    }
    global_.push_back(std::move(candidates));
  }
  for (const ir::ThreadId id : system_.threads.ids())
    if (guards_read_shared_objects(system_, system_.threads[id].code))
      waits_at_guards_.push_back(id);
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
                                   const Where& where) {
  if (form_ == Discipline::Off) return;
  init_order(record, where);
  record_accesses(record, false, extra, where);
}

void DisciplineMonitor::init_order(const ir::Record& record, const Where& where) {
  for (const ir::Event& event : record.events) {
    if (event.kind != ir::FaultKind::InitOrder) continue;
    if (statics_.is_unshared(event.object) || init_order_broken_[event.object]) continue;
    Finding found;
    found.kind = ViolationKind::InitOrder;
    found.event = event;
    init_order_broken_[event.object] = true;
    where.findings.add(std::move(found), where.path);
  }
}

void DisciplineMonitor::guards(const std::uint8_t* state, std::uint8_t* extra, const Where& where) {
  for (const ir::ThreadId thread : waits_at_guards_) {
    if (location(layout_, state, thread) < ir::kFirstLocation) continue;
    record_.clear();
    // One micro-transition, so that its touches are this thread's.
    record_.micros.push_back({{thread, 0}, 0, 0, 0, 0});
    step_.pending(state, thread, record_);
    if (demands_locks(form_)) init_order(record_, where);
    record_accesses(record_, true, extra, where);
  }
}

void DisciplineMonitor::record_accesses(const ir::Record& record, bool pending, std::uint8_t* extra,
                                        const Where& where) {
  std::size_t micro = 0;
  for (std::size_t i = 0; i < record.touches.size(); ++i) {
    while (micro + 1 < record.micros.size() && record.micros[micro + 1].touches <= i)
      ++micro;
    const ir::Touch& touch = record.touches[i];
    if (touch.effect == ir::Effect::New) forget(touch.object, extra);
    if (!touch.counted) continue;
    const std::uint64_t* held = record.held.data() + touch.held;
    for (std::size_t w = 0; pending && w < used_locks_.size(); ++w)
      used_locks_[w] |= held[w];
    if (!index_[touch.object]) continue;
    const ir::ThreadId thread = record.micros[micro].action.thread;
    // What is pending is not made: where races are looked for, that makes a difference for guards.
    const bool counts_twice = pending && !demands_locks(form_);
    if (counts_twice || !is_known(touch, thread, held))
      access(touch, thread, held, pending, extra, where);
  }
}

bool DisciplineMonitor::is_known(const ir::Touch& touch, ir::ThreadId thread,
                                 const std::uint64_t* held) {
  const ir::Observations::Touches& touches = observations_.touches(thread, touch.pc);
  if (!touches.are_numbered()) return false;
  owned_.clear();
  if (!touches.choices.empty()) layout_.add_locks(held, owned_);
  bool known = false;
  touches.for_each_number(touch.object, owned_, [&](ir::Observations::Number number) {
    known = known || is_processed_[number];
    is_processed_[number] = true;
  });
  return known;
}

Finding DisciplineMonitor::finding(ViolationKind kind, ir::ObjectId object, ir::ThreadId thread,
                                   ir::Pc pc) const {
  Finding result;
  result.kind = kind;
  result.event.thread = thread;
  result.event.pc = pc;
  result.event.range = system_.threads[thread].code.instructions[pc].range;
  result.event.object = object;
  return result;
}

void DisciplineMonitor::forget(ir::ObjectId instance, std::uint8_t* extra) const {
  if (state_bytes_ == 0 || CML_MUTATION("new-objects-have-the-candidates-of-old-ones")) return;
  const ir::Object& place = system_.objects[instance];
  const auto is_there = [&](ir::ObjectId id) {
    const ir::Object& object = system_.objects[id];
    return object.owner == place.owner && object.position == place.position;
  };
  const auto set_all = [this](std::uint8_t* set) {
    for (std::size_t lock = 0; lock < layout_.locks().size(); ++lock)
      set[lock / 8] |= static_cast<std::uint8_t>(1U << (lock % 8));
  };
  std::vector<std::uint8_t> all(lock_bytes_, 0);
  set_all(all.data());
  std::vector<std::uint8_t> gone(lock_bytes_, 0);
  for (std::size_t lock = 0; lock < layout_.locks().size(); ++lock)
    if (is_there(layout_.locks()[lock]))
      gone[lock / 8] |= static_cast<std::uint8_t>(1U << (lock % 8));
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (!index_[id] || !global_[*index_[id]].state_bytes) continue;
    std::uint8_t* const bytes = extra + *global_[*index_[id]].state_bytes;
    if (is_there(id)) {
      bytes[0] = 0;
      set_all(bytes + 1);
    } else if (!std::equal(all.begin(), all.end(), bytes + 1)) {
      for (std::size_t i = 0; i < lock_bytes_; ++i)
        bytes[1 + i] &= static_cast<std::uint8_t>(~gone[i]);
    }
  }
}

const std::uint64_t* DisciplineMonitor::lasting(ir::ObjectId id, const std::uint64_t* held) {
  if (!has_locks_of_heap_) return held;
  const ir::Object& object = system_.objects[id];
  std::fill(lasting_.begin(), lasting_.end(), 0);
  owned_.clear();
  layout_.add_locks(held, owned_);
  for (const ir::ObjectId lock : owned_) {
    const ir::Object& of = system_.objects[lock];
    if (of.owner.valid() && (of.owner != object.owner || of.position != object.position)) continue;
    const std::uint32_t number = layout_.lock_number(representative(system_, lock));
    lasting_[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  return lasting_.data();
}

void DisciplineMonitor::access(const ir::Touch& touch, ir::ThreadId thread,
                               const std::uint64_t* owned, bool pending, std::uint8_t* extra,
                               const Where& where) {
  const ir::ObjectId object = representative(system_, touch.object);
  Candidates& candidates = global_[*index_[object]];
  const auto& state_bytes = global_[*index_[touch.object]].state_bytes;
  const bool is_write = touch.effect == ir::Effect::Write;
  if (layout_.has_read_locks()) layout_.protecting(owned, is_write, protecting_.data());
  const std::uint64_t* const held = layout_.has_read_locks() ? protecting_.data() : owned;
  const auto described = [&] {
    return DisciplineAccess{thread, touch.pc, is_write, pending, locks(held), where.path.path()};
  };
  const bool is_unshared = statics_.is_unshared(touch.object);
  if (is_unshared && candidates.user.valid() && candidates.user != thread) contradiction_ = true;
  const ir::ThreadId user = std::exchange(candidates.user, thread);
  if (CML_MUTATION("accesses-before-the-second-thread-count-for-nothing") &&
      candidates.accesses().empty() && (!user.valid() || user == thread))
    return;
  const auto& guard = system_.objects[touch.object].guarded_by;
  const bool is_made = demands_locks(form_) || !pending;
  if (guard && !is_unshared && !candidates.guard_broken && is_made) {
    const std::uint32_t number = layout_.lock_number(*guard);
    if ((held[number / 64] >> (number % 64) & 1) == 0) {
      candidates.guard_broken = true;
      where.findings.add(finding(ViolationKind::Guard, object, thread, touch.pc),
                         [&](Finding& found) {
                           found.accesses.push_back(described());
                           found.path = found.accesses.back().path;
                         });
    }
  }
  // Accumulated over the search in both forms: the table describes what ran.
  bool smaller = false;
  bool empty = true;
  const std::uint64_t* const known = lasting(touch.object, held);
  for (std::size_t w = 0; w < candidates.locks.size(); ++w) {
    smaller = smaller || (candidates.locks[w] & ~known[w]) != 0;
    candidates.locks[w] &= known[w];
    empty = empty && candidates.locks[w] == 0;
  }
  const bool first_access_without_locks = candidates.locks.empty() && candidates.shrinks.empty();
  const bool first_write = is_write && !candidates.written;
  candidates.written = candidates.written || is_write;
  if (smaller || first_write) ++version_;
  bool broken = candidates.written && empty;
  if (!demands_locks(form_)) {
    const bool is_proved = statics_.proof(touch.object) != Proof::None;
    if (broken && !is_proved && !candidates.is_followed &&
        !CML_MUTATION("objects-that-no-lock-protects-are-not-followed"))
      throw NoLockProtects{object};
    return;
  }
  bool decides = false;  // this access is one of those that a violation names
  const bool is_in_state = form_ == Discipline::PerExecution || state_bytes;
  if (is_in_state) {
    const bool is_kept = broken && CML_MUTATION("candidates-kept-in-the-other-form");
    broken = state_bytes && (update(extra + *state_bytes, held, is_write) || is_kept);
    if (state_bytes && !broken)
      relate(candidates, extra + *state_bytes, system_.objects[touch.object]);
  } else if ((smaller || first_access_without_locks || first_write) && !candidates.broken &&
             statics_.proof(touch.object) == Proof::None) {
    decides = true;
  }
  const auto keep_access = [&] {
    if (decides)
      candidates.shrinks.push_back(
          {described(), static_cast<std::uint32_t>(candidates.shrinks.size())});
  };
  if (!broken || is_unshared || candidates.broken) return keep_access();
  if (statics_.proof(touch.object) != Proof::None) {
    contradiction_ = true;
    return;
  }
  candidates.broken = true;
  where.findings.add(finding(ViolationKind::LockDiscipline, object, thread, touch.pc),
                     [&](Finding& found) {
                       keep_access();
                       found.is_on_path = is_in_state;
                       found.accesses = candidates.accesses();
                       if (is_in_state) found.accesses.push_back(described());
                       found.path = found.accesses.back().path;
                     });
}

std::vector<DisciplineAccess> DisciplineMonitor::Candidates::accesses() const {
  std::vector<DisciplineAccess> result;
  for (const Shrink& shrink : shrinks)
    result.push_back(shrink.access);
  return result;
}

// In the order in which one search has observed them; where both have, the earlier place counts: so
// the result does not depend on the direction of the join.
void DisciplineMonitor::Candidates::join(const Candidates& other) {
  for (std::size_t w = 0; w < locks.size(); ++w)
    locks[w] &= other.locks[w];
  for (std::size_t w = 0; w < relations.size(); ++w)
    relations[w] &= other.relations[w];
  written = written || other.written;
  broken = broken || other.broken;
  guard_broken = guard_broken || other.guard_broken;
  if (!user.valid() || (other.user.valid() && other.user < user)) user = other.user;
  for (const Shrink& theirs : other.shrinks) {
    const auto mine = std::find_if(shrinks.begin(), shrinks.end(), [&](const Shrink& shrink) {
      return shrink.access == theirs.access;
    });
    if (mine == shrinks.end()) {
      shrinks.push_back(theirs);
    } else {
      mine->rank = std::min(mine->rank, theirs.rank);
    }
  }
  std::sort(shrinks.begin(), shrinks.end(), [](const Shrink& a, const Shrink& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.access < b.access;
  });
}

void DisciplineMonitor::join(const DisciplineMonitor& other) {
  for (std::size_t i = 0; i < is_processed_.size(); ++i)
    is_processed_[i] = is_processed_[i] || other.is_processed_[i];
  for (std::size_t w = 0; w < used_locks_.size(); ++w)
    used_locks_[w] |= other.used_locks_[w];
  for (const ir::ObjectId id : system_.objects.ids()) {
    init_order_broken_[id] = init_order_broken_[id] || other.init_order_broken_[id];
    if (!index_[id]) continue;
    Candidates& mine = global_[*index_[id]];
    const Candidates& theirs = other.global_[*index_[id]];
    const bool are_two = mine.user.valid() && theirs.user.valid() && mine.user != theirs.user;
    if (are_two && statics_.is_unshared(id)) contradiction_ = true;
    const bool is_same = mine.locks == theirs.locks && mine.written == theirs.written;
    mine.join(theirs);
    if (!is_same) ++version_;
  }
  contradiction_ = contradiction_ || other.contradiction_;
}

void DisciplineMonitor::report_broken(Findings& findings) {
  if (form_ != Discipline::Global) return;
  for (const ir::ObjectId id : system_.objects.ids()) {
    if (!index_[id] || statics_.is_unshared(id)) continue;
    Candidates& candidates = global_[*index_[id]];
    if (candidates.state_bytes) continue;
    const bool is_empty = std::all_of(candidates.locks.begin(), candidates.locks.end(),
                                      [](std::uint64_t word) { return word == 0; });
    if (!candidates.written || !is_empty || candidates.broken) continue;
    if (statics_.proof(id) != Proof::None) {
      contradiction_ = true;
      continue;
    }
    candidates.broken = true;
    const DisciplineAccess& last = candidates.shrinks.back().access;
    Finding found = finding(ViolationKind::LockDiscipline, id, last.thread, last.pc);
    found.accesses = candidates.accesses();
    found.path = last.path;
    findings.add(std::move(found));
  }
}

void DisciplineMonitor::relate(Candidates& candidates, const std::uint8_t* bytes,
                               const ir::Object& object) {
  if (bytes[0] == 0) return;
  std::fill(related_.begin(), related_.end(), 0);
  relations_.add(bytes + 1, lock_bytes_, object, related_.data());
  for (std::size_t w = 0; w < related_.size(); ++w)
    candidates.relations[w] &= related_[w];
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

bool DisciplineMonitor::is_broken() const {
  if (!demands_locks(form_)) return false;
  const auto& init = init_order_broken_;
  return std::find(init.begin(), init.end(), true) != init.end() ||
         std::any_of(global_.begin(), global_.end(),
                     [](const Candidates& candidates) { return candidates.broken; });
}

bool DisciplineMonitor::allows(const std::uint8_t* extra, ir::ObjectId object, bool is_write,
                               const std::uint64_t* owned) const {
  if (!index_[object]) return true;
  std::vector<std::uint64_t> protecting;
  const std::uint64_t* held = owned;
  if (layout_.has_read_locks()) {
    protecting.resize(layout_.lock_set_words());
    layout_.protecting(owned, is_write, protecting.data());
    held = protecting.data();
  }
  const Candidates& candidates = global_[*index_[object]];
  const bool is_in_state = form_ == Discipline::PerExecution || candidates.state_bytes;
  if (is_in_state && !CML_MUTATION("candidates-kept-for-the-sets")) {
    if (!candidates.state_bytes) return true;
    const std::uint8_t* bytes = extra + *candidates.state_bytes;
    if (!is_write && bytes[0] == 0) return true;
    for (std::size_t i = 0; i < lock_bytes_; ++i)
      if ((bytes[1 + i] & static_cast<std::uint8_t>(held[i / 8] >> (i % 8 * 8))) != 0) return true;
    return false;
  }
  if (!is_write && !candidates.written && !CML_MUTATION("unwritten-objects-are-excluded"))
    return true;
  for (std::size_t w = 0; w < candidates.locks.size(); ++w)
    if ((candidates.locks[w] & held[w]) != 0) return true;
  return false;
}

std::vector<ir::ObjectId> DisciplineMonitor::locks(const std::uint64_t* set) const {
  std::vector<ir::ObjectId> result;
  layout_.add_locks(set, result);
  return result;
}

}  // namespace cml::checker
