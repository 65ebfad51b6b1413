// What each thread may do from each of its locations on, for the static reductions
// (docs/reductions.md, "What depends on what"):
//
//   operation  in the micro-transition that starts here: the operation, and whether the thread may
//              end with it
//   pending    in the composed transition that starts here: the operation, and whatever may follow
//              before the thread certainly stops at a visible one (a perhaps-reentrant acquire does
//              not stop it)
//   future     ever, from here on
//
// All are over-approximations: conditions are not evaluated, a place with an index is every object
// that it can denote. They are sets of atoms (object, access); each thread has its own numbering of
// the atoms that occur in its code, so a set is a few words. A backward fixed point over the
// instructions. Where instructions × atoms would be too many, all objects of a declaration are
// replaced by its first one (`stands_for`).
//
// Cost: instructions × atoms / 64 words for each of the three.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/analysis/visibility.h"
#include "ir/system.h"
#include "support/stop_token.h"

namespace cml::ir {

/// What may happen to an object. Lock operations appear as what they need and do. An operation that
/// may fail, and a case of a select, has the access of its success and an Observe.
enum class Access : std::uint8_t {
  Read,
  Write,
  Take,       // acquire, tryAcquire, the second part of wait, a case of a select
  Give,       // release, the first part of wait
  Look,       // tryAcquire, the case of a select, a property: whether the lock is free, who owns it
  EnterWait,  // into the lock's wait set, or out of it
  Notify,
  Up,
  Down,
  Send,
  Receive,
  Observe,  // of a semaphore or channel: whether an operation is enabled, or `size`
  End,      // the thread ends; of no object
};
inline constexpr std::size_t kAccesses = static_cast<std::size_t>(Access::End) + 1;

struct Atom {
  ObjectId object;
  Access access = Access::Read;

  friend auto operator<=>(const Atom&, const Atom&) = default;
};

/// Calls `use(Atom)` for everything that one instruction may do.
template <class Use>
void for_each_access(const Instruction& instruction, Use&& use);

/// Whether a thread's operation is visible (docs/reference.md, "Transitions"): in no state, in
/// some, in all.
enum class Visible : std::uint8_t { Never, Maybe, Always };

class Accesses {
 public:
  Accesses(const System& system, const HeldLocks& held, const Visibility& visibility,
           const StopToken& stop = {});

  [[nodiscard]] bool operation(ThreadId thread, Location location, Atom atom) const {
    return contains(thread, threads_[thread].operation, location, atom);
  }
  [[nodiscard]] bool pending(ThreadId thread, Location location, Atom atom) const {
    return contains(thread, threads_[thread].pending, location, atom);
  }
  [[nodiscard]] bool future(ThreadId thread, Location location, Atom atom) const {
    return contains(thread, threads_[thread].future, location, atom);
  }
  /// All atoms of a set, ascending.
  [[nodiscard]] std::vector<Atom> operation(ThreadId thread, Location location) const;
  [[nodiscard]] std::vector<Atom> pending(ThreadId thread, Location location) const;
  [[nodiscard]] std::vector<Atom> future(ThreadId thread, Location location) const;

  /// All that the thread may ever do, ascending.
  [[nodiscard]] const std::vector<Atom>& all(ThreadId thread) const {
    return threads_[thread].atoms;
  }
  /// Whether the future contains an atom, given by its position in `all`.
  [[nodiscard]] bool future(ThreadId thread, Location location, std::uint32_t position) const {
    const OfThread& of = threads_[thread];
    return (of.future[location * of.words + position / 64] >> (position % 64) & 1) != 0;
  }
  /// Calls `use(Atom)` for what may be done from one location on, and not from another.
  template <class Use>
  void for_each_lost(ThreadId thread, Location from, Location to, Use use) const {
    const OfThread& of = threads_[thread];
    for (std::size_t w = 0; w < of.words; ++w)
      for (std::uint64_t rest = of.future[from * of.words + w] & ~of.future[to * of.words + w];
           rest != 0; rest &= rest - 1)
        use(of.atoms[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
  }

  [[nodiscard]] Visible visible(ThreadId thread, Location location) const {
    return threads_[thread].visible[location];
  }
  /// The object itself, or the first of its declaration where those are not distinguished in this
  /// thread.
  [[nodiscard]] ObjectId stands_for(ThreadId thread, ObjectId object) const;
  [[nodiscard]] bool is_merged(ThreadId thread) const { return threads_[thread].merged; }

 private:
  using Bits = std::vector<std::uint64_t>;
  struct OfThread {
    std::vector<Atom> atoms;          // sorted
    std::size_t words = 0;            // of a set
    Bits operation, pending, future;  // by location
    std::vector<Visible> visible;
    bool merged = false;
  };
  void analyse(ThreadId thread, const HeldLocks& held, const Visibility& visibility,
               const StopToken& stop);
  [[nodiscard]] bool contains(ThreadId thread, const Bits& sets, Location location,
                              Atom atom) const;
  [[nodiscard]] std::vector<Atom> list(ThreadId thread, const Bits& sets, Location location) const;

  const System& system_;
  IdVector<ThreadId, OfThread> threads_;
};

// ---- implementation of the template ------------------------------------------------------------

namespace detail {
void accesses_of(const Instruction& instruction, std::vector<std::pair<const Place*, Access>>& out);
}

template <class Use>
void for_each_access(const Instruction& instruction, Use&& use) {
  if (instruction.opcode() == Opcode::End) use(Atom{ObjectId(), Access::End});
  std::vector<std::pair<const Place*, Access>> accesses;
  detail::accesses_of(instruction, accesses);
  for (const auto& [place, access] : accesses)
    for_each_object(*place, [&, kind = access](ObjectId object) { use(Atom{object, kind}); });
}

}  // namespace cml::ir
