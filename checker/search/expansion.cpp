#include "checker/search/expansion.h"

#include <algorithm>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

template <StateCodec Codec>
Expansion<Codec>::Expansion(const Options& options, Explorer& explorer, SearchLimits& limits,
                            VisitedStates<Codec>& store, std::size_t first_slot,
                            Column<Predecessor>& predecessors, KnownSuccessors& known)
    : options_(options),
      explorer_(explorer),
      limits_(limits),
      store_(store),
      first_slot_(first_slot),
      predecessors_(predecessors),
      known_(known),
      successors_(kBatch * explorer_.stride()) {}

template <StateCodec Codec>
void Expansion<Codec>::take_all(StateNumber state, std::span<const ir::Action> actions) {
  if (!actions.empty() && explorer_.monitors().enough() && limits_.stopped() &&
      !CML_MUTATION("goes-on-from-the-state-of-the-first-violation"))
    return;
  now_.state = state;
  for (std::span<const ir::Action> left = actions; !left.empty();) {
    std::uint8_t* const successors = room();
    const std::size_t most = std::min(left.size(), kBatch - reached_count_);
    const std::size_t fired = explorer_.fire_all(explorer_.state(), left.first(most), successors);
    firing_ = true;
    const std::size_t shown = explorer_.show(explorer_.state(), fired, successors,
                                             [&](std::size_t i) { now_.action = left[i]; });
    firing_ = false;
    reach(successors, left.first(shown));
    left = left.subspan(shown);
    if (reached_count_ == kBatch) flush();
    if (!left.empty() && limits_.stopped()) return;
  }
}

template <StateCodec Codec>
inline void Expansion<Codec>::reach(const std::uint8_t* states,
                                    std::span<const ir::Action> actions) {
  Reached* reached = reached_.data() + reached_count_;
  std::size_t slot = first_slot_ + reached_count_;
  for (const ir::Action action : actions) {
    *reached++ = {store_.prepare(slot++, states), {now_.state, action}};
    states += explorer_.stride();
  }
  reached_count_ += actions.size();
}

template <StateCodec Codec>
void Expansion<Codec>::flush() {
  std::array<StateNumber, kBatch> likely;
  for (std::size_t i = 0; i < reached_count_; ++i)
    likely[i] = store_.likely(reached_[i].hash);
  const std::uint8_t* state = successors_.data();
  std::size_t slot = first_slot_;
  for (std::size_t i = 0; i < reached_count_; ++i, ++slot, state += explorer_.stride()) {
    const Reached& reached = reached_[i];
    StateSet::Inserted inserted{likely[i] - 1, false};
    if (!store_.is_state(likely[i], slot, state)) {
      if (store_.size() >= options_.limits.max_states && !store_.find(slot, state, reached.hash)) {
        limits_.end_at_states();
        continue;
      }
      inserted = store_.find_or_put(slot, state, reached.hash);
    }
    if (inserted.is_new) {
      predecessors_.add(reached.by);
      known_.add();
      continue;
    }
    known_.saw(reached.by.state, inserted.number);
    if (explorer_.any_may_diverge()) {
      // A cycle may have been closed.
      const Predecessor now = std::exchange(now_, reached.by);
      firing_ = true;
      explorer_.check_divergence(state, reached.by.action);
      firing_ = false;
      now_ = now;
    }
  }
  reached_count_ = 0;
}

template class Expansion<IdentityCodec>;
template class Expansion<PackingCodec>;
template class Expansion<HeapCodec>;

}  // namespace cml::checker
