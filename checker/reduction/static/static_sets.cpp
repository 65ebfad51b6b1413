// Atoms of the model, the threads that may execute them, and their conflicts.
#include "checker/reduction/static/static_sets.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

#include "ir/analysis/confined_classes.h"
#include "support/mutation.h"

namespace cml::checker {

using ir::ObjectId;
using ir::ThreadId;

namespace {

/// Of a lock, or of the threads that wait at it.
bool is_of_lock(Use use) {
  return ir::of(use) == ir::UseOf::Lock || ir::of(use) == ir::UseOf::WaitSet;
}

}  // namespace

StaticSets::StaticSets(const ir::System& system, const ir::Layout& layout,
                       const ir::Analyses& analyses, Scope scope, const CandidateLocks* candidates,
                       const MethodCalls& calls, bool keeps_order)
    : system_(system),
      layout_(layout),
      held_(analyses.held()),
      accesses_(analyses.accesses()),
      scope_(scope),
      candidates_(candidates),
      keeps_order_(keeps_order),
      watched_(system),
      confined_(ir::confined_classes(system)),
      keys_(system),
      reachability_(system, layout, analyses, scope == Scope::Composed),
      calls_(calls),
      next_(system),
      acquiring_(layout.lock_set_words()) {
  for (const ThreadId thread : system.threads.ids())
    merged_ = merged_ || accesses_.is_merged(thread);
  if (!merged_) protection_ = analyses.protection();
  find_kept_locks(analyses.visibility());
  number_atoms();
}

// A thread keeps a lock if a transition of it may end, or the thread may, while it holds the lock.
// Where transitions are single operations, every acquire keeps. (A violation that stops the thread
// while it holds the lock need not be considered: then no thread that waits for the lock counts as
// stuck, and what that thread would have done before can be executed first. The search expands such
// states fully.)
void StaticSets::find_kept_locks(const ir::Visibility& visibility) {
  for (const ThreadId thread : system_.threads.ids()) {
    std::vector<bool> keeps(layout_.locks().size(), scope_ != Scope::Composed);
    const ir::Code& code = system_.threads[thread].code;
    const auto stands = [&](ir::Pc pc) {
      held_.for_each(thread, pc, [&](ObjectId lock, ir::LockDepth depth) {
        if (depth.greatest > 0) keeps[layout_.lock_number(lock)] = true;
      });
    };
    // A property reads who owns it; what frees it is visible anyway.
    for (const ObjectId lock : layout_.locks())
      if (visibility.is_watched[lock]) keeps[layout_.lock_number(lock)] = true;
    for (ir::Location at = ir::kFirstLocation; at < code.location_pc.size(); ++at)
      if (CML_MUTATED("perhaps-visible-operations-are-no-places-to-stand",
                      accesses_.visible(thread, at) != ir::Visible::Never,
                      accesses_.visible(thread, at) == ir::Visible::Always))
        stands(code.location_pc[at]);
    for (ir::Pc pc = 0; pc < code.instructions.size(); ++pc)
      if (code.instructions[pc].opcode() == ir::Opcode::End &&
          !CML_MUTATION("locks-kept-at-the-end-count-as-passed"))
        stands(pc);
    if (merged_) {
      for (const ObjectId lock : layout_.locks())
        if (keeps[layout_.lock_number(lock)])
          keeps[layout_.lock_number(representative(lock))] = true;
    }
    keeps_.push(std::move(keeps));
  }
  add_kept_by_spawned();
}

// What a spawned thread may do is in the future of the thread that spawns it.
void StaticSets::add_kept_by_spawned() {
  for (bool changed = !CML_MUTATION("spawned-threads-keep-no-locks"); changed;) {
    changed = false;
    for (const ThreadId thread : system_.threads.ids())
      for (const ir::Instruction& instruction : system_.threads[thread].code.instructions) {
        const auto* spawn = std::get_if<ir::Spawn>(&instruction.node);
        if (spawn == nullptr) continue;
        ir::for_each_object(spawn->thread, [&](ObjectId object) {
          const std::vector<bool>& kept = keeps_[system_.objects[object].thread];
          for (std::size_t i = 0; i < kept.size(); ++i) {
            if (!kept[i] || keeps_[thread][i]) continue;
            keeps_[thread][i] = true;
            changed = true;
          }
        });
      }
  }
}

void StaticSets::uses_of(ThreadId thread, ir::ObjectUse what, const MethodCalls::Call* call,
                         std::vector<KeyUse>& out) const {
  if (ir::of(what.use) == ir::UseOf::Thread) {
    if (CML_MUTATION("ends-are-not-watched-in-sets")) return;
    for (const std::uint32_t property : watched_.at_end(thread))
      out.push_back({keys_.property(property), Use::Write});
    return;
  }
  const ObjectId object = representative(what.object);
  const ir::Object& declared = system_.objects[object];
  if (declared.is_constant || (declared.owner.valid() && confined_[declared.owner])) return;
  const auto add = [&](Use use) {
    if (call == nullptr || !calls_.replaces(*call, object)) out.push_back({Keys::of(object), use});
  };
  const auto change = [&](Use use) {
    add(use);
    if (CML_MUTATION("watched-properties-dropped-from-sets")) return;
    const ir::Group& group = system_.groups[system_.objects[object].group];
    const std::uint32_t count = merged_ ? group.count : 1;
    for (std::uint32_t i = 0; i < count; ++i)
      for (const std::uint32_t property : watched_.by(ObjectId(object.index + i)))
        out.push_back({keys_.property(property), Use::Write});
  };
  switch (ir::of(what.use)) {
    case ir::UseOf::WaitSet:
      if (CML_MUTATION("wait-set-dropped-from-sets")) return;
      out.push_back({keys_.wait_set(object), what.use});
      return;
    case ir::UseOf::Lock:
      if (ir::looks(what.use)) {
        if (CML_MUTATION("look-dropped-from-sets")) return;
        return add(what.use);
      }
      if (what.use == Use::Give && CML_MUTATION("give-dropped-from-sets")) return;
      if (keeps_[thread][layout_.lock_number(object)] &&
          !(what.use == Use::Take && CML_MUTATION("kept-locks-count-as-passed-in-sets")))
        return change(what.use);
      if (what.use == Use::Take) add(Use::Pass);  // it gives it back inside
      return;
    case ir::UseOf::Variable:
    case ir::UseOf::Amount:
      if (what.use == Use::Observe && CML_MUTATION("observe-dropped-from-sets")) return;
      return ir::changes(what.use) ? change(what.use) : add(what.use);
    case ir::UseOf::Life:
      return what.use == Use::Spawn && !CML_MUTATION("late-starts-are-not-watched-in-sets")
                 ? change(what.use)
                 : add(what.use);
    case ir::UseOf::History:
      return change(what.use);
    case ir::UseOf::Thread:
      return;
  }
}

std::vector<KeyUse> StaticSets::uses_of(ThreadId thread, const std::vector<ir::ObjectUse>& all,
                                        const MethodCalls::Call* call) const {
  std::vector<KeyUse> uses;
  for (const ir::ObjectUse use : all)
    uses_of(thread, use, call, uses);
  if (call != nullptr)
    for (const CallUse use : call->uses)
      uses.push_back({Keys::call(use.pair), use.use});
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

void StaticSets::number_atoms() {
  for (const ThreadId thread : system_.threads.ids())
    for (const ir::ObjectUse use : accesses_.all(thread))
      uses_of(thread, use, nullptr, atoms_);
  for (std::uint32_t pair = 0; pair < calls_.pairs(); ++pair)
    for (const Use use : {CallUse::kOne, CallUse::kOther, CallUse::kSame})
      atoms_.push_back({Keys::call(pair), use});
  std::sort(atoms_.begin(), atoms_.end());
  atoms_.erase(std::unique(atoms_.begin(), atoms_.end()), atoms_.end());
  users_.resize(atoms_.size());
  first_call_ = static_cast<AtomNumber>(
      std::lower_bound(atoms_.begin(), atoms_.end(),
                       KeyUse{Keys::call(0) + 1 - calls_.pairs(), Use::Read}) -
      atoms_.begin());
  std::vector<KeyUse> uses;
  for (const ThreadId thread : system_.threads.ids()) {
    const std::vector<ir::ObjectUse>& all = accesses_.all(thread);
    for (std::uint32_t position = 0; position < all.size(); ++position) {
      uses.clear();
      uses_of(thread, all[position], nullptr, uses);
      for (const KeyUse use : uses)
        users_[number(use)].push_back({thread, position});
    }
  }
  find_answers();
  for (const KeyUse use : atoms_)
    class_of_.push_back(class_of(use));
  added_.resize(atoms_.size(), 0);
}

// Starts with one column, and splits a column where an instruction has a part of its atoms only.
std::vector<std::uint32_t> StaticSets::columns(ThreadId thread) const {
  const std::vector<ir::ObjectUse>& all = accesses_.all(thread);
  std::vector<std::uint32_t> columns(all.size(), 0);
  std::unordered_map<std::uint32_t, std::uint32_t> splits;  // of one instruction
  std::vector<std::size_t> done;
  std::uint32_t count = 1;
  const std::vector<ir::Instruction>& code = system_.threads[thread].code.instructions;
  for (ir::Pc pc = 0; pc < code.size(); ++pc) {
    const ir::Instruction& instruction = code[pc];
    splits.clear();
    done.clear();
    const auto does = [&](ir::ObjectUse use) {
      use.object = accesses_.stands_for(thread, use.object);
      done.push_back(
          static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), use) - all.begin()));
    };
    ir::for_each_use(instruction, does);
    for (const ir::ObjectUse use : accesses_.of_spawned(instruction))
      does(use);
    for (const ir::ObjectUse use : accesses_.of_arrivals(thread, pc))
      does(use);
    std::sort(done.begin(), done.end());
    done.erase(std::unique(done.begin(), done.end()), done.end());
    for (const std::size_t position : done) {
      const auto [split, is_new] = splits.try_emplace(columns[position], count);
      if (is_new) ++count;
      if (!CML_MUTATION("one-atom-answers-for-all-of-the-same-threads"))
        columns[position] = split->second;
    }
  }
  return columns;
}

void StaticSets::find_answers() {
  IdVector<ThreadId, std::vector<std::uint32_t>> columns;
  for (const ThreadId thread : system_.threads.ids())
    columns.push(this->columns(thread));
  std::map<std::vector<std::pair<ThreadId, std::uint32_t>>, AtomNumber> first;
  for (AtomNumber atom = 0; atom < atoms_.size(); ++atom) {
    if (atom >= first_call_) {
      answers_.push_back(atom);
      continue;
    }
    std::vector<std::pair<ThreadId, std::uint32_t>> key;
    for (const User user : users_[atom])
      key.emplace_back(user.thread, columns[user.thread][user.position]);
    answers_.push_back(first.try_emplace(std::move(key), atom).first->second);
  }
}

// What follows a visible operation is invisible, and commutes by MLD′: all but the responses of
// calls.
std::vector<ir::ObjectUse> StaticSets::uses_at(ThreadId thread, ir::Location at) const {
  if (scope_ == Scope::Composed) return accesses_.pending(thread, at);
  std::vector<ir::ObjectUse> uses = accesses_.operation(thread, at);
  if (scope_ == Scope::Micro || CML_MUTATION("responses-of-the-invisible-run-dropped-from-sets"))
    return uses;
  for (const ir::ObjectUse use : accesses_.pending(thread, at))
    if (ir::of(use.use) == ir::UseOf::History) uses.push_back(use);
  return uses;
}

const StaticSets::Next& StaticSets::next(ThreadId thread, ir::Location at) const {
  std::unique_ptr<const Next>& known = next_.at(thread, at);
  if (known != nullptr) return *known;
  auto made = std::make_unique<Next>();
  const ir::Code& code = system_.threads[thread].code;
  const ir::Instruction& instruction = code.instructions[code.location_pc[at]];
  made->is_simple =
      instruction.opcode() != ir::Opcode::Atomic && instruction.opcode() != ir::Opcode::Select;
  const std::vector<ir::ObjectUse> all = uses_at(thread, at);
  const MethodCalls::Call* const call = merged_ ? nullptr : calls_.at(thread, code.location_pc[at]);
  made->is_call = call != nullptr;
  made->may_be_met = ir::meets(code, code.location_pc[at]);
  for (const Mode mode : {Mode::Strict, Mode::Enabled}) {
    const auto part = static_cast<std::size_t>(mode);
    const std::vector<KeyUse> uses = uses_of(thread, all, mode == Mode::Enabled ? call : nullptr);
    ++count_;
    for (const KeyUse use : uses)
      if (!depends_on_state(use))
        for_each_conflict(
            number(use), call != nullptr ? Mode::Strict : mode,
            [&](AtomNumber other) { add_answer(answers_[other], made->conflicts[part]); });
    for (const KeyUse use : uses)
      if (depends_on_state(use)) made->atoms[part].push_back(number(use));
  }
  known = std::move(made);
  return *known;
}

// Conflicts at a shared object depend on who owns its locks and on its initialisation status; at a
// lock, on its owner; at an object of the heap, on who can reach it.
bool StaticSets::depends_on_state(KeyUse use) const {
  if (class_of(use).valid()) return true;
  if (ir::of(use.use) != ir::UseOf::Variable) return is_of_lock(use.use);
  if (!keys_.is_object(use.key)) return false;
  return merged_ || system_.objects[ObjectId(use.key)].kind == ir::ObjectKind::Shared;
}

ir::ClassId StaticSets::class_of(KeyUse use) const {
  const auto objects = static_cast<std::uint32_t>(system_.objects.size());
  if (!reachability_.is_known()) return {};
  if (Keys::pair(use.key) < calls_.pairs()) return calls_.of(Keys::pair(use.key));
  if (use.key >= 2 * objects) return {};  // not of a property
  return system_.objects[ObjectId(use.key < objects ? use.key : use.key - objects)].owner;
}

AtomNumber StaticSets::number(KeyUse use) const {
  const auto found = std::lower_bound(atoms_.begin(), atoms_.end(), use);
  const bool known = found != atoms_.end() && *found == use;
  return known ? static_cast<AtomNumber>(found - atoms_.begin())
               : static_cast<AtomNumber>(atoms_.size());
}

// ---- conflicts ---------------------------------------------------------------------------------

bool StaticSets::conflict(KeyUse mine, KeyUse theirs, Mode mode) const {
  if (mine.key != theirs.key) return false;
  const Use use = theirs.use;
  if (mode == Mode::Owned)
    return mine.use == Use::Give && use == Use::Look &&
           !CML_MUTATION("own-release-does-not-meet-a-look");
  if (keeps_order_ && leaves_an_order(mine.use, use)) return true;
  if (const auto known = conflict_by_kind(mine.use, use)) return *known;
  // Where a send and a receive are one transition, neither commutes with anything.
  const ir::Object& object = system_.objects[ObjectId(mine.key)];
  const bool meets = object.kind == ir::ObjectKind::Channel && object.capacity == 0;
  if (meets && !CML_MUTATION("meetings-commute-in-sets")) return true;
  const bool can_go = mode == Mode::Enabled;
  const bool has_max = object.max.has_value();
  switch (mine.use) {
    case Use::Up:
      return has_max && !CML_MUTATION("bounded-ups-commute");
    case Use::Down:
      if (use != Use::Up) return !CML_MUTATION("downs-commute");
      return (has_max && !CML_MUTATION("down-and-bounded-up-commute")) || !can_go;
    case Use::Send:
      return use == Use::Receive ? !can_go : !CML_MUTATION("sends-commute");
    case Use::Receive:
      return use == Use::Send ? !can_go : !CML_MUTATION("receives-commute");
    default:
      return true;
  }
}

template <class Add>
void StaticSets::for_each_conflict(AtomNumber atom, Mode mode, Add add) const {
  // All uses of one object are consecutive, and few.
  const KeyUse mine = atoms_[atom];
  AtomNumber other = atom;
  while (other > 0 && atoms_[other - 1].key == mine.key)
    --other;
  for (; other < atoms_.size() && atoms_[other].key == mine.key; ++other)
    if (conflict(mine, atoms_[other], mode)) add(other);
}

// No thread outside can come to an object that none of them can reach, nor do what none of them may
// ever do. So either all that can reach one, or all that may do it, are enough.
void StaticSets::add_fewer(const std::uint8_t* state, AtomNumber answer, ThreadMask others,
                           Conflicts& found) const {
  if (added_[answer] == count_) return;
  added_[answer] = count_;
  ThreadMask may = 0;
  for_each_that_may(state, answer, [&may](ThreadId other) { may |= ThreadMask{1} << other.index; });
  if (CML_MUTATION("who-may-use-it-and-can-reach-it-is-enough")) {
    others &= may;
  } else if (std::popcount(may) <= std::popcount(others)) {
    if (may != 0) found.atoms.push_back(answer);
    return;
  }
  for (ThreadMask left = others; left != 0; left &= left - 1)
    found.threads.push_back(ThreadId(static_cast<std::uint32_t>(std::countr_zero(left))));
}

void StaticSets::add_enabling(const std::uint8_t* state, ThreadId blocked, KeyUse use,
                              Conflicts& found) const {
  const AtomNumber atom = number(use);
  if (atom == atoms_.size()) return;
  const ir::ClassId of = class_of_[atom];
  if (!of.valid()) return found.atoms.push_back(answers_[atom]);
  ++count_;
  const ThreadMask others = reachability_.others(blocked, of);
  if (others != 0) add_fewer(state, answers_[atom], others, found);
}

// None of a condition: who notifies it need not own its lock.
ObjectId StaticSets::lock_of(KeyUse use) const {
  if (!is_of_lock(use.use)) return {};
  const auto objects = static_cast<std::uint32_t>(system_.objects.size());
  const ObjectId lock(use.key < objects ? use.key : use.key - objects);
  const bool is_lock = system_.objects[lock].kind == ir::ObjectKind::Lock;
  return is_lock ? lock : ObjectId();
}

// Whether no other thread can interfere, by the lock discipline or by the locks that the thread
// owns.
bool StaticSets::is_excluded(const std::uint8_t* state, ThreadId thread, KeyUse use,
                             const std::vector<AtomNumber>& next) const {
  const ObjectId object(use.key);
  const ir::Object& declared = system_.objects[object];
  if (merged_ || declared.kind != ir::ObjectKind::Shared) return false;
  if (declared.init_by && !CML_MUTATION("init-by-objects-are-excluded")) return false;
  const std::vector<ObjectId>& locks = protection_[object];
  const auto owns = [&](ObjectId lock) {
    return layout_.owns_for(state, thread, lock, use.use == Use::Write);
  };
  if (std::any_of(locks.begin(), locks.end(), owns)) return true;
  if (scope_ != Scope::Composed || candidates_ == nullptr) return false;
  if (CML_MUTATION("everything-is-excluded-by-the-discipline")) return true;
  find_acquiring(state, thread, next);
  return !candidates_->allows(state + layout_.size(), object, use.use == Use::Write,
                              acquiring_.data());
}

void StaticSets::find_acquiring(const std::uint8_t* state, ThreadId thread,
                                const std::vector<AtomNumber>& next) const {
  if (knows_acquiring_) return;
  knows_acquiring_ = true;
  std::fill(acquiring_.begin(), acquiring_.end(), 0);
  const auto add = [this](ObjectId lock) {
    const std::uint32_t number = layout_.lock_number(lock);
    acquiring_[number / 64] |= std::uint64_t{1} << (number % 64);
  };
  for (const ObjectId lock : held_.locks(thread))
    if (layout_.owner(state, lock) == thread && !CML_MUTATION("held-locks-do-not-count")) add(lock);
  for (const AtomNumber atom : next) {
    const KeyUse use = atoms_[atom];
    const bool acquires = use.use == Use::Pass || use.use == Use::Take;
    if (CML_MUTATED("acquired-locks-do-not-count-as-held", acquires, use.use < Use::Read))
      add(ObjectId(use.key));
  }
}

bool StaticSets::may_depend(ThreadId thread, ir::Location at) const {
  const auto is_used_by_others = [this, thread](AtomNumber atom) {
    if (atom >= first_call_) return true;
    return std::any_of(users_[atom].begin(), users_[atom].end(),
                       [thread](const User& user) { return user.thread != thread; });
  };
  bool result = false;
  for (const KeyUse use : uses_of(thread, uses_at(thread, at), nullptr)) {
    // The first access changes the status of an object that somebody initialises.
    if (keys_.is_object(use.key) && system_.objects[ObjectId(use.key)].init_by) return true;
    for_each_conflict(number(use), Mode::Strict,
                      [&](AtomNumber other) { result = result || is_used_by_others(other); });
  }
  return result;
}

void StaticSets::conflicts(const std::uint8_t* state, ThreadId thread, bool enabled,
                           Conflicts& found) const {
  found.atoms.clear();
  found.threads.clear();
  const Next& next = this->next(thread, location(layout_, state, thread));
  const bool can_go = enabled || CML_MUTATION("blocked-operations-count-as-enabled");
  const bool is_simple = next.is_simple || CML_MUTATION("blocks-count-as-simple-operations");
  const Mode base = can_go && is_simple ? Mode::Enabled : Mode::Strict;
  const bool by_calls =
      next.is_call && (enabled || CML_MUTATION("blocked-calls-commute-as-declared"));
  const std::size_t part = base == Mode::Enabled || by_calls ? 1 : 0;
  knows_acquiring_ = false;
  ++count_;
  for (const AtomNumber answer : next.conflicts[part])
    add_answer(answer, found.atoms);
  for (const AtomNumber atom : next.atoms[part]) {
    const KeyUse use = atoms_[atom];
    const ir::ClassId of = class_of_[atom];
    const ThreadMask others = of.valid() ? reachability_.others(thread, of) : 0;
    if (of.valid() && others == 0) continue;
    const auto add = [&](AtomNumber other) {
      if (of.valid()) return add_fewer(state, answers_[other], others, found);
      add_answer(answers_[other], found.atoms);
    };
    Mode mode = base;
    if (ir::of(use.use) == ir::UseOf::Variable && keys_.is_object(use.key)) {
      if (is_excluded(state, thread, use, next.atoms[part])) continue;
      const auto& status = layout_.object(ObjectId(use.key)).init;
      const bool virgin =
          status && status->load(state) == static_cast<std::int32_t>(ir::InitStatus::Virgin);
      if ((virgin && !CML_MUTATION("virgin-read-counts-as-a-read-in-sets")) || merged_) {
        // A read of a virgin object changes its status: as if it were a write.
        for (const AtomNumber other : {number({use.key, Use::Read}), number({use.key, Use::Write})})
          if (other < atoms_.size()) add(other);
        continue;
      }
    } else if (const ObjectId lock = lock_of(use); !merged_ && lock.valid()) {
      const ThreadId owner = layout_.owner(state, lock);
      if (CML_MUTATED("owner-shortcut-for-anybodys-lock", owner == thread, owner.valid()))
        mode = Mode::Owned;
    }
    for_each_conflict(atom, mode, add);
  }
}

}  // namespace cml::checker
