// The fixed point: depths only widen, and beyond a bound they become "many", so it terminates.
#include "ir/analysis/held_locks.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "ir/analysis/code_flow.h"
#include "ir/describe.h"
#include "support/mutation.h"

namespace cml::ir {
namespace {

constexpr std::uint8_t kDeepest = 16;  // a deeper ownership counts as many
constexpr std::size_t kMaxDepths = std::size_t{1} << 25;

/// What is known before an instruction: `depths` by position, without the locks that were selected
/// by an index (`chosen`). A lock that is chosen several times, or held besides, is as much deeper.
struct Known {
  std::vector<LockDepth> depths;
  std::vector<ChosenLock> chosen;
};

/// What changes who owns a lock, or tells that this thread does.
constexpr Effects kOwnership = Effect::Take | Effect::Deepen | Effect::Give | Effect::Lessen |
                               Effect::EnterWait | Effect::LeaveWait | Effect::Notify;

/// Of a condition the same effects say nothing about its lock.
bool concerns_lock(const System& system, const Place& place, Effects effects) {
  return effects.meets(kOwnership) && system.objects[place.base].kind == ObjectKind::Lock;
}

std::vector<ObjectId> locks_of(const System& system, const Code& code) {
  std::vector<ObjectId> locks;
  for (const Instruction& instruction : code.instructions)
    for_each_place(instruction, [&](const Place& place, Effects effects) {
      if (!concerns_lock(system, place, effects)) return;
      for_each_object(place, [&locks](ObjectId lock) { locks.push_back(lock); });
    });
  std::sort(locks.begin(), locks.end());
  locks.erase(std::unique(locks.begin(), locks.end()), locks.end());
  return locks;
}

/// The slot that an index consists of, if it is one.
std::optional<Slot> slot_of(const IdVector<ExprId, Expr>& exprs, const Place& place) {
  if (!place.index || exprs[*place.index].op != ExprOp::Local) return std::nullopt;
  return static_cast<Slot>(exprs[*place.index].value);
}

bool chooses(const System& system, const Code& code) {
  return std::any_of(code.instructions.begin(), code.instructions.end(),
                     [&](const Instruction& instruction) {
                       const auto* acquire = std::get_if<Acquire>(&instruction.node);
                       return acquire != nullptr && slot_of(system.exprs, acquire->lock);
                     });
}

bool overlap(const Place& a, const Place& b) {
  bool result = false;
  for_each_object(
      a, [&](ObjectId x) { for_each_object(b, [&](ObjectId y) { result = result || x == y; }); });
  return result;
}

std::uint8_t more(std::uint8_t depth) {
  return depth >= kDeepest ? LockDepth::kMany : static_cast<std::uint8_t>(depth + 1);
}

std::uint8_t less(std::uint8_t depth) {
  if (depth == LockDepth::kMany || depth == 0) return depth;
  return static_cast<std::uint8_t>(depth - 1);
}

class LockFlow {
 public:
  LockFlow(const System& system, const Code& code, const EqualSlots& equal,
           const std::vector<ObjectId>& locks, std::vector<LockDepth>& depths,
           const StopToken& stop)
      : system_(system),
        exprs_(system.exprs),
        code_(code),
        equal_(equal),
        locks_(locks),
        depths_(depths),
        stop_(stop),
        seen_(code.instructions.size(), false),
        is_target_(code.instructions.size(), false),
        chosen_(code.instructions.size()) {
    for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
      next_.clear();
      successors(code, pc, next_);
      const bool falls_through = next_.size() == 1 && next_.front() == pc + 1;
      for (const Pc to : next_)
        if (!falls_through) is_target_[to] = true;
    }
  }

  void run() {
    if (code_.instructions.empty()) return;
    reach(0, {std::vector<LockDepth>(locks_.size()), {}});
    while (!work_.empty()) {
      const Pc pc = work_.back();
      work_.pop_back();
      stop_.poll(1 + locks_.size());
      transfer(pc);
    }
    for (Pc pc = 0; pc < chosen_.size(); ++pc) {
      Known known = at(pc);
      determined_.push_back(std::all_of(
          known.depths.begin(), known.depths.end(),
          [](const LockDepth& depth) { return depth.least > 0 || depth.greatest == 0; }));
      forget(known);
      std::copy(known.depths.begin(), known.depths.end(), cells(pc));
    }
  }
  [[nodiscard]] const std::vector<bool>& determined() const { return determined_; }
  /// By pc; empty if no lock is chosen anywhere.
  [[nodiscard]] std::vector<std::vector<ChosenLock>> chosen() && {
    const bool any = std::any_of(chosen_.begin(), chosen_.end(),
                                 [](const auto& chosen) { return !chosen.empty(); });
    if (!any) chosen_.clear();
    return std::move(chosen_);
  }

 private:
  std::vector<LockDepth>::iterator cells(Pc pc) const {
    return depths_.begin() + static_cast<std::ptrdiff_t>(pc * locks_.size());
  }
  Known at(Pc pc) const {
    return {{cells(pc), cells(pc) + static_cast<std::ptrdiff_t>(locks_.size())}, chosen_[pc]};
  }
  /// Forgets the slots: a chosen lock may be any one of its place.
  void forget(Known& known) const {
    for (const ChosenLock& chosen : known.chosen)
      change(known.depths, chosen.place, take);
    known.chosen.clear();
  }
  static bool same(const std::vector<ChosenLock>& a, const std::vector<ChosenLock>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(),
        [](const ChosenLock& x, const ChosenLock& y) { return x.is(y.place) && x.slot == y.slot; });
  }

  /// Joins what holds on one path to `pc` with what holds on the others. Where the paths chose
  /// different locks, no lock is known to be chosen.
  void reach(Pc pc, Known incoming) {
    bool changed = !seen_[pc];
    if (changed) {
      chosen_[pc] = incoming.chosen;
    } else if (!same(chosen_[pc], incoming.chosen) && !CML_MUTATION("ways-that-chose-otherwise")) {
      Known here = at(pc);
      forget(here);
      std::copy(here.depths.begin(), here.depths.end(), cells(pc));
      changed = !chosen_[pc].empty();
      chosen_[pc].clear();
      forget(incoming);
    }
    const auto here = cells(pc);
    for (std::size_t k = 0; k < locks_.size(); ++k) {
      LockDepth joined = incoming.depths[k];
      LockDepth& cell = here[static_cast<std::ptrdiff_t>(k)];
      if (seen_[pc]) {
        joined.least = std::min(joined.least, cell.least);
        joined.greatest = std::max(joined.greatest, cell.greatest);
      }
      changed = changed || joined != cell;
      cell = joined;
    }
    seen_[pc] = true;
    if (changed) work_.push_back(pc);
  }

  template <class Change>
  void change(std::vector<LockDepth>& depths, const Place& place, Change&& change_one) const {
    const bool exact = !place.index;
    for_each_object(place, [&](ObjectId lock) {
      const auto position = std::lower_bound(locks_.begin(), locks_.end(), lock) - locks_.begin();
      LockDepth& depth = depths[static_cast<std::size_t>(position)];
      change_one(depth, exact);
      if (!system_.objects[lock].is_mutex) return;
      depth.least = std::min<std::uint8_t>(depth.least, 1);
      depth.greatest = std::min<std::uint8_t>(depth.greatest, 1);
    });
  }

  static void take(LockDepth& depth, bool exact) {
    if (exact) depth.least = std::min<std::uint8_t>(more(depth.least), kDeepest);
    depth.greatest = more(depth.greatest);
  }
  static void give(LockDepth& depth, bool exact) {
    depth.least = less(depth.least);
    if (exact) depth.greatest = less(depth.greatest);
  }
  static void free(LockDepth& depth, bool exact) {
    depth.least = 0;
    if (exact) depth.greatest = 0;
  }
  static void owned(LockDepth& depth, bool exact) {
    if (exact) depth.least = std::max<std::uint8_t>(depth.least, 1);
    if (exact) depth.greatest = std::max<std::uint8_t>(depth.greatest, 1);
  }

  /// Releases a chosen lock; false if the place is not that of one.
  bool gives_chosen(Known& known, Pc pc, const Place& place) const {
    const std::optional<Slot> slot = slot_of(exprs_, place);
    const auto found =
        std::find_if(known.chosen.begin(), known.chosen.end(), [&](const ChosenLock& chosen) {
          return slot && chosen.is(place) && equal_.are_equal(pc, chosen.slot, *slot);
        });
    if (found == known.chosen.end()) return false;
    known.chosen.erase(found);
    return true;
  }
  /// A lock operation at a place, other than one that takes a lock or releases a chosen one: what
  /// was chosen among the same locks is forgotten.
  void uses(Known& known, const Place& place) const {
    for (const ChosenLock& chosen : known.chosen)
      if (overlap(chosen.place, place) && !CML_MUTATION("another-lock-is-chosen-beside"))
        return forget(known);
  }
  /// Where the slot of a chosen lock is assigned, an equal slot takes its place, if there is one.
  void assigns(Known& known, Pc pc, const Operation& node) const {
    std::vector<Slot> assigned;
    for_each_assigned(node, [&](Slot slot) { assigned.push_back(slot); });
    const auto is_assigned = [&](Slot slot) {
      return std::find(assigned.begin(), assigned.end(), slot) != assigned.end();
    };
    for (ChosenLock& chosen : known.chosen) {
      if (!is_assigned(chosen.slot)) continue;
      Slot other = 0;
      while (other < code_.slots.size() &&
             (is_assigned(other) || !equal_.are_equal(pc, other, chosen.slot)))
        ++other;
      if (other == code_.slots.size()) return forget(known);
      chosen.slot = other;
    }
  }

  void transfer(Pc pc) {
    const Operation& node = code_.instructions[pc].node;
    std::visit([&](const auto& kind) { transfer(pc, node, kind, at(pc)); }, node);
  }
  void transfer(Pc pc, const Operation& node, const Branch& branch, Known known) {
    const TryAcquire* attempt = attempt_before(pc, branch);
    if (attempt == nullptr) return go_on(pc, node, std::move(known));
    known = at(pc - 1);
    uses(known, attempt->lock);
    assigns(known, pc - 1, code_.instructions[pc - 1].node);
    reach(branch.if_false, known);
    change(known.depths, attempt->lock, take);
    reach(branch.if_true, known);
  }
  // The Rewait behind it takes the lock back at the present depth.
  void transfer(Pc pc, const Operation&, const Wait& wait, Known known) {
    uses(known, wait.lock);
    change(known.depths, wait.lock, owned);
    const Operation& next = code_.instructions[pc + 1].node;
    const bool is_timed = std::holds_alternative<TimeOut>(next);
    Known waiting = known;
    if (is_timed) assigns(known, pc + 1, next);
    reach(pc + (is_timed ? 3 : 2), known);
    change(waiting.depths, wait.lock, free);
    reach(pc + 1, waiting);
  }
  void transfer(Pc pc, const Operation& node, const TimeOut&, Known known) {
    go_on(pc, node, std::move(known));
  }
  void transfer(Pc, const Operation&, const Rewait&, const Known&) {}
  void transfer(Pc pc, const Operation& node, const Select& select, Known known) {
    assigns(known, pc, node);
    for (const Select::Case& c : select.cases)
      if (c.kind == Select::Kind::Acquire) uses(known, c.place);
    for (const Select::Case& c : select.cases) {
      Known taken = known;
      if (c.kind == Select::Kind::Acquire) change(taken.depths, c.place, take);
      reach(c.next, taken);
    }
    if (select.otherwise) reach(*select.otherwise, known);
  }
  void transfer(Pc pc, const Operation& node, const Acquire& acquire, Known known) {
    if (const std::optional<Slot> slot = slot_of(exprs_, acquire.lock)) {
      known.chosen.push_back({acquire.lock, *slot});
    } else {
      change(known.depths, acquire.lock, take);
    }
    go_on(pc, node, std::move(known));
  }
  void transfer(Pc pc, const Operation& node, const Release& release, Known known) {
    if (!gives_chosen(known, pc, release.lock)) {
      uses(known, release.lock);
      change(known.depths, release.lock, owned);
      change(known.depths, release.lock, give);
    }
    go_on(pc, node, std::move(known));
  }
  void transfer(Pc pc, const Operation& node, const Notify& notify, Known known) {
    if (!notify.of_condition) {
      uses(known, notify.set);
      change(known.depths, notify.set, owned);
    }
    go_on(pc, node, std::move(known));
  }
  void transfer(Pc pc, const Operation& node, const TryAcquire& attempt, Known known) {
    uses(known, attempt.lock);
    change(known.depths, attempt.lock,
           [](LockDepth& depth, bool) { depth.greatest = more(depth.greatest); });
    go_on(pc, node, std::move(known));
  }
  /// All others; what they would do to locks is not known.
  template <class Other>
  void transfer(Pc pc, const Operation& node, const Other&, Known known) {
    for_each_place(node, [&](const Place& place, Effects effects) {
      if (!concerns_lock(system_, place, effects)) return;
      uses(known, place);
      change(known.depths, place, [](LockDepth& depth, bool) { depth = {0, LockDepth::kMany}; });
    });
    go_on(pc, node, std::move(known));
  }
  void go_on(Pc pc, const Operation& node, Known known) {
    if (!CML_MUTATION("an-index-that-was-assigned-chooses-the-same-lock")) assigns(known, pc, node);
    next_.clear();
    successors(code_, pc, next_);
    for (const Pc to : next_)
      reach(to, known);
  }

  /// The tryAcquire directly before a branch on its result, if nothing else leads to the branch.
  const TryAcquire* attempt_before(Pc pc, const Branch& branch) const {
    if (pc == 0 || is_target_[pc]) return nullptr;
    const auto* attempt = std::get_if<TryAcquire>(&code_.instructions[pc - 1].node);
    if (attempt == nullptr || !attempt->target || attempt->target->index) return nullptr;
    const Expr& condition = exprs_[branch.condition];
    const bool is_success = condition.op == ExprOp::Local &&
                            static_cast<Slot>(condition.value) == attempt->target->slot;
    return is_success ? attempt : nullptr;
  }

  const System& system_;
  const IdVector<ExprId, Expr>& exprs_;
  const Code& code_;
  const EqualSlots& equal_;
  const std::vector<ObjectId>& locks_;
  std::vector<LockDepth>& depths_;
  const StopToken& stop_;
  std::vector<bool> seen_;
  std::vector<bool> is_target_;  // of a jump
  std::vector<std::vector<ChosenLock>> chosen_;
  std::vector<bool> determined_;
  std::vector<Pc> work_;
  std::vector<Pc> next_;
};

}  // namespace

HeldLocks::HeldLocks(const System& system, const EqualSlotsOf& equal_slots, const StopToken& stop)
    : system_(system) {
  static const EqualSlots kNothing;
  for (const ThreadId id : system.threads.ids()) {
    const Code& code = system.threads[id].code;
    stop.poll(code.instructions.size());
    OfThread of;
    of.locks = locks_of(system, code);
    const std::size_t cells = code.instructions.size() * of.locks.size();
    of.known = cells <= kMaxDepths;
    if (of.known) {
      of.depths.resize(cells);
      of.equal = chooses(system, code) ? &equal_slots(id) : &kNothing;
      LockFlow flow(system, code, *of.equal, of.locks, of.depths, stop);
      flow.run();
      of.determined = flow.determined();
      of.chosen = std::move(flow).chosen();
    }
    threads_.push(std::move(of));
  }
}

LockDepth HeldLocks::depth(ThreadId thread, Pc pc, ObjectId lock) const {
  const OfThread& of = threads_[thread];
  const auto found = std::lower_bound(of.locks.begin(), of.locks.end(), lock);
  if (found == of.locks.end() || *found != lock) return {};
  if (!of.known) return {0, LockDepth::kMany};
  return of.depths[pc * of.locks.size() + static_cast<std::size_t>(found - of.locks.begin())];
}

LockDepth HeldLocks::depth(ThreadId thread, Pc pc, const Place& place) const {
  if (!place.index) return depth(thread, pc, place.base);
  LockDepth result{LockDepth::kMany, 0};
  for_each_object(place, [&](ObjectId lock) {
    const LockDepth one = depth(thread, pc, lock);  // a chosen lock is perhaps this one
    result.least = std::min(result.least, one.least);
    result.greatest = std::max(result.greatest, one.greatest);
  });
  const std::optional<Slot> slot = slot_of(system_.exprs, place);
  for (const ChosenLock& chosen : this->chosen(thread, pc))
    if (slot && chosen.is(place) && threads_[thread].equal->are_equal(pc, chosen.slot, *slot))
      result.least = std::min<std::uint8_t>(more(result.least), kDeepest);
  return result;
}

const std::vector<ChosenLock>& HeldLocks::chosen(ThreadId thread, Pc pc) const {
  static const std::vector<ChosenLock> kNone;
  const OfThread& of = threads_[thread];
  return of.chosen.empty() ? kNone : of.chosen[pc];
}

bool HeldLocks::is_determined(ThreadId thread, Pc pc) const {
  const OfThread& of = threads_[thread];
  return of.known && (of.determined.empty() || of.determined[pc]);
}

std::vector<ObjectId> HeldLocks::certainly(ThreadId thread, Pc pc) const {
  std::vector<ObjectId> result;
  for (const ObjectId lock : threads_[thread].locks)
    if (certainly(thread, pc, lock)) result.push_back(lock);
  return result;
}

bool HeldLocks::is_exact(ThreadId thread, Pc pc) const {
  const std::vector<ObjectId>& locks = threads_[thread].locks;
  return std::all_of(locks.begin(), locks.end(), [&](ObjectId lock) {
    return certainly(thread, pc, lock) || !perhaps(thread, pc, lock);
  });
}

namespace {

/// One that is held for reading counts as held, for reads.
std::vector<ObjectId> protecting(const System& system, std::vector<ObjectId> locks, bool writes) {
  std::vector<ObjectId> more;
  std::erase_if(locks, [&](ObjectId lock) {
    const std::optional<ObjectId>& of = system.objects[lock].read_of;
    if (of && !writes) more.push_back(*of);
    return of.has_value();
  });
  locks.insert(locks.end(), more.begin(), more.end());
  std::sort(locks.begin(), locks.end());
  return locks;
}

}  // namespace

IdVector<ObjectId, std::vector<ObjectId>> certain_protection(const System& system,
                                                             const HeldLocks& held) {
  IdVector<ObjectId, std::vector<ObjectId>> protection(system.objects.size());
  IdVector<ObjectId, bool> accessed(system.objects.size(), false);
  for (const ThreadId thread : system.threads.ids()) {
    const Code& code = system.threads[thread].code;
    const std::vector<bool> reached = reachable(code);
    for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
      if (!reached[pc]) continue;
      for_each_place(code.instructions[pc], [&](const Place& place, Effects effects) {
        if (system.objects[place.base].kind != ObjectKind::Shared) return;
        const std::vector<ObjectId> locks =
            protecting(system, held.certainly(thread, pc), !only_look(effects));
        for_each_object(place, [&](ObjectId object) {
          std::vector<ObjectId>& common = protection[object];
          if (!accessed[object]) common = locks;
          accessed[object] = true;
          std::erase_if(common, [&](ObjectId lock) {
            return !std::binary_search(locks.begin(), locks.end(), lock);
          });
        });
      });
    }
  }
  return protection;
}

}  // namespace cml::ir
