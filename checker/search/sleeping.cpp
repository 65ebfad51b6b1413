#include "checker/search/sleeping.h"

#include <algorithm>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

template <StateCodec Codec>
Sleeping<Codec>::Sleeping(const SearchInput& input, Codec codec)
    : Search(input),
      depths_(options_, explorer_, limits_),
      reducer_(input.step, input.analyses, input.options, budget_, candidates(input),
               input.commuting),
      store_(std::move(codec), kBatch, budget_),
      known_(options_),
      successors_(kBatch * explorer_.stride()) {}

template <StateCodec Codec>
void Sleeping<Codec>::run() {
  explorer_.start();
  (void)store_.find_or_put(explorer_.reached());
  add({0, SleepSets::empty(), {}});
  show_states();
  while (more() && !limits_.stopped()) {
    if (is_depth_over() && !begin_depth()) break;
    if (again_left_ > 0 &&
        (again_.front().before <= next_ || CML_MUTATION("expanded-again-at-once"))) {
      const Again again = again_.front();
      again_.pop_front();
      --again_left_;
      visit_again(again);
    } else {
      visit(next_++);
    }
  }
}

template <StateCodec Codec>
bool Sleeping<Codec>::more() {
  return !is_depth_over() || waiting() > 0;
}

template <StateCodec Codec>
bool Sleeping<Codec>::begin_depth() {
  if (!depths_.begin(store_.size())) return false;
  again_left_ = again_.size();
  show_states();
  return true;
}

template <StateCodec Codec>
void Sleeping<Codec>::show_states() {
  depths_.show_states(next_, [this](StateNumber state) {
    load(state);
    return moved_to(state);
  });
}

template <StateCodec Codec>
void Sleeping<Codec>::load(StateNumber state) {
  now_.state = state;
  store_.load(state, explorer_.state());
}

// ---- expanding ---------------------------------------------------------------------------------

template <StateCodec Codec>
void Sleeping<Codec>::visit(StateNumber state) {
  load(state);
  const std::span<const ir::Action> actions =
      options_.shortest ? explorer_.enabled() : explorer_.enabled_in_new(moved_to(state));
  const SleepId sleep = stored_sleep_[state];
  taken_.clear();
  explored_.clear();
  const Reducer::Choice choice = reducer_.choose(explorer_.state(), actions, sleep, taken_);
  Progress progress;
  progress.stops = choice.stop;
  progress.waits =
      sleep != SleepSets::empty() && CML_MUTATION("proviso-counts-sleeping-breadth-first");
  take(0, sleep, progress);
  const bool ignores = !progress.waits && !CML_MUTATION("no-proviso-with-sleep-sets");
  const bool stops = progress.stops && !CML_MUTATION("stop-does-not-expand-fully-with-sleep-sets");
  if (!choice.leaves_some || !(ignores || stops)) return;
  ++(progress.waits ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  const std::size_t from = taken_.size();
  const Buffer<ir::Action> taken = taken_;
  reducer_.rest(explorer_.enabled(), taken, sleep, taken_);
  take(from, sleep, progress);
}

template <StateCodec Codec>
void Sleeping<Codec>::visit_again(const Again& again) {
  load(again.state);
  taken_.clear();
  explored_.clear();
  for (const Sleeper& sleeper : reducer_.sleepers(again.actions))
    taken_.push_back(sleeper.action);
  Progress progress;
  take(0, stored_sleep_[again.state], progress);
}

template <StateCodec Codec>
void Sleeping<Codec>::take(std::size_t from, SleepId sleep, Progress& progress) {
  for (; from < taken_.size() && !limits_.stopped(); ++from) {
    fire(taken_[from], sleep, progress);
    if (reached_count_ == kBatch) progress.waits = look_up() || progress.waits;
  }
  progress.waits = look_up() || progress.waits;
}

template <StateCodec Codec>
void Sleeping<Codec>::fire(ir::Action action, SleepId sleep, Progress& progress) {
  now_.action = action;
  firing_ = true;
  if (explored_.empty() || explored_.back().action.thread != action.thread)
    of_thread_ = explored_.size();
  explorer_.fire(action);
  const Reducer::Executed executed =
      reducer_.executed(explorer_.record(), explorer_.state(), explorer_.reached(), action, sleep,
                        {explored_.data(), of_thread_});
  explorer_.check_divergence(explorer_.reached(), action);
  explored_.push_back({action, executed.summary});
  progress.stops = progress.stops || executed.stops;
  firing_ = false;
  ir::copy_stride(explorer_.reached(), explorer_.stride(), room());
  const StateSet::Hash hash = store_.prepare(reached_count_, room());
  reached_[reached_count_++] = {hash, executed.sleep, {now_.state, action}};
}

// ---- storing -----------------------------------------------------------------------------------

template <StateCodec Codec>
void Sleeping<Codec>::add(const Reached& reached) {
  predecessors_.add(reached.by);
  known_.add();
  stored_sleep_.add(reached.sleep);
}

template <StateCodec Codec>
bool Sleeping<Codec>::look_up() {
  bool any_waits = false;
  for (std::size_t i = 0; i < reached_count_; ++i)
    (void)store_.candidate(reached_[i].hash);
  const std::uint8_t* state = successors_.data();
  for (std::size_t i = 0; i < reached_count_; ++i, state += explorer_.stride()) {
    const Reached& reached = reached_[i];
    if (store_.size() >= options_.limits.max_states && !store_.find(i, state, reached.hash)) {
      limits_.end_at_states();
      continue;
    }
    const StateSet::Inserted inserted = store_.find_or_put(i, state, reached.hash);
    if (inserted.is_new) {
      any_waits = true;
      add(reached);
      continue;
    }
    known_.saw(reached.by.state, inserted.number);
    any_waits = any_waits || waits(inserted.number);
    SleepId& stored = stored_sleep_[inserted.number];
    const SleepId again =
        CML_MUTATED("matched-without-difference-breadth-first",
                    reducer_.difference(stored, reached.sleep), SleepSets::empty());
    if (again == SleepSets::empty()) continue;
    if (!CML_MUTATION("stored-set-not-intersected-breadth-first"))
      stored = CML_MUTATED("stored-set-is-the-arriving-one-breadth-first",
                           reducer_.intersection(stored, reached.sleep), reached.sleep);
    if (!waits(inserted.number))
      again_.push_back({inserted.number, again, static_cast<StateNumber>(store_.size())});
  }
  reached_count_ = 0;
  return any_waits;
}

// ---- looking back ------------------------------------------------------------------------------

template <StateCodec Codec>
Path Sleeping<Codec>::path() const {
  Path result = path_to(now_.state);
  if (firing_) result.push_back(now_.action);
  return result;
}

template <StateCodec Codec>
Path Sleeping<Codec>::path_to(StateNumber state) const {
  Path result;  // backwards
  for (; state != 0; state = predecessors_[state].state)
    result.push_back(predecessors_[state].action);
  std::reverse(result.begin(), result.end());
  return result;
}

template <StateCodec Codec>
Statistics Sleeping<Codec>::statistics() const {
  Statistics result = Search::statistics();
  result.reduction = reducer_.statistics();
  return result;
}

template <StateCodec Codec>
std::uint64_t Sleeping<Codec>::memory() const {
  return store_.memory() + again_.size() * sizeof(Again) + predecessors_.memory() +
         known_.memory() + stored_sleep_.memory() + reducer_.memory();
}

template class Sleeping<IdentityCodec>;
template class Sleeping<PackingCodec>;
template class Sleeping<HeapCodec>;

}  // namespace cml::checker
