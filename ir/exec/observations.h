// What a transition can tell that is the same each time it is told, numbered, with a flag for each:
// recorded. Who listens to a Step (the monitors) sets the flags; native code may leave out what was
// recorded, so that in a long search nearly all transitions tell nothing at all.
//
//   instruction of a thread                        what its touches tell, and how often
//   ─────────────────────────────────────────────────────────────────────────────────────────────
//   mark                                           that its point was reached: once
//   acquire, release, held, …                      nothing to those who listen: never
//   wait, notify                                   that the lock is of use: once for each lock
//   access to a shared object                      these locks protect it: once for each object
//   access to an atomic, semaphore, channel;       these locks are held: once
//   select
//   assertion that fails                           that it does: once
//   arrival at an acquire                          these locks are held: once for each lock
//   arrival at the end                             nothing, where no lock can be held there
//
// "These locks" are known before the search (HeldLocks), or as soon as some slots are that chose
// them: then there is a number for each of the values of these. Where neither is so, it is always
// told. In a thread with instructions at which the locks are not just those known before the
// search, the listener follows them through transitions of several operations; so all that take or
// free a lock are told there. Always told are accesses to objects of which the listener keeps a
// record in each state, and to those with a window of initialisation, too.
//
//   with account[from] { with account[to] { balance[to] = … } }
//
//   number of the write = first + to + 8 × (from + 8 × to)      of 8 accounts
//
// Generated code computes it from the slots. A listener knows which locks are held, so it hears all
// the numbers that mean these: what is told is the same.
//
// Not for listeners that want to know what each transition did (sleep sets).
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

  /// What the touches of an instruction tell. Object `base` + i × `stride` has number `first` + i,
  /// plus what the slots choose; with stride 0 all objects have the same number.
  struct Touches {
    static constexpr Number kAlways = UINT32_MAX;  // as `first`: tell them always
    Number first = kAlways;
    std::uint32_t base = 0;
    std::uint32_t stride = 0;
    std::uint32_t count = 1;  // of objects that have numbers of their own
    /// Slots that choose locks: value i of the slot adds i × `factor`.
    struct Choice {
      ChosenLock lock;
      Number factor = 1;
    };
    std::vector<Choice> choices;
    Number all = 1;  // numbers in all
    /// The locks that are held whatever is chosen; where nothing is, it does not matter.
    std::vector<ObjectId> certain;

    [[nodiscard]] bool are_numbered() const { return first != kAlways; }
    /// Where nothing is chosen.
    [[nodiscard]] Number number(ObjectId object) const {
      return stride == 0 ? first : first + (object.index - base) / stride;
    }
    /// Calls `use(Number)` for all that mean the object and these locks.
    template <class Use>
    void for_each_number(ObjectId object, const std::vector<ObjectId>& held, Use use) const {
      if (choices.empty()) return use(number(object));
      if (held.size() > kMaxHeld) return;  // then it is always told
      std::uint64_t explained = 0;         // by position in `held`
      for (std::size_t i = 0; i < held.size(); ++i)
        if (std::binary_search(certain.begin(), certain.end(), held[i]))
          explained |= std::uint64_t{1} << i;
      choose(0, number(object), explained, held, use);
    }

   private:
    static constexpr std::size_t kMaxHeld = 63;
    /// Every choice is one of the locks, and every lock is certain or chosen.
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

  /// `in_state`: the listener keeps a record of the object in each state. `joins`: a transition may
  /// be several micro-transitions.
  Observations(const System& system, const HeldLocks& held,
               const IdVector<ObjectId, bool>& in_state, bool joins);

  [[nodiscard]] Number of(PointId point) const { return 1 + point.index; }
  [[nodiscard]] const Touches& touches(ThreadId thread, Pc pc) const {
    return touches_[thread][pc];
  }

  /// What it tells that the thread has come there.
  [[nodiscard]] const Touches& arrival(ThreadId thread, Location location) const {
    return arrivals_.at(thread, location);
  }

  /// Of the failure of an assertion; of any other violation, Touches::kAlways.
  [[nodiscard]] Number of(const System& system, const Event& event) const;

  [[nodiscard]] bool is_heard(Number number) const { return recorded_[number] != 0; }
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
  /// One for each object of `each`, and for all that may be held there, if `held`.
  Touches new_numbers(const Place* each, const At* held);
  [[nodiscard]] static Touches end(const HeldLocks& held, ThreadId thread, const Code& code);
  [[nodiscard]] Touches arrival(const At& at);

  IdVector<ThreadId, std::vector<Touches>> touches_;
  ByLocation<Touches> arrivals_;
  std::vector<std::uint8_t> recorded_;
};

}  // namespace cml::ir
