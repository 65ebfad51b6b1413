// What each thread may do from each of its locations on, for the static reductions
// (docs/reductions.md, "What depends on what"):
//
//   operation  in the micro-transition that starts here: the operation, and whether the thread may
//              end with it
//   pending    in the composed transition that starts here: the operation, and whatever may follow
//              before the thread certainly stops at a visible one (a perhaps-reentrant acquire does
//              not stop it)
//   future     ever, from here on, with all that the threads may do that it may spawn
//   itself     the same without those: what nobody else can do for it (it frees its locks, it ends)
//
// All are over-approximations: conditions are not evaluated, a place with an index is every object
// that it can denote. They are sets of uses of objects (effects.def); each thread has its own
// numbering of those that occur in its code, so a set is a few words. A backward fixed point over
// the instructions. Where instructions × uses would be too many, all objects of a declaration are
// replaced by its first one (`stands_for`).
//
// Cost: instructions × uses / 64 words for each of the three.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/analysis/visibility.h"
#include "ir/describe.h"
#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::ir {

/// A use of an object by an instruction, or by what may follow it. An operation that may fail, and
/// a case of a select, has the use of its success and an Observe (of a lock: a Look). Of
/// no object: Use::End.
struct ObjectUse {
  ObjectId object;
  Use use = Use::Read;

  friend auto operator<=>(const ObjectUse&, const ObjectUse&) = default;
};

/// Calls `take(ObjectUse)` for everything that one instruction may do.
template <class Take>
void for_each_use(const Instruction& instruction, Take take);

/// Whether a thread's operation is visible (docs/reference.md, "Transitions"): in no state, in
/// some, in all.
enum class Visible : std::uint8_t { Never, Maybe, Always };

class Accesses {
 public:
  Accesses(const System& system, const HeldLocks& held, const Visibility& visibility,
           const StopToken& stop = {});

  [[nodiscard]] bool operation(ThreadId thread, Location location, ObjectUse use) const {
    return contains(thread, threads_[thread].operation, location, use);
  }
  [[nodiscard]] bool pending(ThreadId thread, Location location, ObjectUse use) const {
    return contains(thread, threads_[thread].pending, location, use);
  }
  [[nodiscard]] bool future(ThreadId thread, Location location, ObjectUse use) const {
    return contains(thread, threads_[thread].future, location, use);
  }
  [[nodiscard]] bool itself(ThreadId thread, Location location, ObjectUse use) const {
    return contains(thread, threads_[thread].itself(), location, use);
  }
  /// At any of its locations: the thread itself, not those that it spawns.
  [[nodiscard]] bool ever_itself(ThreadId thread, ObjectUse use) const;
  /// All uses of a set, ascending.
  [[nodiscard]] std::vector<ObjectUse> operation(ThreadId thread, Location location) const;
  [[nodiscard]] std::vector<ObjectUse> pending(ThreadId thread, Location location) const;
  [[nodiscard]] std::vector<ObjectUse> future(ThreadId thread, Location location) const;

  /// All that the thread may ever do, ascending.
  [[nodiscard]] const std::vector<ObjectUse>& all(ThreadId thread) const {
    return threads_[thread].uses;
  }
  /// Whether the future contains an atom, given by its position in `all`.
  [[nodiscard]] bool future(ThreadId thread, Location location, std::uint32_t position) const {
    const OfThread& of = threads_[thread];
    return (of.future[location * of.words + position / 64] >> (position % 64) & 1) != 0;
  }
  /// Calls `take(ObjectUse)` for what may be done from one location on, and not from another.
  template <class Take>
  void for_each_lost(ThreadId thread, Location from, Location to, Take take) const {
    for_each_lost(threads_[thread], threads_[thread].future, from, to, take);
  }
  /// The same of what the thread may do itself.
  template <class Take>
  void for_each_lost_itself(ThreadId thread, Location from, Location to, Take take) const {
    for_each_lost(threads_[thread], threads_[thread].itself(), from, to, take);
  }

  [[nodiscard]] Visible visible(ThreadId thread, Location location) const {
    return threads_[thread].visible[location];
  }
  /// What the threads may ever do that this instruction may spawn; ascending, and before
  /// stands_for().
  [[nodiscard]] std::vector<ObjectUse> of_spawned(const Instruction& instruction) const;
  /// What counts as used where control goes on from this instruction to an operation that waits to
  /// meet somebody (meeting_places.h); before stands_for().
  [[nodiscard]] std::vector<ObjectUse> of_arrivals(ThreadId thread, Pc pc) const;
  /// The object itself, or the first of its declaration where those are not distinguished in this
  /// thread.
  [[nodiscard]] ObjectId stands_for(ThreadId thread, ObjectId object) const;
  [[nodiscard]] bool is_merged(ThreadId thread) const { return threads_[thread].merged; }

 private:
  using Bits = std::vector<std::uint64_t>;
  struct OfThread {
    std::vector<ObjectUse> uses;      // sorted
    std::size_t words = 0;            // of a set
    Bits operation, pending, future;  // by location
    Bits own_future;                  // empty: it spawns nobody
    std::vector<Visible> visible;
    bool merged = false;

    [[nodiscard]] const Bits& itself() const { return own_future.empty() ? future : own_future; }
  };
  template <class Take>
  static void for_each_lost(const OfThread& of, const Bits& sets, Location from, Location to,
                            Take take) {
    for (std::size_t w = 0; w < of.words; ++w)
      for (std::uint64_t rest = sets[from * of.words + w] & ~sets[to * of.words + w]; rest != 0;
           rest &= rest - 1)
        take(of.uses[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
  }
  void analyse(ThreadId thread, const HeldLocks& held, const Visibility& visibility,
               const StopToken& stop);
  [[nodiscard]] bool contains(ThreadId thread, const Bits& sets, Location location,
                              ObjectUse use) const;
  [[nodiscard]] std::vector<ObjectUse> list(ThreadId thread, const Bits& sets,
                                            Location location) const;

  const System& system_;
  const MeetingPlaces& meeting_places_;
  IdVector<ThreadId, OfThread> threads_;
};

// ---- implementation of the template ------------------------------------------------------------

template <class Take>
void for_each_use(const Instruction& instruction, Take take) {
  if (instruction.opcode() == Opcode::End) take(ObjectUse{ObjectId(), Use::End});
  for_each_place(instruction, [&take](const Place& place, Effects effects) {
    uses(effects).for_each([&](Use use) {
      for_each_object(place, [&](ObjectId object) { take(ObjectUse{object, use}); });
    });
  });
}

}  // namespace cml::ir
