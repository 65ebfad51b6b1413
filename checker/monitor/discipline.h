// The lock discipline MLD′ (docs/reference.md, "The lock discipline"; Stoller's framework sections
// 3 and 9): every shared object is protected by one lock, or never written once it is initialised.
//
// For each shared object there are `candidates`, the locks held at every access that counts, and
// `written`. Each access by τ: candidates ∩= held(τ); a write sets `written`; a violation when
// written and candidates = ∅. Accesses in the initialisation window do not count
// (ir/exec/execution.cpp decides that, the status is part of the state). What a pending guard reads
// counts as an access in every state in which it is pending.
//
//   global         one lock in all executions: candidates and `written` are accumulated over the
//                  search, and never undone
//   per-execution  MLD′ as defined: they belong to the path, so they are stored with the state
//
// What depends on the heap is per execution in both forms: fields of classes, and objects that are
// perhaps accessed under a lock of an object. An object of the heap is another one in another
// execution, so nothing can be accumulated for it.
//
//     stored state, per-execution:  │ state … │ object a: written, candidates… │ object b … │
//
// Objects whose protection is proved before the search (static_discipline.h) take no bytes. An
// access at which the locks held are known before the search adds the same to the table each time,
// so it is processed once (ir/exec/observations.h). `guarded by` and `init by` are checked here as
// well.
//
// Where data races are looked for instead (race_monitor.h), an object without a common lock is no
// violation: then the search needs to follow it (followed_objects.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/candidate_locks.h"
#include "checker/kept_sets.h"
#include "checker/monitor/finding.h"
#include "checker/monitor/followed_objects.h"
#include "checker/monitor/lock_relations.h"
#include "checker/monitor/monitor.h"
#include "checker/monitor/static_discipline.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/result.h"
#include "ir/analysis/held_locks.h"
#include "ir/exec/observations.h"
#include "ir/exec/step.h"

namespace cml::checker {

class DisciplineMonitor final : public CandidateLocks {
 public:
  /// All must outlive it.
  DisciplineMonitor(ir::Step& step, Discipline form, const StaticDiscipline& statics,
                    const ir::HeldLocks& held, const ir::Observations& observations,
                    const FollowedObjects& followed);

  /// Objects whose candidates are stored with each state.
  [[nodiscard]] static IdVector<ir::ObjectId, bool> kept_in_state(const ir::System& system,
                                                                  Discipline form,
                                                                  const StaticDiscipline& statics,
                                                                  const ir::HeldLocks& held);
  /// For each of them a byte (it was written), and a set of locks.
  [[nodiscard]] KeptSets kept() const;

  /// Bytes that are stored behind each state.
  [[nodiscard]] std::size_t state_bytes() const override { return state_bytes_; }
  /// `extra`: those bytes, for the initial state.
  void initial(std::uint8_t* extra) const;

  /// Processes a transition. `extra` belongs to the state after it.
  void transition(const ir::Record& record, std::uint8_t* extra, const Where& where);
  /// Processes what the guards that are pending in a state read.
  void guards(const std::uint8_t* state, std::uint8_t* extra, const Where& where);
  [[nodiscard]] bool has_guards() const { return !waits_at_guards_.empty(); }

  /// Candidates are intersected. The accesses that removed candidates are kept from both.
  void join(const DisciplineMonitor& other);
  /// After a join: reports objects whose candidates only both together have emptied (form
  /// `global`).
  void report_broken(Findings& findings);

  /// Candidates, for the reductions: an object that is not checked allows everything.
  [[nodiscard]] bool allows(const std::uint8_t* extra, ir::ObjectId object, bool is_write,
                            const std::uint64_t* held) const override;
  [[nodiscard]] std::uint64_t version() const override { return version_; }

  /// `has_race`: of an object, where races are looked for.
  using HasRace = std::function<bool(ir::ObjectId)>;
  [[nodiscard]] std::vector<DisciplineEntry> table(bool complete,
                                                   const HasRace& has_race = {}) const;
  /// A violation of the discipline, or of a declared initialisation, was found.
  [[nodiscard]] bool is_broken() const;
  /// Locks held where the guard of an `await` or a block read a shared object before it was
  /// enabled.
  [[nodiscard]] const std::vector<std::uint64_t>& used_locks() const { return used_locks_; }
  [[nodiscard]] bool is_unshared(ir::ObjectId id) const { return statics_.is_unshared(id); }
  [[nodiscard]] bool has_proved_claim(ir::ObjectId id) const {
    return statics_.has_proved_claim(id);
  }
  /// The search contradicts the static analyses: two threads accessed an object that only one can
  /// reach, or a proved object violates the discipline.
  [[nodiscard]] bool contradiction() const { return contradiction_; }

 private:
  /// An access that removed candidates, or the first write.
  struct Shrink {
    DisciplineAccess access;
    std::uint32_t rank = 0;  // of those that one search has seen
  };
  struct Candidates {
    std::vector<std::uint64_t> locks;
    /// How the locks left are related to each object that was written (kept in the state).
    std::vector<std::uint64_t> relations;
    bool written = false;
    bool broken = false;
    bool guard_broken = false;
    bool is_followed = false;                // where races are looked for: needs no lock
    ir::ThreadId user;                       // of the last access
    std::optional<std::size_t> state_bytes;  // kept in the state: where its part of them begins
    std::vector<Shrink> shrinks;

    [[nodiscard]] std::vector<DisciplineAccess> accesses() const;
    void join(const Candidates& other);
  };
  void init_order(const ir::Record& record, const Where& where);
  /// The place is another object's from now on.
  void forget(ir::ObjectId instance, std::uint8_t* extra) const;
  /// The locks that mean the same in every execution: those of no object, and, as if it was at
  /// place 0, those of the object that the field is of.
  const std::uint64_t* lasting(ir::ObjectId object, const std::uint64_t* held);
  void record_accesses(const ir::Record& record, bool pending, std::uint8_t* extra,
                       const Where& where);
  void access(const ir::Touch& touch, ir::ThreadId thread, const std::uint64_t* held, bool pending,
              std::uint8_t* extra, const Where& where);
  /// Those of the locks that protect one object, as they are now.
  void relate(Candidates& candidates, const std::uint8_t* bytes, const ir::Object& object);
  /// Updates one candidate set; true if the discipline is broken now.
  bool update(std::uint8_t* bytes, const std::uint64_t* held, bool is_write) const;
  [[nodiscard]] std::vector<ir::ObjectId> locks(const std::uint64_t* set) const;
  [[nodiscard]] Finding finding(ViolationKind kind, ir::ObjectId object, ir::ThreadId thread,
                                ir::Pc pc) const;
  /// Whether the access was processed before in the same way.
  [[nodiscard]] bool is_known(const ir::Touch& touch, ir::ThreadId thread,
                              const std::uint64_t* held);
  [[nodiscard]] std::string name_of(ir::ObjectId id) const;
  [[nodiscard]] DisciplineEntry discipline_row(ir::ObjectId id, bool complete,
                                               const HasRace& has_race) const;
  void race_row(ir::ObjectId id, DisciplineEntry& row) const;

  ir::Step& step_;
  const ir::System& system_;
  const ir::Layout& layout_;
  Discipline form_;
  const StaticDiscipline& statics_;
  const ir::Observations& observations_;
  std::vector<bool> is_processed_;                              // by number of observations_
  std::vector<ir::ObjectId> owned_;                             // scratch
  IdVector<ir::ObjectId, std::optional<std::uint32_t>> index_;  // of objects that are checked
  LockRelations relations_;
  std::vector<std::uint64_t> related_;  // scratch
  std::size_t lock_bytes_ = 0;
  std::size_t state_bytes_ = 0;
  std::vector<Candidates> global_;      // by index
  std::vector<std::uint64_t> lasting_;  // scratch
  bool has_locks_of_heap_ = false;
  std::uint64_t version_ = 0;  // how often one of them became smaller, or was first written
  IdVector<ir::ObjectId, bool> init_order_broken_;
  std::vector<ir::ThreadId> waits_at_guards_;  // threads that have guards
  std::vector<std::uint64_t> used_locks_;
  std::vector<std::uint64_t> protecting_;  // scratch
  bool contradiction_ = false;
  ir::Record record_;
};
static_assert(Monitor<DisciplineMonitor>);

}  // namespace cml::checker
