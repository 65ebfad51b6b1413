#include "checker/search/full.h"

#include <algorithm>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

template <StateCodec Codec>
Full<Codec>::Full(const SearchInput& input, Codec codec)
    : Search(input),
      store_(std::move(codec), kBatch, budget_),
      successors_(kBatch * explorer_.stride()) {}

template <StateCodec Codec>
void Full<Codec>::run() {
  explorer_.start();
  (void)store_.find_or_put(explorer_.reached());
  predecessors_.add({});
  if (options_.shortest) show_states();
  while (!CML_MUTATED("a-search-cut-short-is-complete", limits_.stopped(),
                      explorer_.monitors().enough())) {
    if (next_ == depth_end_) {
      if (!CML_MUTATION("depths-end-before-the-last-are-looked-up")) flush();
      if (waiting() == 0 || !begin_depth()) break;
    }
    visit(next_++);
  }
  flush();
}

template <StateCodec Codec>
bool Full<Codec>::begin_depth() {
  depth_end_ = store_.size();
  if (++depths_ >= options_.limits.max_depth) {
    limits_.leave_out("max-depth");
    return false;
  }
  limits_.reached_depth(depths_);
  if (options_.shortest) show_states();
  return true;
}

// A thread may diverge from a state on although the cycle is closed much later, by a thread that
// another one's write has made diverge, too.
template <StateCodec Codec>
void Full<Codec>::show_states() {
  for (StateNumber state = next_; state < depth_end_ && !limits_.stopped(); ++state) {
    load(state);
    (void)explorer_.enabled_in_new(moved_to(state));
    if (!explorer_.any_may_diverge()) continue;
    for (const ir::ThreadId thread : explorer_.step().system().threads.ids())
      explorer_.check_divergence(explorer_.state(), thread);
  }
}

template <StateCodec Codec>
void Full<Codec>::load(StateNumber state) {
  now_.state = state;
  store_.load(state, explorer_.state());
}

template <StateCodec Codec>
void Full<Codec>::visit(StateNumber state) {
  load(state);
  take_all(options_.shortest ? explorer_.enabled() : explorer_.enabled_in_new(moved_to(state)));
}

template <StateCodec Codec>
void Full<Codec>::take_all(std::span<const ir::Action> actions) {
  if (!actions.empty() && explorer_.monitors().enough() && limits_.stopped() &&
      !CML_MUTATION("goes-on-from-the-state-of-the-first-violation"))
    return;
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
inline void Full<Codec>::reach(const std::uint8_t* states, std::span<const ir::Action> actions) {
  Reached* reached = reached_.data() + reached_count_;
  std::size_t slot = reached_count_;
  for (const ir::Action action : actions) {
    *reached++ = {store_.prepare(slot++, states), {now_.state, action}};
    states += explorer_.stride();
  }
  reached_count_ += actions.size();
}

template <StateCodec Codec>
void Full<Codec>::flush() {
  std::array<const std::uint8_t*, kBatch> candidates;
  for (std::size_t i = 0; i < reached_count_; ++i)
    candidates[i] = store_.candidate(reached_[i].hash);
  const std::uint8_t* state = successors_.data();
  for (std::size_t i = 0; i < reached_count_; ++i, state += explorer_.stride()) {
    const Reached& reached = reached_[i];
    const bool is_known = store_.is_candidate(candidates[i], i, state);
    if (!is_known && store_.size() >= options_.limits.max_states &&
        !store_.find(i, state, reached.hash)) {
      limits_.end_at_states();
    } else if (!is_known && store_.find_or_put(i, state, reached.hash).is_new) {
      predecessors_.add(reached.by);
    } else if (explorer_.any_may_diverge()) {
      // A cycle may have been closed.
      const Predecessor now = std::exchange(now_, reached.by);
      firing_ = true;
      explorer_.check_divergence(state, reached.by.action.thread);
      firing_ = false;
      now_ = now;
    }
  }
  reached_count_ = 0;
}

template <StateCodec Codec>
Path Full<Codec>::path() const {
  Path result;  // backwards
  if (firing_) result.push_back(now_.action);
  for (StateNumber at = now_.state; at != 0; at = predecessors_[at].state)
    result.push_back(predecessors_[at].action);
  std::reverse(result.begin(), result.end());
  return result;
}

template class Full<IdentityCodec>;
template class Full<PackingCodec>;

}  // namespace cml::checker
