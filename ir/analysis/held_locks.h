// Which locks a thread holds at each instruction, in every execution or in some: a forward fixed
// point over the code of each thread instance.
//
// For each lock that the thread uses, the least and the greatest depth of ownership (locks are
// reentrant). A lock that an index selects is one of several: none of them is certainly taken, all
// of them are perhaps. But while the slot of the index, or one that is equal, keeps its value
// (`with lock[i] { … }`), it says which lock was taken (`chosen`), and a release at the same index
// releases just that one. The success of `tryAcquire` is known where it is branched on at once.
// `wait` frees the lock and takes it back at its old depth. A release, wait or notify without
// owning the lock is a violation that stops the thread: so behind it, the thread has owned the
// lock.
//
// Left out: relations between variables (`if b { m.acquire(); } … if b { m.release(); }`). Nothing
// is known of threads whose code is too large. Cost: instructions × locks used.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/analysis/equal_slots.h"
#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::ir {

struct LockDepth {
  static constexpr std::uint8_t kMany = 255;
  std::uint8_t least = 0;
  std::uint8_t greatest = 0;  // kMany: no bound is known

  friend bool operator==(const LockDepth&, const LockDepth&) = default;
};

/// A lock that was selected by an index whose value is still in a slot.
struct ChosenLock {
  Place place;
  Slot slot = 0;  // that of the place's index, or another one that is equal

  /// Whether the same index selects the same lock there.
  [[nodiscard]] bool is(const Place& other) const {
    return place.base == other.base && place.count == other.count && place.stride == other.stride;
  }
};

class HeldLocks {
 public:
  using EqualSlotsOf = std::function<const EqualSlots&(ThreadId)>;
  /// `system`, and what `equal_slots` returns, must outlive it.
  HeldLocks(const System& system, const EqualSlotsOf& equal_slots, const StopToken& stop = {});

  /// The depth before the instruction is executed. No lock is held where control cannot get.
  [[nodiscard]] LockDepth depth(ThreadId thread, Pc pc, ObjectId lock) const;
  /// The depth of the lock that the place denotes there.
  [[nodiscard]] LockDepth depth(ThreadId thread, Pc pc, const Place& place) const;
  [[nodiscard]] bool certainly(ThreadId thread, Pc pc, ObjectId lock) const {
    return depth(thread, pc, lock).least > 0;
  }
  [[nodiscard]] bool perhaps(ThreadId thread, Pc pc, ObjectId lock) const {
    return depth(thread, pc, lock).greatest > 0;
  }
  /// Calls `use(ObjectId, LockDepth)` for every lock that the thread uses; all that it does not use
  /// have depth 0.
  template <class Use>
  void for_each(ThreadId thread, Pc pc, Use use) const {
    const OfThread& of = threads_[thread];
    for (std::size_t i = 0; i < of.locks.size(); ++i)
      use(of.locks[i],
          of.known ? of.depths[pc * of.locks.size() + i] : LockDepth{0, LockDepth::kMany});
  }
  /// All locks that the thread uses, by their ids.
  [[nodiscard]] const std::vector<ObjectId>& locks(ThreadId thread) const {
    return threads_[thread].locks;
  }
  /// All locks certainly held there, by their ids.
  [[nodiscard]] std::vector<ObjectId> certainly(ThreadId thread, Pc pc) const;
  /// Whether each lock is held there certainly or never.
  [[nodiscard]] bool is_exact(ThreadId thread, Pc pc) const;
  /// Locks held there that slots determine, the outermost first; two may be the same.
  [[nodiscard]] const std::vector<ChosenLock>& chosen(ThreadId thread, Pc pc) const;
  /// Whether each lock is held there certainly, or never, or is chosen: the slots determine the
  /// set.
  [[nodiscard]] bool is_determined(ThreadId thread, Pc pc) const;

 private:
  struct OfThread {
    std::vector<ObjectId> locks;    // sorted: what the thread uses
    std::vector<LockDepth> depths;  // pc * locks.size() + position
    bool known = true;
    // By pc; empty where no lock is selected by an index.
    std::vector<std::vector<ChosenLock>> chosen;
    std::vector<bool> determined;
    const EqualSlots* equal = nullptr;  // where some lock is chosen by an index
  };
  const System& system_;
  IdVector<ThreadId, OfThread> threads_;
};

/// For each shared object the locks that are certainly held at every access in every thread,
/// ascending; empty where an access is not certainly protected. Objects that an `init by` makes
/// exceptions for count all their accesses. Objects that no thread accesses have no entry either.
[[nodiscard]] IdVector<ObjectId, std::vector<ObjectId>> certain_protection(const System& system,
                                                                           const HeldLocks& held);

}  // namespace cml::ir
