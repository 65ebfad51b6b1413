// Which analysis needs which.
#include "ir/analysis/analyses.h"

namespace cml::ir {

Analyses::Analyses(const System& system, const StopToken& stop)
    : system_(system),
      stop_(stop),
      equal_slots_(system.threads.size()),
      ranges_(system.threads.size()) {}

const Visibility& Analyses::visibility() const {
  return visibility_.get([this] { return Visibility(system_); });
}

const EqualSlots& Analyses::equal_slots(ThreadId thread) const {
  return equal_slots_[thread.index].get(
      [&] { return EqualSlots(system_, system_.threads[thread].code); });
}

const ValueRanges& Analyses::ranges(ThreadId thread) const {
  return ranges_[thread.index].get(
      [&] { return ValueRanges(system_, system_.threads[thread].code, StopToken(stop_)); });
}

const HeldLocks& Analyses::held() const {
  return held_.get([this] {
    const auto equal = [this](ThreadId thread) -> const EqualSlots& { return equal_slots(thread); };
    return HeldLocks(system_, equal, StopToken(stop_));
  });
}

const Accesses& Analyses::accesses() const {
  return accesses_.get(
      [this] { return Accesses(system_, held(), visibility(), StopToken(stop_)); });
}

const Analyses::Protection& Analyses::protection() const {
  return protection_.get([this] { return certain_protection(system_, held()); });
}

}  // namespace cml::ir
