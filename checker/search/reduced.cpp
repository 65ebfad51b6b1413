#include "checker/search/reduced.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

template <StateCodec Codec>
Reduced<Codec>::Reduced(const SearchInput& input, Codec codec)
    : Search(input),
      reducer_(input.step, input.analyses, input.options, budget_, candidates(input)),
      store_(std::move(codec), kBatch, budget_),
      states_(kBatch * explorer_.stride()),
      links_(1),
      from_(explorer_.stride()) {}

template <StateCodec Codec>
void Reduced<Codec>::run() {
  explorer_.start();
  (void)store_.find_or_put(explorer_.reached());
  predecessors_.add({});
  chain_of_.add({0, 0});
  set_of_.add({});
  if (options_.shortest) show_states();
  while (!limits_.stopped()) {
    if (next_ == depth_end_) {
      end_batch();
      if (!begin_depth()) return;
    }
    visit(next_++);
    if (count_ >= kBatch / 2) end_batch();
  }
  end_batch();
}

template <StateCodec Codec>
bool Reduced<Codec>::begin_depth() {
  if (waiting() == 0) return false;
  depth_end_ = store_.size();
  if (++depths_ >= options_.limits.max_depth) {
    limits_.leave_out("max-depth");
    return false;
  }
  limits_.reached_depth(depths_);
  if (options_.shortest) show_states();
  return true;
}

template <StateCodec Codec>
void Reduced<Codec>::show_states() {
  for (StateNumber state = next_; state < depth_end_ && !limits_.stopped(); ++state) {
    load(state);
    (void)explorer_.enabled_in_new(moved_to(state));
  }
}

template <StateCodec Codec>
void Reduced<Codec>::load(StateNumber state) {
  now_.state = state;
  firing_ = false;
  now_chain_ = 0;
  store_.load(state, explorer_.state());
}

template <StateCodec Codec>
ir::ThreadId Reduced<Codec>::moved_to(StateNumber state) const {
  if (state == 0) return {};
  const Chain& chain = chain_of_[state];
  if (chain.length() > 0) return chains_[chain.begin() + chain.length() - 1].thread;
  return predecessors_[state].action.thread;
}

// ---- expanding ---------------------------------------------------------------------------------

template <StateCodec Codec>
void Reduced<Codec>::visit(StateNumber state) {
  load(state);
  const std::span<const ir::Action> actions =
      options_.shortest ? explorer_.enabled() : explorer_.enabled_in_new(moved_to(state));
  Origin origin;
  origin.state = state;
  origin.taken = taken_.size();
  // Where sets leave out too little to be worth their computation, what is reached is stored as it
  // is.
  const bool has_set = !options_.composes() || reducer_.wants_set();
  if (reducer_.version() != sets_version_) {
    sets_version_ = reducer_.version();
    sets_are_of_ = static_cast<StateNumber>(store_.size());
  }
  if (has_set && set_of_[state].valid() &&
      (state >= sets_are_of_ || CML_MUTATION("stored-sets-outlive-candidates"))) {
    origin.is_reduced = reducer_.choose_again(set_of_[state], actions, taken_).leaves_some;
  } else if (has_set) {
    origin.is_reduced =
        reducer_.choose(explorer_.state(), actions, SleepSets::empty(), taken_).leaves_some;
  } else {
    taken_.insert(taken_.end(), actions.begin(), actions.end());
  }
  origin.taken_end = taken_.size();
  origin_ = static_cast<std::uint32_t>(origins_.size());
  origins_.push_back(origin);
  ir::copy_stride(explorer_.state(), explorer_.stride(), from_.data());
  passes_through_ = has_set;
  take(origin.taken, origin.taken_end);
}

template <StateCodec Codec>
void Reduced<Codec>::take(std::size_t begin, std::size_t end) {
  while (begin < end) {
    if (explorer_.monitors().enough() || limits_.stopped()) return;
    if (count_ == kBatch) look_up();
    Origin& origin = origins_[origin_];
    now_.state = origin.state;
    const std::span<const ir::Action> left(taken_.data() + begin,
                                           std::min(end - begin, kBatch - count_));
    std::uint8_t* state = state_of(count_);
    const std::size_t fired = explorer_.fire_all(from_.data(), left, state);
    firing_ = true;
    now_chain_ = 0;
    const std::size_t shown =
        explorer_.show(from_.data(), fired, state, [&](std::size_t i) { now_.action = left[i]; });
    for (std::size_t i = 0; i < shown; ++i, state += explorer_.stride()) {
      const ir::Action action = left[i];
      if (origin.is_reduced) origin.stops = origin.stops || reducer_.stops(state, action.thread);
      if (explorer_.any_may_diverge()) {
        now_.action = action;
        explorer_.check_divergence(state, action.thread);
      }
      const StateSet::Hash hash = store_.prepare(count_, state);
      items_[count_++] = {hash, origin_, action, 0, 0, !passes_through_, {}};
    }
    firing_ = false;
    begin += shown;
  }
}

template <StateCodec Codec>
void Reduced<Codec>::end_batch() {
  look_up();
  for (std::uint32_t i = 0; i < origins_.size(); ++i) {
    const Origin& origin = origins_[i];
    const bool ignores = !origin.progress && !CML_MUTATION("no-proviso-breadth-first");
    const bool stops = origin.stops && !CML_MUTATION("stop-does-not-expand-fully-breadth-first");
    if (origin.is_reduced && (ignores || stops)) take_the_rest(i);
  }
  look_up();
  origins_.clear();
  taken_.clear();
  links_.resize(1);
}

template <StateCodec Codec>
void Reduced<Codec>::take_the_rest(std::uint32_t number) {
  if (limits_.stopped()) return;
  const Origin& origin = origins_[number];
  ++(origin.progress ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  load(origin.state);
  const std::span<const ir::Action> actions = explorer_.enabled();
  const std::vector<ir::Action> taken(
      taken_.begin() + static_cast<std::ptrdiff_t>(origin.taken),
      taken_.begin() + static_cast<std::ptrdiff_t>(origin.taken_end));
  const std::size_t begin = taken_.size();
  reducer_.rest(actions, taken, SleepSets::empty(), taken_);
  ir::copy_stride(explorer_.state(), explorer_.stride(), from_.data());
  origin_ = number;
  passes_through_ = true;
  take(begin, taken_.size() - (CML_MUTATION("the-last-of-the-rest-is-left-out") ? 1 : 0));
}

// ---- looking up --------------------------------------------------------------------------------

template <StateCodec Codec>
void Reduced<Codec>::look_up() {
  if (limits_.stopped()) count_ = 0;
  while (count_ > 0) {
    for (std::size_t i = 0; i < count_; ++i)
      (void)store_.candidate(items_[i].hash);
    std::size_t left = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      Item item = items_[i];
      const std::uint8_t* const state = state_of(i);
      if (const std::optional<StateNumber> known = store_.find(i, state, item.hash)) {
        Origin& origin = origins_[item.origin];
        origin.progress =
            origin.progress || *known > origin.state ||
            (*known == origin.state && CML_MUTATION("progress-to-the-state-itself")) ||
            (*known < origin.state && CML_MUTATION("progress-to-a-state-expanded-before"));
        continue;
      }
      if (!item.is_stored && pass_through(item, state, left)) {
        items_[left++] = item;
      } else {
        store(item, i, state);
      }
      if (limits_.stopped()) {
        count_ = 0;
        return;
      }
    }
    count_ = left;
  }
}

template <StateCodec Codec>
bool Reduced<Codec>::pass_through(Item& item, const std::uint8_t* state, std::size_t to) {
  item.set = {};  // what it was is the set of the state before
  if (item.length >= options_.reduction.longest_chain) return false;
  ir::copy_stride(state, explorer_.stride(), explorer_.state());
  const std::span<const ir::Action> actions = explorer_.enabled();
  single_.clear();
  const Reducer::Choice choice =
      reducer_.choose(explorer_.state(), actions, SleepSets::empty(), single_);
  item.set = choice.set;
  if (single_.size() != 1) return false;
  now_ = {origins_[item.origin].state, item.action};
  now_chain_ = item.chain;
  firing_ = true;
  if (!CML_MUTATION("states-passed-through-are-not-shown"))
    explorer_.show_state(actions, moved(item));
  const ir::Action action = single_[0];
  (void)explorer_.fire_all(explorer_.state(), single_, explorer_.reached());
  links_.push_back({action, item.chain});
  now_chain_ = static_cast<LinkNumber>(links_.size() - 1);
  if (!CML_MUTATION("transitions-passed-through-are-not-shown"))
    (void)explorer_.show(explorer_.state(), 1, explorer_.reached(), [](std::size_t) {});
  explorer_.check_divergence(explorer_.reached(), action.thread);
  firing_ = false;
  // Where the thread stops, the state must be expanded fully, so it is one to store.
  if (choice.leaves_some && reducer_.stops(explorer_.reached(), action.thread) &&
      !CML_MUTATION("stop-does-not-expand-fully-in-a-chain"))
    return false;
  ir::copy_stride(explorer_.reached(), explorer_.stride(), state_of(to));
  item.chain = now_chain_;
  ++item.length;
  item.hash = store_.prepare(to, state_of(to));
  return true;
}

template <StateCodec Codec>
void Reduced<Codec>::store(const Item& item, std::size_t slot, const std::uint8_t* state) {
  Origin& origin = origins_[item.origin];
  if (store_.size() >= options_.limits.max_states) {
    limits_.end_at_states();
    return;
  }
  const StateSet::Inserted inserted = store_.find_or_put(slot, state, item.hash);
  origin.progress = origin.progress || inserted.number > origin.state;
  if (!inserted.is_new) return;  // by another item that was passed through meanwhile
  predecessors_.add({origin.state, item.action});
  chain_of_.add({chains_.size(), item.length});
  set_of_.add(item.set);
  if (item.length == 0) return;
  single_.resize(item.length);
  LinkNumber link = item.chain;
  for (std::size_t i = item.length; i-- > 0; link = links_[link].before)
    single_[i] = links_[link].action;
  chains_.append(single_);
}

// ---- looking back ------------------------------------------------------------------------------

template <StateCodec Codec>
Path Reduced<Codec>::path() const {
  Path result;  // backwards
  if (firing_) {
    for (LinkNumber link = now_chain_; link != 0; link = links_[link].before)
      result.push_back(links_[link].action);
    result.push_back(now_.action);
  }
  for (StateNumber at = now_.state; at != 0; at = predecessors_[at].state) {
    const Chain& chain = chain_of_[at];
    for (std::uint64_t i = chain.length(); i-- > 0;)
      result.push_back(chains_[chain.begin() + i]);
    result.push_back(predecessors_[at].action);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

template <StateCodec Codec>
Statistics Reduced<Codec>::statistics() const {
  Statistics result = Search::statistics();
  result.reduction = reducer_.statistics();
  return result;
}

template <StateCodec Codec>
std::uint64_t Reduced<Codec>::memory() const {
  return store_.memory() + predecessors_.memory() + chain_of_.memory() + chains_.memory() +
         set_of_.memory() + reducer_.memory();
}

template class Reduced<IdentityCodec>;
template class Reduced<PackingCodec>;

}  // namespace cml::checker
