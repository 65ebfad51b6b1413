// The fixed point: depths only widen, and at a bound they become "many", so that it ends.
#include "ir/analysis/held_locks.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "ir/analysis/control_flow.h"
#include "ir/visibility.h"

namespace cml::ir {
namespace {

constexpr std::uint8_t kDeepest = 16;  // a deeper ownership counts as many
constexpr std::size_t kMaxCells = std::size_t{1} << 25;

using Depths = std::vector<LockDepth>;

const Place* lock_place(const Operation& node) {
  if (const auto* i = std::get_if<Acquire>(&node)) return &i->lock;
  if (const auto* i = std::get_if<TryAcquire>(&node)) return &i->lock;
  if (const auto* i = std::get_if<Release>(&node)) return &i->lock;
  if (const auto* i = std::get_if<Wait>(&node)) return &i->lock;
  if (const auto* i = std::get_if<Rewait>(&node)) return &i->lock;
  if (const auto* i = std::get_if<Notify>(&node)) return &i->lock;
  return nullptr;
}

std::vector<ObjectId> locks_of(const Code& code) {
  std::vector<ObjectId> locks;
  const auto add = [&locks](ObjectId lock) { locks.push_back(lock); };
  for (const Instruction& instruction : code.instructions) {
    if (const Place* place = lock_place(instruction.node)) for_each_object(*place, add);
    if (const auto* select = std::get_if<Select>(&instruction.node))
      for (const Select::Case& c : select->cases)
        if (c.kind == Select::Kind::Acquire) for_each_object(c.place, add);
  }
  std::sort(locks.begin(), locks.end());
  locks.erase(std::unique(locks.begin(), locks.end()), locks.end());
  return locks;
}

std::uint8_t more(std::uint8_t depth) {
  return depth >= kDeepest ? LockDepth::kMany : static_cast<std::uint8_t>(depth + 1);
}

std::uint8_t less(std::uint8_t depth) {
  if (depth == LockDepth::kMany || depth == 0) return depth;
  return static_cast<std::uint8_t>(depth - 1);
}

class Flow {
 public:
  Flow(const System& system, const Code& code, const std::vector<ObjectId>& locks,
       std::vector<LockDepth>& depths)
      : exprs_(system.exprs),
        code_(code),
        locks_(locks),
        depths_(depths),
        seen_(code.instructions.size(), false),
        is_target_(code.instructions.size(), false) {
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
    reach(0, Depths(locks_.size()));
    while (!work_.empty()) {
      const Pc pc = work_.back();
      work_.pop_back();
      transfer(pc);
    }
  }

 private:
  Depths at(Pc pc) const {
    const auto first = depths_.begin() + static_cast<std::ptrdiff_t>(pc * locks_.size());
    return {first, first + static_cast<std::ptrdiff_t>(locks_.size())};
  }

  /// Joins what holds on one way to `pc` with what holds on the others.
  void reach(Pc pc, const Depths& incoming) {
    LockDepth* here = depths_.data() + pc * locks_.size();
    bool changed = !seen_[pc];
    for (std::size_t k = 0; k < locks_.size(); ++k) {
      LockDepth joined = incoming[k];
      if (seen_[pc]) {
        joined.least = std::min(joined.least, here[k].least);
        joined.greatest = std::max(joined.greatest, here[k].greatest);
      }
      changed = changed || joined != here[k];
      here[k] = joined;
    }
    seen_[pc] = true;
    if (changed) work_.push_back(pc);
  }

  template <class Change>
  void change(Depths& depths, const Place& place, Change&& change_one) const {
    const bool exact = !place.index;
    for_each_object(place, [&](ObjectId lock) {
      const auto position = std::lower_bound(locks_.begin(), locks_.end(), lock) - locks_.begin();
      change_one(depths[static_cast<std::size_t>(position)], exact);
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

  void transfer(Pc pc) {
    const Operation& node = code_.instructions[pc].node;
    Depths depths = at(pc);
    if (const auto* branch = std::get_if<Branch>(&node)) {
      if (const TryAcquire* attempt = attempt_before(pc, *branch)) {
        depths = at(pc - 1);
        reach(branch->if_false, depths);
        change(depths, attempt->lock, take);
        reach(branch->if_true, depths);
        return;
      }
    }
    if (const auto* wait = std::get_if<Wait>(&node)) {
      // The Rewait behind it takes the lock back at the depth of now.
      change(depths, wait->lock, owned);
      reach(pc + 2, depths);
      change(depths, wait->lock, free);
      reach(pc + 1, depths);
      return;
    }
    if (std::holds_alternative<Rewait>(node)) return;
    if (const auto* select = std::get_if<Select>(&node)) {
      for (const Select::Case& c : select->cases) {
        Depths taken = depths;
        if (c.kind == Select::Kind::Acquire) change(taken, c.place, take);
        reach(c.next, taken);
      }
      if (select->otherwise) reach(*select->otherwise, depths);
      return;
    }
    if (const auto* acquire = std::get_if<Acquire>(&node)) {
      change(depths, acquire->lock, take);
    } else if (const auto* release = std::get_if<Release>(&node)) {
      change(depths, release->lock, owned);
      change(depths, release->lock, give);
    } else if (const auto* notify = std::get_if<Notify>(&node)) {
      change(depths, notify->lock, owned);
    } else if (const auto* attempt = std::get_if<TryAcquire>(&node)) {
      change(depths, attempt->lock,
             [](LockDepth& depth, bool) { depth.greatest = more(depth.greatest); });
    }
    next_.clear();
    successors(code_, pc, next_);
    for (const Pc to : next_)
      reach(to, depths);
  }

  /// The tryAcquire in front of a branch on its result, if nothing else leads to the branch.
  const TryAcquire* attempt_before(Pc pc, const Branch& branch) const {
    if (pc == 0 || is_target_[pc]) return nullptr;
    const auto* attempt = std::get_if<TryAcquire>(&code_.instructions[pc - 1].node);
    if (attempt == nullptr || !attempt->target || attempt->target->index) return nullptr;
    const Expr& condition = exprs_[branch.condition];
    const bool told = condition.op == ExprOp::Local &&
                      static_cast<Slot>(condition.value) == attempt->target->slot;
    return told ? attempt : nullptr;
  }

  const IdVector<ExprId, Expr>& exprs_;
  const Code& code_;
  const std::vector<ObjectId>& locks_;
  std::vector<LockDepth>& depths_;
  std::vector<bool> seen_;
  std::vector<bool> is_target_;  // of a jump
  std::vector<Pc> work_;
  std::vector<Pc> next_;
};

}  // namespace

HeldLocks::HeldLocks(const System& system) {
  for (const Thread& thread : system.threads) {
    OfThread of;
    of.locks = locks_of(thread.code);
    const std::size_t cells = thread.code.instructions.size() * of.locks.size();
    of.known = cells <= kMaxCells;
    if (of.known) {
      of.depths.resize(cells);
      Flow(system, thread.code, of.locks, of.depths).run();
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

IdVector<ObjectId, std::vector<ObjectId>> certain_protection(const System& system,
                                                             const HeldLocks& held) {
  IdVector<ObjectId, std::vector<ObjectId>> protection(system.objects.size());
  IdVector<ObjectId, bool> accessed(system.objects.size(), false);
  for (const ThreadId thread : system.threads.ids()) {
    const Code& code = system.threads[thread].code;
    const std::vector<bool> reached = reachable(code);
    for (Pc pc = 0; pc < code.instructions.size(); ++pc) {
      const Operation& node = code.instructions[pc].node;
      const auto* read = std::get_if<Read>(&node);
      const auto* write = std::get_if<Write>(&node);
      if (!reached[pc] || (read == nullptr && write == nullptr)) continue;
      const std::vector<ObjectId> locks = held.certainly(thread, pc);
      for_each_object(read != nullptr ? read->place : write->place, [&](ObjectId object) {
        if (system.objects[object].kind != ObjectKind::Shared) return;
        std::vector<ObjectId>& common = protection[object];
        if (!accessed[object]) common = locks;
        accessed[object] = true;
        std::erase_if(common, [&](ObjectId lock) {
          return !std::binary_search(locks.begin(), locks.end(), lock);
        });
      });
    }
  }
  return protection;
}

}  // namespace cml::ir
