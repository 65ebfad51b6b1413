// One-shot probes. Most of what a record tells the monitors is the same each time a transition is
// executed: this statement was reached, this object was accessed under these locks. Such an
// observation has a number and a flag: recorded. The monitors set the flags; native code may leave
// out of its records what was recorded, so that in a long search nearly all records are empty.
//
//   instruction of a thread                   what it observes, and how often that is new
//   ─────────────────────────────────────────────────────────────────────────────────────────────
//   mark                                      its point is reached: once
//   acquire, release, held, …                 nothing that the monitors use: never
//   wait, notify                              the wait set of the lock is used: once for each lock
//   access to a shared object                 these locks protect it: once for each object
//   access to an atomic, semaphore, channel,  these locks are held: once
//   condition; select
//   assertion that fails                      it fails: once
//   arrival at an acquire                     these locks are held: once for each lock
//   arrival at the end                        nothing, where no lock can be held there
//
// "These locks" are known before the search (HeldLocks), or determined by the slots that selected
// them: then there is a number for each combination of values of these slots. Where neither holds,
// the observation has no number and is part of every record. In a thread with instructions at which
// the locks are not just those known before the search, the monitors follow the locks through
// transitions of several operations, and of one and the objects that are made behind it; there, all
// operations that take or free a lock are in every record. So are accesses to objects whose
// candidate locks are part of the state. What an initialisation window lets count has a number, for
// the monitors; generated code cannot leave it out, since the status of the window decides.
//
//   with account[from] { with account[to] { balance[to] = … } }
//
//   number of the write = first + to + 8 × (from + 8 × to)      with 8 accounts
//
// Generated code computes the number from the slots. The monitors know the locks that are held, not
// the slots, so they record all numbers that stand for these locks: all mean the same observation.
//
// Cannot be used where each transition's record must be complete (sleep sets).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::ir {

class Observations {
 public:
  using Number = std::uint32_t;

  /// The numbers of what an instruction observes. Object `base` + i × `stride` has number `first` +
  /// i, plus what the slots select; with stride 0 all objects have the same number.
  struct Touches {
    static constexpr Number kAlways = UINT32_MAX;  // as `first`: part of every record
    Number first = kAlways;
    std::uint32_t base = 0;
    std::uint32_t stride = 0;
    std::uint32_t count = 1;  // of objects that have numbers of their own
    /// Slots that select locks: value i of the slot adds i × `factor`.
    struct Choice {
      ChosenLock lock;
      Number factor = 1;
    };
    std::vector<Choice> choices;
    Number all = 1;  // how many numbers
    /// The locks that are held whatever the slots select; unused where there are no `choices`.
    std::vector<ObjectId> certain;

    [[nodiscard]] bool are_numbered() const { return first != kAlways; }
    /// The number where there are no `choices`.
    [[nodiscard]] Number number(ObjectId object) const {
      return stride == 0 ? first : first + (object.index - base) / stride;
    }
    /// Calls `use(Number)` for all numbers that stand for the object and these locks.
    template <class Use>
    void for_each_number(ObjectId object, const std::vector<ObjectId>& held, Use use) const {
      if (choices.empty()) return use(number(object));
      if (held.size() > kMaxHeld) return;  // never recorded, so part of every record
      std::uint64_t explained = 0;         // by position in `held`
      for (std::size_t i = 0; i < held.size(); ++i)
        if (std::binary_search(certain.begin(), certain.end(), held[i]))
          explained |= std::uint64_t{1} << i;
      choose(0, number(object), explained, held, use);
    }

   private:
    static constexpr std::size_t kMaxHeld = 63;
    /// Every choice selects one of the locks, and every lock is certain or selected.
    template <class Use>
    void choose(std::size_t choice, Number number, std::uint64_t explained,
                const std::vector<ObjectId>& held, Use& use) const {
      if (choice == choices.size()) {
        if (explained == (std::uint64_t{1} << held.size()) - 1) use(number);
        return;
      }
      const Place& place = choices[choice].lock.place;
      for (std::size_t i = 0; i < held.size(); ++i) {
        const std::uint32_t distance = held[i].index - place.base.index;
        const std::uint32_t value = distance / place.stride;
        if (distance % place.stride != 0 || value >= place.count) continue;
        choose(choice + 1, number + value * choices[choice].factor,
               explained | std::uint64_t{1} << i, held, use);
      }
    }
  };

  /// `in_state`: the candidate locks of the object are part of the state. `joins`: a transition may
  /// be several micro-transitions.
  Observations(const System& system, const HeldLocks& held,
               const IdVector<ObjectId, bool>& in_state, bool joins);

  [[nodiscard]] Number of(PointId point) const { return 1 + point.index; }
  [[nodiscard]] const Touches& touches(ThreadId thread, Pc pc) const {
    return touches_[thread][pc];
  }

  /// What is observed when the thread arrives at a location.
  [[nodiscard]] const Touches& arrival(ThreadId thread, Location location) const {
    return arrivals_.at(thread, location);
  }

  /// The number of a failing assertion; of any other violation, Touches::kAlways.
  [[nodiscard]] Number of(const System& system, const Event& event) const;

  [[nodiscard]] bool is_recorded(Number number) const { return recorded_[number] != 0; }
  void record(Number number) { recorded_[number] = 1; }
  /// A flag for each number.
  [[nodiscard]] const std::vector<std::uint8_t>& recorded() const { return recorded_; }

 private:
  /// Where an instruction is.
  struct At {
    const System& system;
    const HeldLocks& held;
    ThreadId thread;
    Pc pc = 0;
  };
  [[nodiscard]] Touches number(const At& at, bool locks_are_followed,
                               const IdVector<ObjectId, bool>& in_state);
  /// A number for each object of `each` and, if `held`, each set of locks that may be held there.
  Touches new_numbers(const Place* each, const At* held);
  [[nodiscard]] static Touches end(const HeldLocks& held, ThreadId thread, const Code& code);
  [[nodiscard]] Touches arrival(const At& at);

  IdVector<ThreadId, std::vector<Touches>> touches_;
  ByLocation<Touches> arrivals_;
  std::vector<std::uint8_t> recorded_;
};

}  // namespace cml::ir
