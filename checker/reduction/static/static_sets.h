// The pending operations of each thread, its possible future operations, and which of the one
// conflict with which of the other: the static side of persistent and stubborn sets
// (docs/reductions.md, "What depends on what"; Algorithm 2-MLD′ of Stoller's framework §8 and §9).
//
//   thread ── has pending operations in conflict with ──▶ atom ── is in the future of ──▶ threads
//
// An atom is a use of an object (dependency.h) that occurs in the model, with a number. The
// relation is computed in these two steps, so that n threads that all conflict with each other need
// n edges to and from one atom, not n² edges. Atoms that the same threads have at the same
// instructions (the elements of an array that is accessed by computed indices) are represented by
// one of them. What conflicts with an atom depends on the state in some cases, which make sets
// smaller:
//
//   - The thread owns the lock: no other thread can use the lock before it moves, nor access a
//     shared object that is certainly accessed under that lock only (ir/analysis/held_locks.h).
//   - Its `down`, `send` or `receive` is enabled: an `up`, `receive` or `send` by another thread
//     cannot change that, and commutes. (Operations that could, other downs, sends or receives,
//     conflict, so they are in the set: no thread outside can falsify the condition.)
//   - It uses a lock in passing (Pass), and so does the other.
//   - Granularity `sync`: it neither holds nor acquires a lock that could protect the object. Then,
//     by MLD′, it does not access the object; if it does, that is a violation which this very
//     transition shows (pendInvisOps′, Theorem 6′).
//   - It is a use of objects of a class, of which nobody else can reach those that this transition
//     may use (reachability.h). If some threads can, then either they, or those that may do what
//     conflicts, are in the set: whichever are fewer.
//
// Constants depend on nothing: what can be seen by others has been assigned. Neither do objects of
// classes that are confined to threads (ir/analysis/confined_classes.h).
//
// Thread instances are specialised, so `fork[i]` is one object. Where a thread has too many atoms,
// the objects of a declaration count as one, in all threads.
//
// Cost: the pending operations at a location are computed when they are first needed; for the
// future, there is a list of threads for each atom, and a bit of ir::Accesses::future is tested for
// each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checker/candidate_locks.h"
#include "checker/reduction/dependency.h"
#include "checker/reduction/property_reads.h"
#include "checker/reduction/static/reachability.h"
#include "ir/analysis/analyses.h"
#include "ir/analysis/meeting_places.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"
#include "support/mutation.h"

namespace cml::checker {

/// The number of an atom.
using AtomNumber = std::uint32_t;

/// The extent of the transitions for which sets are computed.
enum class Scope : std::uint8_t {
  Micro,        // one operation; nothing is assumed
  VisibleOnly,  // one visible operation, invisible-first: by MLD′, the invisible ones commute
  Composed,     // a visible operation and the invisible run behind it
};

/// What must be in a set with a thread.
struct Conflicts {
  std::vector<AtomNumber> atoms;      // the threads that may ever do them
  std::vector<ir::ThreadId> threads;  // some twice
};

class StaticSets {
 public:
  /// All must outlive it. `candidates` may be null. `keeps_order`: see ReductionOptions.
  StaticSets(const ir::System& system, const ir::Layout& layout, const ir::Analyses& analyses,
             Scope scope, const CandidateLocks* candidates, const MethodCalls& calls,
             bool keeps_order);

  /// How many atoms there are.
  [[nodiscard]] std::size_t atoms() const { return atoms_.size(); }
  /// The following is about this state. Returns what of the heap the rest depends on, in few words.
  std::span<const std::uint64_t> look(const std::uint8_t* state) {
    if (reachability_.is_known()) reachability_.look(state);
    return reachability_.key();
  }
  [[nodiscard]] std::size_t heap_words() const { return reachability_.key().size(); }
  /// Sets `found` to what is in conflict with the pending operations of `thread`. `state` is
  /// followed by what the discipline stores.
  void conflicts(const std::uint8_t* state, ir::ThreadId thread, bool enabled,
                 Conflicts& found) const;
  /// Whether the thread stands where another one can move it (ir/exec/rendezvous.h).
  [[nodiscard]] bool may_be_met(const std::uint8_t* state, ir::ThreadId thread) const {
    const ir::Location at = location(layout_, state, thread);
    return at >= ir::kFirstLocation && next(thread, at).may_be_met &&
           !CML_MUTATION("who-is-met-counts-as-blocked");
  }
  /// Whether what the thread does next, from this location, may depend on anything that another
  /// thread ever does, in any state.
  [[nodiscard]] bool may_depend(ir::ThreadId thread, ir::Location at) const;
  /// Adds who may do what `blocked` waits for: a use of the object, or of the one that stands for
  /// it.
  void add_enabling(const std::uint8_t* state, ir::ThreadId blocked, KeyUse use,
                    Conflicts& found) const;

  /// Calls `use(ThreadId)` for the threads whose future, from their present locations on, has the
  /// atom; for some more than once.
  template <class Use>
  void for_each_that_may(const std::uint8_t* state, AtomNumber atom, Use use) const {
    if (atom >= first_call_) {
      const CallUse call{Keys::pair(atoms_[atom].key), atoms_[atom].use};
      for (const ir::ThreadId thread : system_.threads.ids())
        if (calls_.future(thread, location(layout_, state, thread), call)) use(thread);
      return;
    }
    for (const User user : users_[atom])
      if (accesses_.future(user.thread, location(layout_, state, user.thread), user.position))
        use(user.thread);
  }
  /// For conditions that a thread waits for: `use` of the object, or of the one that stands for it.
  [[nodiscard]] KeyUse key(ir::ObjectId object, Use use) const {
    return {Keys::of(representative(object)), use};
  }
  [[nodiscard]] KeyUse wait_set(ir::ObjectId set, Use use) const {
    return {keys_.wait_set(representative(set)), use};
  }

 private:
  enum class Mode : std::uint8_t { Strict, Enabled, Owned };

  struct User {
    ir::ThreadId thread;
    std::uint32_t position = 0;  // of the atom, in ir::Accesses::all
  };
  /// The pending operations at a location.
  struct Next {
    bool is_simple = false;  // the operation is one, and no try
    bool is_call = false;    // of a method that commutes with some
    bool may_be_met = false;
    /// The representatives of conflicts that exist in all states: where the thread is disabled, and
    /// where it is enabled, if that makes a difference.
    std::vector<AtomNumber> conflicts[2];
    /// Atoms whose conflicts depend on the state; likewise.
    std::vector<AtomNumber> atoms[2];
  };

  [[nodiscard]] ir::ObjectId representative(ir::ObjectId object) const {
    return merged_ ? system_.groups[system_.objects[object].group].first : object;
  }
  void find_kept_locks(const ir::Visibility& visibility);
  void add_kept_by_spawned();
  /// `call`: if what is done to the fields of its object counts as that; else null.
  void uses_of(ir::ThreadId thread, ir::ObjectUse what, const MethodCalls::Call* call,
               std::vector<KeyUse>& out) const;
  [[nodiscard]] std::vector<KeyUse> uses_of(ir::ThreadId thread,
                                            const std::vector<ir::ObjectUse>& all,
                                            const MethodCalls::Call* call) const;
  /// What the next transition of the thread may do, as far as it is one for the sets.
  [[nodiscard]] std::vector<ir::ObjectUse> uses_at(ir::ThreadId thread, ir::Location at) const;
  void number_atoms();
  /// By position in ir::Accesses::all: equal for atoms that a thread has at the same instructions.
  [[nodiscard]] std::vector<std::uint32_t> columns(ir::ThreadId thread) const;
  void find_answers();
  [[nodiscard]] const Next& next(ir::ThreadId thread, ir::Location at) const;
  [[nodiscard]] bool depends_on_state(KeyUse use) const;
  [[nodiscard]] AtomNumber number(KeyUse use) const;
  /// The class whose objects it is a use of, where it matters who reaches them.
  [[nodiscard]] ir::ClassId class_of(KeyUse use) const;
  [[nodiscard]] bool conflict(KeyUse mine, KeyUse theirs, Mode mode) const;
  void add_answer(AtomNumber answer, std::vector<AtomNumber>& atoms) const {
    if (added_[answer] == count_) return;
    added_[answer] = count_;
    atoms.push_back(answer);
  }
  /// Calls `add(AtomNumber)` for those in conflict.
  template <class Add>
  void for_each_conflict(AtomNumber atom, Mode mode, Add add) const;
  /// Adds a representative, or the threads that can reach its objects.
  void add_fewer(const std::uint8_t* state, AtomNumber answer, ThreadMask others,
                 Conflicts& found) const;
  /// The lock that it is a use of, or of whose wait set.
  [[nodiscard]] ir::ObjectId lock_of(KeyUse use) const;
  [[nodiscard]] bool is_excluded(const std::uint8_t* state, ir::ThreadId thread, KeyUse use,
                                 const std::vector<AtomNumber>& next) const;
  /// The locks that the thread owns, and those that it is about to take.
  void find_acquiring(const std::uint8_t* state, ir::ThreadId thread,
                      const std::vector<AtomNumber>& next) const;

  const ir::System& system_;
  const ir::Layout& layout_;
  const ir::HeldLocks& held_;
  const ir::Accesses& accesses_;
  Scope scope_;
  const CandidateLocks* candidates_;
  bool keeps_order_;
  PropertyReads watched_;
  IdVector<ir::ClassId, bool> confined_;
  Keys keys_;
  Reachability reachability_;
  const MethodCalls& calls_;
  bool merged_ = false;
  IdVector<ir::ThreadId, std::vector<bool>> keeps_;  // by lock number
  IdVector<ir::ObjectId, std::vector<ir::ObjectId>> protection_;
  std::vector<KeyUse> atoms_;             // sorted
  AtomNumber first_call_ = 0;             // and the following: calls of methods
  std::vector<std::vector<User>> users_;  // by atom
  std::vector<AtomNumber> answers_;       // by atom: the atom that represents it
  std::vector<ir::ClassId> class_of_;     // by atom
  mutable ir::ByLocation<std::unique_ptr<const Next>> next_;
  mutable std::vector<std::uint64_t> acquiring_;
  mutable bool knows_acquiring_ = false;
  mutable std::vector<std::uint64_t> added_;  // by atom: in which call of conflicts
  mutable std::uint64_t count_ = 0;           // of calls
};

}  // namespace cml::checker
