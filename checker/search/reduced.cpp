#include "checker/search/reduced.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

namespace {

/// With a heap, a state that is reached again costs its canonical form again; so more of them are
/// stored. (With 2 instead of 256, clients of data structures execute a seventh fewer transitions,
/// for a twentieth more states.)
template <StateCodec Codec>
constexpr std::uint32_t most_in_chain() {
  return std::is_same_v<Codec, HeapCodec> ? 2 : UINT32_MAX;
}

}  // namespace

template <StateCodec Codec>
Reduced<Codec>::Reduced(const SearchInput& input, Codec codec)
    : Search(input),
      depths_(options_, explorer_, limits_),
      reducer_(input.step, input.analyses, input.options, budget_, candidates(input),
               input.commuting),
      store_(std::move(codec), kBatch + Expansion<Codec>::kBatch, budget_),
      longest_chain_(std::min(options_.reduction.longest_chain, most_in_chain<Codec>())),
      known_(options_),
      expansion_(options_, explorer_, limits_, store_, kBatch, predecessors_, known_),
      states_(kBatch * explorer_.stride()),
      next_states_(kBatch * explorer_.stride()),
      links_(1) {}

template <StateCodec Codec>
void Reduced<Codec>::run() {
  explorer_.start();
  (void)store_.find_or_put(explorer_.reached());
  predecessors_.add({});
  known_.add();
  show_states();
  while (!limits_.stopped()) {
    if (next_ == depths_.end()) {
      end_batch();
      expansion_.flush();
      if (!begin_depth()) return;
    }
    visit(next_++);
    if (count_ >= kBatch / 2) end_batch();
  }
  end_batch();
  expansion_.flush();
}

template <StateCodec Codec>
bool Reduced<Codec>::begin_depth() {
  if (waiting() == 0 || !depths_.begin(store_.size())) return false;
  std::swap(found_now_, found_next_);
  found_next_.cut(0);
  next_found_ = 0;
  show_states();
  return true;
}

template <StateCodec Codec>
void Reduced<Codec>::show_states() {
  depths_.show_states(next_, [this](StateNumber state) {
    load(state);
    return moved_to(state);
  });
}

template <StateCodec Codec>
void Reduced<Codec>::load(StateNumber state) {
  now_.state = state;
  firing_ = false;
  now_chain_ = 0;
  store_.load(state, explorer_.state());
}

template <StateCodec Codec>
inline ir::ThreadId Reduced<Codec>::moved_to(StateNumber state) {
  if (state == 0) return {};
  while (next_chained_ < chained_.size() && chained_[next_chained_] < state)
    ++next_chained_;
  const bool has_chain = next_chained_ < chained_.size() && chained_[next_chained_] == state;
  if (has_chain) return chains_[chain_end(next_chained_) - 1].thread;
  return predecessors_[state].action.thread;
}

template <StateCodec Codec>
inline auto Reduced<Codec>::found(StateNumber state) -> const Found* {
  while (next_found_ < found_now_.size() && found_now_[next_found_].state < state)
    ++next_found_;
  if (next_found_ == found_now_.size() || found_now_[next_found_].state != state) return nullptr;
  return &found_now_[next_found_];
}

template <StateCodec Codec>
inline std::span<const ir::Action> Reduced<Codec>::enabled(const Found* found) {
  if (found == nullptr || found->enabled == 0) return explorer_.enabled();
  enabled_.clear();
  for (std::uint64_t left = found->enabled; left != 0; left &= left - 1)
    enabled_.push_back({ir::ThreadId(static_cast<std::uint32_t>(std::countr_zero(left))), 0});
  return {enabled_.data(), enabled_.size()};
}

template <StateCodec Codec>
inline SetNumber Reduced<Codec>::chosen_before(const Found* found) {
  if (reducer_.version() != sets_version_) {
    sets_version_ = reducer_.version();
    sets_are_of_ = static_cast<StateNumber>(store_.size());
  }
  if (found == nullptr) return {};
  if (found->state < sets_are_of_ && !CML_MUTATION("stored-sets-outlive-candidates")) return {};
  return found->set;
}

// ---- expanding ---------------------------------------------------------------------------------

template <StateCodec Codec>
void Reduced<Codec>::visit(StateNumber state) {
  load(state);
  const Found* const found = this->found(state);
  const std::span<const ir::Action> actions = enabled(found);
  if (!options_.shortest) explorer_.show_state(explorer_.state(), actions, moved_to(state));
  // Where sets leave out too little to be worth their computation, what is reached is stored as it
  // is.
  const bool has_set = !options_.composes() || reducer_.wants_set();
  if (!has_set) return expansion_.take_all(state, actions);
  const SetNumber before = chosen_before(found);
  chosen_.clear();
  const Reducer::Choice choice =
      before.valid() ? reducer_.choose_again(before, actions, chosen_)
                     : reducer_.choose(explorer_.state(), actions, SleepSets::empty(), chosen_);
  // What is reached is stored in the order in which a full search stores it: states that are near
  // each other in the graph have near numbers, and lie together.
  if (options_.composes() && reducer_.is_trying() && !choice.leaves_some)
    return expansion_.take_all(state, actions);
  Origin origin;
  origin.state = state;
  if (choice.leaves_some) origin.set = choice.set;
  origins_.push_back(origin);
  take(static_cast<std::uint32_t>(origins_.size() - 1), {chosen_.data(), chosen_.size()});
}

template <StateCodec Codec>
void Reduced<Codec>::take(std::uint32_t number, std::span<const ir::Action> actions) {
  for (std::span<const ir::Action> left = actions; !left.empty();) {
    if (explorer_.monitors().enough() || limits_.stopped()) return;
    if (count_ == kBatch) look_up();
    Origin& origin = origins_[number];
    now_.state = origin.state;
    std::uint8_t* state = state_of(count_);
    const std::size_t most = std::min(left.size(), kBatch - count_);
    const std::size_t fired = explorer_.fire_all(explorer_.state(), left.first(most), state);
    firing_ = true;
    now_chain_ = 0;
    const std::size_t shown = explorer_.show(explorer_.state(), fired, state,
                                             [&](std::size_t i) { now_.action = left[i]; });
    for (const ir::Action action : left.first(shown)) {
      if (origin.set.valid()) origin.stops = origin.stops || reducer_.stops(state, action);
      if (explorer_.any_may_diverge()) {
        now_.action = action;
        explorer_.check_divergence(state, action);
      }
      const StateSet::Hash hash = store_.prepare(count_, state);
      items_[count_++] = {hash, number, action, 0, 0, 0};
      state += explorer_.stride();
    }
    firing_ = false;
    left = left.subspan(shown);
  }
}

template <StateCodec Codec>
void Reduced<Codec>::end_batch() {
  look_up();
  for (std::uint32_t i = 0; i < origins_.size(); ++i) {
    const Origin& origin = origins_[i];
    const bool ignores =
        !origin.progress && reducer_.needs_proviso() && !CML_MUTATION("no-proviso-breadth-first");
    const bool stops = origin.stops && !CML_MUTATION("stop-does-not-expand-fully-breadth-first");
    if (origin.set.valid() && (ignores || stops)) take_the_rest(i);
  }
  look_up();
  origins_.clear();
  links_.resize(1);
}

template <StateCodec Codec>
void Reduced<Codec>::take_the_rest(std::uint32_t number) {
  if (limits_.stopped()) return;
  const Origin& origin = origins_[number];
  ++(origin.progress ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  load(origin.state);
  chosen_.clear();
  reducer_.rest(origin.set, explorer_.enabled(), chosen_);
  const std::size_t left_out = CML_MUTATION("the-last-of-the-rest-is-left-out") ? 1 : 0;
  take(number, {chosen_.data(), chosen_.size() - left_out});
}

// ---- looking up --------------------------------------------------------------------------------

template <StateCodec Codec>
void Reduced<Codec>::look_up() {
  if (limits_.stopped()) count_ = 0;
  while (count_ > 0) {
    for (std::size_t i = 0; i < count_; ++i)
      items_[i].likely = store_.likely(items_[i].hash);
    std::size_t left = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint8_t* const state = state_of(i);
      const Item& item = items_[i];
      if (const StateNumber known = store_.find(i, state, item.hash, item.likely); known != 0) {
        made_progress(origins_[item.origin], known - 1);
        continue;
      }
      if (pass_through(item, state, left)) {
        ++left;
      } else {
        store(item, i, state);
      }
      if (limits_.stopped()) {
        count_ = 0;
        return;
      }
    }
    states_.swap(next_states_);
    count_ = left;
  }
}

template <StateCodec Codec>
inline void Reduced<Codec>::made_progress(Origin& origin, StateNumber known) {
  known_.saw(origin.state, known);
  origin.progress = origin.progress || known > origin.state ||
                    (known == origin.state && CML_MUTATION("progress-to-the-state-itself")) ||
                    (known < origin.state && CML_MUTATION("progress-to-a-state-expanded-before"));
}

template <StateCodec Codec>
bool Reduced<Codec>::pass_through(const Item& item, const std::uint8_t* state, std::size_t to) {
  if (!CML_MUTATION("a-state-is-stored-with-the-set-before"))
    found_ = {};  // what it was is of the state before
  if (item.length >= longest_chain_) return false;
  const std::span<const ir::Action> actions = explorer_.enabled(state);
  const Reducer::Single choice = reducer_.choose_single(state, actions);
  found_.set = choice.set;
  found_.enabled = choice.enabled;
  if (!choice.action.thread.valid()) return false;
  now_ = {origins_[item.origin].state, item.action};
  now_chain_ = item.chain;
  firing_ = true;
  if (!CML_MUTATION("states-passed-through-are-not-shown"))
    explorer_.show_state(state, actions, moved(item));
  std::uint8_t* const reached = next_states_.data() + to * explorer_.stride();
  const ir::Action action = choice.action;
  (void)explorer_.fire_all(state, {&action, 1}, reached);
  links_.push_back({action, item.chain});
  now_chain_ = static_cast<LinkNumber>(links_.size() - 1);
  if (!CML_MUTATION("transitions-passed-through-are-not-shown"))
    (void)explorer_.show(state, 1, reached, [](std::size_t) {});
  explorer_.check_divergence(reached, action);
  firing_ = false;
  // Where the thread stops, the state must be expanded fully, so it is one to store. And it may be
  // the last in which threads that are lost can be reported.
  if ((choice.leaves_some || options_.hang_check) && reducer_.stops(reached, action) &&
      !CML_MUTATION("stop-does-not-expand-fully-in-a-chain"))
    return false;
  // The item `to` may be this one.
  const StateSet::Hash hash = store_.prepare(to, reached);
  items_[to] = {hash, item.origin, item.action, now_chain_, item.length + 1, 0};
  return true;
}

template <StateCodec Codec>
void Reduced<Codec>::store(const Item& item, std::size_t slot, const std::uint8_t* state) {
  Origin& origin = origins_[item.origin];
  if (store_.size() >= options_.limits.max_states && !store_.find(slot, state, item.hash)) {
    limits_.end_at_states();
    return;
  }
  const StateSet::Inserted inserted = store_.find_or_put(slot, state, item.hash);
  origin.progress = origin.progress || inserted.number > origin.state;
  if (!inserted.is_new) return known_.saw(origin.state, inserted.number);
  predecessors_.add({origin.state, item.action});
  known_.add();
  if (found_.set.valid()) {
    found_.state = inserted.number;
    found_next_.push_back(found_);
  }
  if (item.length == 0) return;
  chained_.push_back(inserted.number);
  chain_begins_.push_back(chains_.size());
  chain_.resize(item.length);
  LinkNumber link = item.chain;
  for (std::size_t i = item.length; i-- > 0; link = links_[link].before)
    chain_[i] = links_[link].action;
  chains_.append(chain_);
}

// ---- looking back ------------------------------------------------------------------------------

template <StateCodec Codec>
Path Reduced<Codec>::path() const {
  if (const std::optional<Predecessor> firing = expansion_.firing()) {
    Path result = path_to(firing->state);
    result.push_back(firing->action);
    return result;
  }
  Path result = path_to(now_.state);
  if (!firing_) return result;
  const std::size_t end = result.size();
  for (LinkNumber link = now_chain_; link != 0; link = links_[link].before)
    result.push_back(links_[link].action);
  result.push_back(now_.action);
  std::reverse(result.begin() + static_cast<std::ptrdiff_t>(end), result.end());
  return result;
}

template <StateCodec Codec>
Path Reduced<Codec>::path_to(StateNumber at) const {
  Path result;  // backwards
  std::uint64_t chain = chained_.size();
  for (; at != 0; at = predecessors_[at].state) {
    // A state has a smaller number than those behind it.
    while (chain > 0 && chained_[chain - 1] > at)
      --chain;
    if (chain > 0 && chained_[chain - 1] == at)
      for (std::uint64_t i = chain_end(chain - 1); i-- > chain_begins_[chain - 1];)
        result.push_back(chains_[i]);
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
  return store_.memory() + predecessors_.memory() + chained_.memory() + chain_begins_.memory() +
         chains_.memory() + known_.memory() + found_now_.memory() + found_next_.memory() +
         reducer_.memory();
}

template class Reduced<IdentityCodec>;
template class Reduced<PackingCodec>;
template class Reduced<HeapCodec>;

}  // namespace cml::checker
