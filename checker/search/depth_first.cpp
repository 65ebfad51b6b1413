#include "checker/search/depth_first.h"

#include <optional>

#include "checker/search/make_reduction.h"
#include "support/mutation.h"

namespace cml::checker {

template <StateCodec Codec>
DepthFirst<Codec>::DepthFirst(const SearchInput& input, Codec codec)
    : Search(input),
      reduction_(make_reduction(input, budget_)),
      store_(std::move(codec), 1, budget_),
      keeps_ancestry_(options_.hang_check),
      known_(options_),
      sees_cycles_(!input.options.reduction.any()) {}

template <StateCodec Codec>
void DepthFirst<Codec>::run() {
  explorer_.start();
  const StateNumber first = store_.find_or_put(explorer_.reached()).number;
  if (limits_.stopped()) return;
  reduction_->stored(first);
  if (keeps_ancestry_) ancestry_.add({}, {});
  known_.add();
  push_new(first, {});
  while (!frames_.empty() && !limits_.stopped()) {
    if (const std::optional<ir::Action> action = reduction_->next(frames_.size() - 1)) {
      step(*action);
    } else {
      pop();
    }
  }
}

template <StateCodec Codec>
void DepthFirst<Codec>::push_new(StateNumber state, ir::ThreadId moved) {
  frames_.push_back({state, {}, chain_.size()});
  limits_.reached_depth(frames_.size() - 1);
  load(state);
  const std::span<const ir::Action> enabled = explorer_.enabled_in_new(moved);
  reduction_->entered(frames_.size() - 1, {explorer_.state(), state}, enabled);
}

template <StateCodec Codec>
void DepthFirst<Codec>::push_again(StateNumber state) {
  frames_.push_back({state, {}, chain_.size()});
  limits_.reached_depth(frames_.size() - 1);
  load(state);
  reduction_->entered(frames_.size() - 1, {explorer_.state(), state, true}, explorer_.enabled());
}

template <StateCodec Codec>
void DepthFirst<Codec>::pop() {
  chain_.resize(frames_.back().chain);
  reduction_->left(frames_.size() - 1);
  frames_.pop_back();
}

template <StateCodec Codec>
void DepthFirst<Codec>::step(ir::Action action) {
  const Depth depth = frames_.size() - 1;
  Frame& top = frames_.back();
  top.taken = action;
  chain_.resize(top.chain);
  load(top.state);
  explorer_.fire(action);
  reduction_->executed(depth, action, explorer_.transition());
  if (!sees_cycles_) explorer_.check_divergence(explorer_.reached(), action);
  budget_.make_room(chain_, options_.reduction.longest_chain);
  const ir::ThreadId moved = pass_through(action.thread);
  const StateSet::Hash hash = store_.prepare(0, explorer_.reached());
  if (store_.size() >= options_.limits.max_states && !store_.find(0, explorer_.reached(), hash))
    return limits_.end_at_states();
  const StateSet::Inserted reached = store_.find_or_put(0, explorer_.reached(), hash);
  const bool too_deep = frames_.size() > options_.limits.max_depth;
  if (reached.is_new) {
    reduction_->stored(reached.number);
    if (keeps_ancestry_) ancestry_.add({top.state, action}, std::span(chain_).subspan(top.chain));
    known_.add();
    if (too_deep) return limits_.leave_out("max-depth");
    return push_new(reached.number, moved);
  }
  known_.saw(top.state, reached.number);
  if (sees_cycles_) explorer_.check_divergence(explorer_.reached(), action);
  if (!reduction_->matched(depth, reached.number)) return;
  if (too_deep) return limits_.leave_out("max-depth");
  push_again(reached.number);
}

template <StateCodec Codec>
ir::ThreadId DepthFirst<Codec>::pass_through(ir::ThreadId moved) {
  for (std::size_t length = 0; length < options_.reduction.longest_chain; ++length) {
    if (!reduction_->passes_through() || limits_.stopped() || store_.contains(explorer_.reached()))
      return moved;
    explorer_.swap();
    const std::span<const ir::Action> enabled =
        CML_MUTATION("states-passed-through-are-not-shown-depth-first")
            ? explorer_.enabled()
            : explorer_.enabled_in_new(moved);
    const std::optional<ir::Action> action =
        reduction_->only({explorer_.state(), std::nullopt}, enabled);
    if (action) {
      chain_.push_back(*action);
      explorer_.fire(*action);
      const Transition transition = explorer_.transition();
      if (!reduction_->must_stop(transition, *action)) {
        moved = action->thread;
        explorer_.check_divergence(explorer_.reached(), *action);
        continue;
      }
      // The state must be expanded fully, so it is one to store.
      chain_.pop_back();
    }
    explorer_.swap();
    return moved;
  }
  return moved;
}

template <StateCodec Codec>
Path DepthFirst<Codec>::path() const {
  Path result;
  budget_.make_room(result, frames_.size() + chain_.size());
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    if (!frame.taken.thread.valid()) continue;
    result.push_back(frame.taken);
    const std::size_t end = i + 1 < frames_.size() ? frames_[i + 1].chain : chain_.size();
    result.insert(result.end(), chain_.begin() + static_cast<std::ptrdiff_t>(frame.chain),
                  chain_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return result;
}

template <StateCodec Codec>
Statistics DepthFirst<Codec>::statistics() const {
  Statistics result = Search::statistics();
  result.reduction = reduction_->statistics();
  return result;
}

template <StateCodec Codec>
std::uint64_t DepthFirst<Codec>::memory() const {
  return store_.memory() + frames_.memory() + chain_.capacity() * sizeof(ir::Action) +
         reduction_->memory() + ancestry_.memory() + known_.memory();
}

template class DepthFirst<IdentityCodec>;
template class DepthFirst<PackingCodec>;
template class DepthFirst<HeapCodec>;

}  // namespace cml::checker
