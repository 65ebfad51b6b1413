#include "checker/reduction/dynamic/races.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::checker {

std::span<const Race> Races::find(ir::ThreadId thread, SummaryId operation, Blocking blocking,
                                  bool only_last) {
  races_.clear();
  met_.clear();
  order_.copy_clock(thread, past_);
  std::copy(past_.begin(), past_.end(), covered_.begin());
  std::copy(past_.begin(), past_.end(), clock_.begin());
  bool is_last_known = false;
  for (EventNumber event = order_.size(); event-- > 0;) {
    const std::uint32_t other = order_.thread(event);
    if (past_[other] > event) continue;
    const bool is_covered = covered_[other] > event || is_last_known;
    if (is_covered && clock_[other] > event && blocking != Blocking::Other) continue;
    const Conflict conflict = conflicts_.between(order_[event].summary, operation);
    if (conflict == Conflict::None) continue;
    if (conflict != Conflict::Freed || !CML_MUTATION("clock-not-joined-at-a-release"))
      PartialOrder::join(clock_, order_.clock(event));
    if (!is_covered) {
      const Order before = reversed(event, conflict, thread, blocking);
      if (before == Order::Expand) {
        races_.push_back({event, Race::Cure::Expand, false});
      } else if (before != Order::Impossible) {
        races_.push_back({event, Race::Cure::Reverse, before == Order::Possible});
      }
      if (before == Order::Possible) {
        PartialOrder::join(covered_, order_.clock(event));
        is_last_known = only_last;
      }
    }
    met_.push_back(event);
  }
  return races_;
}

Races::Order Races::reversed(EventNumber event, Conflict conflict, ir::ThreadId thread,
                             Blocking blocking) const {
  const bool is_first = order_.last(thread) == 0;
  if (is_first && !enabled_.was_enabled(event, thread) && blocking == Blocking::Never)
    return Order::Impossible;  // it was not spawned yet
  if (blocking == Blocking::Never) return Order::Possible;
  const PartialOrder::Locks locks = order_[event].locks;
  if (blocking == Blocking::Lock && conflict == Conflict::Freed && locks.frees)
    return CML_MUTATED("releases-are-in-a-race", Order::Impossible, Order::Possible);
  if (blocking == Blocking::Lock && conflict == Conflict::Taken && locks.takes && !is_first)
    return Order::Possible;
  const bool is_several = std::any_of(met_.begin(), met_.end(), [&](EventNumber later) {
    return !order_.happens_before(event, later);
  });
  if (is_several && !CML_MUTATION("no-other-conflict-in-between")) return Order::Expand;
  if (order_.last(thread) > event) return Order::Unknown;
  return enabled_.was_enabled(event, thread) ? Order::Possible : Order::Impossible;
}

}  // namespace cml::checker
