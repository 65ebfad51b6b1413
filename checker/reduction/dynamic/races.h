// The races of an operation with the execution before it (Abdulla, Aronis, Jonsson, Sagonas,
// "Source Sets", JACM 2017, §4): events that it conflicts with, that do not happen before it for
// another reason, and that it could have come before.
//
//   execution   … e ……… f …… │ q        q conflicts with e and f
//
//   e and f are in a race with q, unless e happens before f: then e is met again where q comes
//   before f.
//
// An operation that can be blocked may not be possible before e. What took the lock before it is in
// a race with an acquire, what freed it is not: it does not hide what is before it either. Where it
// is not certain that e did so (a try, a case of a select, a block), the state before it decides.
// The operation of a thread that is blocked where an execution ends has races as if it were
// executed there: what came first has kept it from it.
//
// What is not known without a state is decided by the states of the path:
//
//   another conflict between e and q that does not depend     all that was enabled before e must
//   on e (a guard over several objects)                       be explored there
//   the thread was at this operation before e                 it was enabled there, or not
//   it came to it between e and q                             as if it were possible, and as if
//                                                             it were not
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/reduction/dynamic/conflict_table.h"
#include "checker/reduction/dynamic/partial_order.h"

namespace cml::checker {

struct Race {
  enum class Cure : std::uint8_t {
    Reverse,  // what does not happen after `event`, and then the operation
    Expand,   // all that is enabled before `event`
  };
  EventNumber event = 0;
  Cure cure = Cure::Reverse;
  bool is_certain = false;  // that the operation was possible before the event
};

/// Whether threads had an enabled action before an event.
class EnabledBefore {
 public:
  EnabledBefore() = default;
  EnabledBefore(const EnabledBefore&) = delete;
  EnabledBefore& operator=(const EnabledBefore&) = delete;
  virtual ~EnabledBefore() = default;
  [[nodiscard]] virtual bool was_enabled(EventNumber event, ir::ThreadId thread) const = 0;
};

class Races {
 public:
  /// All must outlive it.
  Races(const PartialOrder& order, ConflictTable& conflicts, const EnabledBefore& enabled)
      : order_(order),
        conflicts_(conflicts),
        enabled_(enabled),
        past_(order.threads()),
        covered_(order.threads()),
        clock_(order.threads()) {}

  /// The races of the thread's next operation, from the last event to the first. `only_last`: none
  /// before the first that certainly can be reversed.
  [[nodiscard]] std::span<const Race> find(ir::ThreadId thread, SummaryId operation,
                                           Blocking blocking, bool only_last);
  /// What happens before that operation.
  [[nodiscard]] PartialOrder::ConstClock clock() const { return clock_; }

 private:
  enum class Order : std::uint8_t { Possible, Impossible, Unknown, Expand };
  [[nodiscard]] Order reversed(EventNumber event, Conflict conflict, ir::ThreadId thread,
                               Blocking blocking) const;

  const PartialOrder& order_;
  ConflictTable& conflicts_;
  const EnabledBefore& enabled_;
  std::vector<EventNumber> past_;     // the clock of what the thread has done before
  std::vector<EventNumber> covered_;  // and of all that is in a race and can be reversed
  std::vector<EventNumber> clock_;
  std::vector<EventNumber> met_;  // conflicts, the last first
  std::vector<Race> races_;
};

}  // namespace cml::checker
