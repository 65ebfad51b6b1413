// What a transition can tell that is the same each time it is told, numbered, with a flag for each:
// heard. Who listens to a Step (the monitors) sets the flags; native code may leave out what was
// heard, so that in a long search nearly all transitions tell nothing at all.
//
//   instruction of a thread                        what its touches tell, and how often
//   ─────────────────────────────────────────────────────────────────────────────────────────────
//   mark                                           that its point was reached: once
//   acquire, release, held, …                      nothing to those who listen: never
//   wait, notify                                   that the lock is of use: once for each lock
//   access to a shared object                      these locks protect it: once for each object
//   access to an atomic, semaphore, channel;       these locks are held: once
//   select
//   arrival at an acquire                          these locks are held: once for each lock
//   arrival at the end                             nothing, where no lock can be held there
//
// That holds for instructions at which the locks held are known exactly before the search
// (HeldLocks). Others are always told; in a thread that has such, so are all that take or free a
// lock where more operations can follow in the same transition, since the listener follows the
// locks through the transition there. Always told are accesses to objects of which the listener
// keeps a record in each state, and to those with a window of initialisation, too.
//
// Not for listeners that want to know what each transition did (sleep sets).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "ir/by_location.h"
#include "ir/system.h"

namespace cml::ir {

class News {
 public:
  using Number = std::uint32_t;

  /// What the touches of an instruction tell. Object `base` + i × `stride` has number `first` + i;
  /// with stride 0 all objects have the number `first`.
  struct Touches {
    static constexpr Number kAlways = UINT32_MAX;  // as `first`: tell them always
    Number first = kAlways;
    std::uint32_t base = 0;
    std::uint32_t stride = 0;
    std::uint32_t count = 1;  // of numbers

    [[nodiscard]] bool are_numbered() const { return first != kAlways; }
    [[nodiscard]] Number number(ObjectId object) const {
      return stride == 0 ? first : first + (object.index - base) / stride;
    }
  };

  /// `in_state`: the listener keeps a record of the object in each state. `joins`: a transition may
  /// be several micro-transitions.
  News(const System& system, const HeldLocks& held, const IdVector<ObjectId, bool>& in_state,
       bool joins);

  [[nodiscard]] Number of(PointId point) const { return 1 + point.index; }
  [[nodiscard]] const Touches& touches(ThreadId thread, Pc pc) const {
    return touches_[thread][pc];
  }

  /// What it tells that the thread has come there.
  [[nodiscard]] const Touches& arrival(ThreadId thread, Location location) const {
    return arrivals_.at(thread, location);
  }

  [[nodiscard]] bool is_heard(Number number) const { return heard_[number] != 0; }
  void hear(Number number) { heard_[number] = 1; }
  /// A flag for each number.
  [[nodiscard]] const std::vector<std::uint8_t>& heard() const { return heard_; }

 private:
  [[nodiscard]] Touches number(const System& system, const Instruction& instruction,
                               bool locks_are_followed, const IdVector<ObjectId, bool>& in_state);
  Touches new_numbers(const Place* each);
  [[nodiscard]] static Touches end(const HeldLocks& held, ThreadId thread, const Code& code);
  [[nodiscard]] Touches arrival(const HeldLocks& held, ThreadId thread, Pc pc,
                                const Instruction& instruction);

  IdVector<ThreadId, std::vector<Touches>> touches_;
  ByLocation<Touches> arrivals_;
  std::vector<std::uint8_t> heard_;
};

}  // namespace cml::ir
