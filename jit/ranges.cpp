// Intervals of expressions, each computed once.
#include "jit/ranges.h"

namespace cml::jit {

const Interval& Ranges::of(ir::ExprId id) {
  const auto known = known_.find(id.index);
  if (known != known_.end()) return known->second;
  const Interval interval = ir::interval(
      system_, id, slots_.size(), [this](ir::ExprId part) { return of(part); },
      [this](ir::Slot slot) {
        return Interval{slots_[slot].lo, slots_[slot].hi, false};
      });
  return known_.emplace(id.index, interval).first->second;
}

std::uint32_t Ranges::count(const ir::Expr& local_at) const {
  return ir::chosen_among(system_, local_at, slots_.size());
}

}  // namespace cml::jit
