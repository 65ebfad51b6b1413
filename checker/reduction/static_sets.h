// What each thread is about to do, what it may ever do, and which of the one conflicts with which
// of the other: the static side of persistent and stubborn sets (checker.md §4; Algorithm 2-MLD′ of
// Stoller's framework §8 and §9).
//
//   conflicts(thread)  ── row over atoms ──▶   meets?   ◀── row over atoms ──  future(other,
//   location)
//
// An atom is a use of an object (dependency.h) that occurs in the model; a row is a bit set over
// all of them. What conflicts with an atom depends on the state in a few ways that make sets
// smaller:
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
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/reduction/dependency.h"
#include "checker/reduction/watched.h"
#include "ir/analysis/static_facts.h"
#include "ir/step.h"

namespace cml::checker {

/// A bit set over atoms.
using Row = std::vector<std::uint64_t>;

/// What the lock discipline has found out so far: may a thread that holds these locks access the
/// object without breaking it?
class CandidateLocks {
 public:
  CandidateLocks() = default;
  CandidateLocks(const CandidateLocks&) = delete;
  CandidateLocks& operator=(const CandidateLocks&) = delete;
  virtual ~CandidateLocks() = default;
  /// `extra`: what is stored behind the state; `held`: a set of locks.
  [[nodiscard]] virtual bool allows(const std::uint8_t* extra, ir::ObjectId object, bool is_write,
                                    const std::uint64_t* held) const = 0;
  /// Another number once `allows` may say no where it said yes, other than by what is stored.
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  /// Bytes that are stored behind each state.
  [[nodiscard]] virtual std::size_t state_bytes() const = 0;
};

/// How far the transitions go for which sets are computed.
enum class Scope : std::uint8_t {
  Micro,        // one operation; nothing is assumed
  VisibleOnly,  // one visible operation, invisible-first: MLD′ keeps the invisible ones apart
  Composed,     // a visible operation and the invisible run behind it
};

class StaticSets {
 public:
  /// All must outlive it. `candidates` may be null.
  StaticSets(const ir::System& system, const ir::Layout& layout, const ir::StaticFacts& facts,
             Scope scope, const CandidateLocks* candidates);

  /// Sets `row` to the atoms that conflict with what `thread` is about to do. `state` is followed
  /// by what the discipline stores.
  void conflicts(const std::uint8_t* state, ir::ThreadId thread, bool enabled, Row& row) const;

  /// Whether the thread may, from where it stands on, do one of the atoms.
  [[nodiscard]] bool meets(const std::uint8_t* state, ir::ThreadId thread, const Row& row) const;

  /// Whether the thread may, from where it stands on, use the object like that.
  [[nodiscard]] bool may(const std::uint8_t* state, ir::ThreadId thread, KeyUse use) const;

  /// For conditions that a thread waits for: `use` of the object, or of what stands for it.
  [[nodiscard]] KeyUse key(ir::ObjectId object, Use use) const {
    return {Keys::of(representative(object)), use};
  }
  [[nodiscard]] KeyUse wait_set(ir::ObjectId lock, Use use) const {
    return {keys_.wait_set(representative(lock)), use};
  }

 private:
  using AtomNumber = std::uint32_t;
  enum class Mode : std::uint8_t { Strict, Enabled, Owned };

  struct OfThread {
    std::vector<std::vector<AtomNumber>> next;  // by location: about to do
    std::vector<Row> future;                    // by location
    std::vector<bool> is_simple;                // by location: the operation is one, and no try
  };

  [[nodiscard]] ir::ObjectId representative(ir::ObjectId object) const {
    return merged_ ? system_.groups[system_.objects[object].group].first : object;
  }
  void find_kept_locks(const ir::StaticFacts& facts);
  void uses_of(ir::ThreadId thread, ir::Atom atom, std::vector<KeyUse>& out) const;
  [[nodiscard]] std::vector<KeyUse> uses_of(ir::ThreadId thread,
                                            const std::vector<ir::Atom>& atoms) const;
  void number_atoms(const ir::Accesses& accesses);
  [[nodiscard]] AtomNumber number(KeyUse use) const;
  [[nodiscard]] bool conflict(KeyUse mine, KeyUse theirs, Mode mode) const;
  void add_conflicts(Row& row, AtomNumber atom, Mode mode) const;
  [[nodiscard]] bool is_excluded(const std::uint8_t* state, ir::ThreadId thread, KeyUse use,
                                 const std::uint64_t* acquiring) const;

  const ir::System& system_;
  const ir::Layout& layout_;
  Scope scope_;
  const CandidateLocks* candidates_;
  Watched watched_;
  Keys keys_;
  bool merged_ = false;
  IdVector<ir::ThreadId, std::vector<bool>> keeps_;  // by lock number
  IdVector<ir::ObjectId, std::vector<ir::ObjectId>> protection_;
  std::vector<KeyUse> atoms_;  // sorted
  std::size_t words_ = 0;
  mutable std::vector<Row> rows_[3];  // by mode and atom; empty until they are asked for
  IdVector<ir::ThreadId, OfThread> threads_;
  mutable std::vector<std::uint64_t> held_;
  mutable std::vector<std::uint64_t> acquiring_;
};

}  // namespace cml::checker
