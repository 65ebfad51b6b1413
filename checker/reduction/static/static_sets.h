// What each thread is about to do, what it may ever do, and which of the one conflicts with which
// of the other: the static side of persistent and stubborn sets (checker.md §4; Algorithm 2-MLD′ of
// Stoller's framework §8 and §9).
//
//   thread ── is about to do what conflicts with ──▶ atom ── may ever be done by ──▶ other threads
//
// An atom is a use of an object (dependency.h) that occurs in the model, with a number. The two
// steps are asked one after the other, so that what many threads do in conflict with each other is
// a number of ways to and from one atom, not one between any two of them. Atoms that the same
// threads do at the same instructions (the elements of an array that is reached by computed
// indices) are answered for by one of them. What conflicts with an atom depends on the state in a
// few ways that make sets smaller:
//
//   - The thread owns the lock: nobody else can use the lock before the thread moves, nor a shared
//     object that is certainly accessed under that lock only (held_locks.h).
//   - It can go with a `down`, `send` or `receive`: an `up`, `receive` or `send` by another cannot
//     change that, and commutes. (Those which could, the other downs, sends or receives, conflict,
//     so they are in the set: nobody outside can falsify the condition.)
//   - It uses a lock in passing (Pass), and so does the other.
//   - Granularity `sync`: it holds and acquires no lock that could protect the object. Then, by
//   MLD′,
//     it does not access the object; if it does, that is a violation which this very transition
//     shows (pendInvisOps′, Theorem 6′).
//
// Thread instances are specialised, so `fork[i]` is one object. Where a thread has too many atoms,
// the objects of a declaration count as one, in all threads.
//
// Cost: what a thread is about to do at a location is found when it is first asked for; of the
// rest, a list of the threads for each atom, which are asked for their place in
// ir::Accesses::future.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "checker/candidate_locks.h"
#include "checker/reduction/dependency.h"
#include "checker/reduction/property_reads.h"
#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// Of a use of an object.
using AtomNumber = std::uint32_t;

/// How far the transitions go for which sets are computed.
enum class Scope : std::uint8_t {
  Micro,        // one operation; nothing is assumed
  VisibleOnly,  // one visible operation, invisible-first: MLD′ keeps the invisible ones apart
  Composed,     // a visible operation and the invisible run behind it
};

class StaticSets {
 public:
  /// All must outlive it. `candidates` may be null.
  StaticSets(const ir::System& system, const ir::Layout& layout, const ir::Analyses& analyses,
             Scope scope, const CandidateLocks* candidates);

  /// How many atoms there are.
  [[nodiscard]] std::size_t atoms() const { return atoms_.size(); }
  /// Sets `atoms` to those that answer for what conflicts with what `thread` is about to do.
  /// `state` is followed by what the discipline stores.
  void conflicts(const std::uint8_t* state, ir::ThreadId thread, bool enabled,
                 std::vector<AtomNumber>& atoms) const;

  /// Calls `use(ThreadId)` for the threads that may, from where they stand on, do the atom; for
  /// some more than once.
  template <class Use>
  void for_each_that_may(const std::uint8_t* state, AtomNumber atom, Use use) const {
    for (const User user : users_[atom])
      if (accesses_.future(user.thread, location(layout_, state, user.thread), user.position))
        use(user.thread);
  }
  /// What answers for something that a thread may wait for; none if nobody ever does it.
  [[nodiscard]] std::optional<AtomNumber> find(KeyUse use) const;

  /// For conditions that a thread waits for: `use` of the object, or of what stands for it.
  [[nodiscard]] KeyUse key(ir::ObjectId object, Use use) const {
    return {Keys::of(representative(object)), use};
  }
  [[nodiscard]] KeyUse wait_set(ir::ObjectId lock, Use use) const {
    return {keys_.wait_set(representative(lock)), use};
  }

 private:
  enum class Mode : std::uint8_t { Strict, Enabled, Owned };

  struct User {
    ir::ThreadId thread;
    std::uint32_t position = 0;  // of what it does, in ir::Accesses::all
  };
  /// What is about to be done at a location.
  struct Next {
    bool is_simple = false;  // the operation is one, and no try
    /// What answers for conflicts that are there in all states, where the thread cannot go, and
    /// where it can.
    std::vector<AtomNumber> conflicts[2];
    /// Atoms of which the state says with what they conflict.
    std::vector<AtomNumber> atoms;
  };

  [[nodiscard]] ir::ObjectId representative(ir::ObjectId object) const {
    return merged_ ? system_.groups[system_.objects[object].group].first : object;
  }
  void find_kept_locks(const ir::Visibility& visibility);
  void uses_of(ir::ThreadId thread, ir::Atom atom, std::vector<KeyUse>& out) const;
  [[nodiscard]] std::vector<KeyUse> uses_of(ir::ThreadId thread,
                                            const std::vector<ir::Atom>& atoms) const;
  void number_atoms();
  /// By position in ir::Accesses::all: equal for what a thread does at the same instructions.
  [[nodiscard]] std::vector<std::uint32_t> columns(ir::ThreadId thread) const;
  void find_answers();
  [[nodiscard]] const Next& next(ir::ThreadId thread, ir::Location at) const;
  [[nodiscard]] bool depends_on_state(KeyUse use) const;
  [[nodiscard]] AtomNumber number(KeyUse use) const;
  [[nodiscard]] bool conflict(KeyUse mine, KeyUse theirs, Mode mode) const;
  void add(AtomNumber atom, std::vector<AtomNumber>& atoms) const {
    add_answer(answers_[atom], atoms);
  }
  void add_answer(AtomNumber answer, std::vector<AtomNumber>& atoms) const {
    if (added_[answer] == calls_) return;
    added_[answer] = calls_;
    atoms.push_back(answer);
  }
  void add_conflicts(AtomNumber atom, Mode mode, std::vector<AtomNumber>& atoms) const;
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
  PropertyReads watched_;
  Keys keys_;
  bool merged_ = false;
  IdVector<ir::ThreadId, std::vector<bool>> keeps_;  // by lock number
  IdVector<ir::ObjectId, std::vector<ir::ObjectId>> protection_;
  std::vector<KeyUse> atoms_;             // sorted
  std::vector<std::vector<User>> users_;  // by atom
  std::vector<AtomNumber> answers_;       // by atom: which atom answers for it
  mutable ir::ByLocation<std::unique_ptr<const Next>> next_;
  mutable std::vector<std::uint64_t> acquiring_;
  mutable bool knows_acquiring_ = false;
  mutable std::vector<std::uint64_t> added_;  // by atom: in which call of conflicts
  mutable std::uint64_t calls_ = 0;
};

}  // namespace cml::checker
