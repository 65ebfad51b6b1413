#include "checker/finding/last_order.h"

namespace cml::checker {

LastOrderOfTwo::LastOrderOfTwo(const ir::System& system, const ir::Layout& layout,
                               std::array<ir::ThreadId, 2> threads, std::size_t steps)
    : is_too_long_(steps > kMostSteps),
      order_(system, layout, IdVector<ir::ObjectId, bool>(system.objects.size(), false), 0,
             is_too_long_ ? 0 : steps),
      sets_(order_.bytes()) {
  if (!is_too_long_) order_.initial(sets_.data());
  for (std::size_t i = 0; i < 2; ++i)
    sides_[i].thread = threads[i];
}

void LastOrderOfTwo::see(const std::uint8_t* before, const ir::Record& record,
                         const std::uint8_t* after) {
  if (is_too_long_ || record.micros.empty()) return;
  const std::size_t step = steps_++;
  for (Side& side : sides_) {
    if (!ir::moves(record.micros[0].action, side.thread)) continue;
    order_.set_point(step, side.thread, sets_.data());
    side.steps.push_back(step);
  }
  order_.transition(before, record, after, sets_.data(), [](const RacingAccess&) {});
  for (std::size_t i = 0; i < 2; ++i) {
    Side& side = sides_[i];
    const ir::ThreadId other = sides_[1 - i].thread;
    std::size_t count = side.known ? *side.known + 1 : 0;
    while (count < side.steps.size() && order_.knows(other, side.steps[count], sets_.data()))
      ++count;
    if (count == (side.known ? *side.known + 1 : 0)) continue;
    side.known = count - 1;
    side.last = {side.steps[count - 1], step};
  }
}

}  // namespace cml::checker
