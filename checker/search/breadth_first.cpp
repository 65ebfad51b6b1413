#include "checker/search/breadth_first.h"

#include <algorithm>
#include <utility>

namespace cml::checker {

BreadthFirst::BreadthFirst(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
                           const Options& options, const Context& context)
    : Search(step, analyses, monitors, options, context),
      store_(bytes(), budget_),
      successors_(kBatch * stride()) {}

void BreadthFirst::run() {
  start();
  (void)store_.insert(work_.data());
  add({0, SleepSets::empty(), {}});
  if (options_.shortest) show_states();
  while (more() && !stopped()) {
    if (is_depth_over() && !begin_depth()) break;
    if (again_left_ > 0 && again_.front().before <= next_) {
      const Again again = again_.front();
      again_.pop_front();
      --again_left_;
      visit_again(again);
    } else {
      visit(next_++);
    }
  }
  flush();
}

bool BreadthFirst::more() {
  if (!is_depth_over()) return true;
  flush();
  return waiting() > 0;
}

bool BreadthFirst::begin_depth() {
  depth_end_ = store_.size();
  again_left_ = again_.size();
  if (++depths_ >= options_.limits.max_depth) {
    limit("max-depth");
    return false;
  }
  went(depths_);
  if (options_.shortest) show_states();
  return true;
}

// A thread may turn for ever from a state on although the cycle is closed much later, by one that
// another thread's write has let turn, too.
void BreadthFirst::show_states() {
  for (StateNumber state = next_; state < depth_end_ && !stopped(); ++state) {
    load(state);
    expand_new(moved_to(state));
    if (!may_close_divergence()) continue;
    for (const ir::ThreadId thread : step_.system().threads.ids())
      matched(before_.data(), thread);
  }
}

void BreadthFirst::load(StateNumber state) {
  now_.state = state;
  store_.copy(state, before_.data());
}

inline void BreadthFirst::reach(const std::uint8_t* state, ir::Action action, SleepId sleep) {
  const StateSet::Hash hash = store_.hash(state);
  store_.fetch(hash);
  reached_[reached_count_++] = {hash, sleep, {now_.state, action}};
}

ir::ThreadId BreadthFirst::moved_to(StateNumber state) const {
  if (state == 0) return {};
  if (passes_through() && chain_of_[state].length() > 0)
    return chains_[chain_of_[state].begin() + chain_of_[state].length() - 1].thread;
  return predecessors_[state].action.thread;
}

// ---- expanding ---------------------------------------------------------------------------------

void BreadthFirst::visit(StateNumber state) {
  load(state);
  if (options_.shortest) {
    expand();
  } else {
    expand_new(moved_to(state));
  }
  if (!reducer_.any() || skips_set()) return take_all();
  if (reached_by_all_) keep_all();
  const SleepId sleep = reducer_.sleeps() ? stored_sleep_[state] : SleepSets::empty();
  taken_.clear();
  explored_.clear();
  const Reducer::Choice choice = reducer_.choose(before_.data(), all_, sleep, taken_);
  Progress progress;
  progress.stops = choice.stop;
  take(0, sleep, progress);
  if (!choice.leaves_some || (progress.waits && !progress.stops)) return;
  ++(progress.waits ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  const std::size_t from = taken_.size();
  const std::vector<ir::Action> taken = taken_;
  expand();
  reducer_.rest(all_, taken, sleep, taken_);
  take(from, sleep, progress);
}

void BreadthFirst::visit_again(const Again& again) {
  load(again.state);
  taken_.clear();
  explored_.clear();
  for (const Sleeper& sleeper : reducer_.sleepers(again.actions))
    taken_.push_back(sleeper.action);
  Progress progress;
  take(0, stored_sleep_[again.state], progress);
}

void BreadthFirst::take_all() {
  if (!all_.empty() && monitors_.enough() && stopped()) return;
  chain_.clear();
  reached_by_all_ = true;
  for (std::span<const ir::Action> left = all_; !left.empty();) {
    std::uint8_t* const successors = room();
    const std::size_t fired =
        fire(left.first(std::min(left.size(), kBatch - reached_count_)), successors);
    const std::size_t shown = show(left.first(fired), successors);
    reach(successors, left.first(shown));
    left = left.subspan(shown);
    if (reached_count_ == kBatch) keep_all();
    if (!left.empty() && stopped()) return;
  }
}

inline void BreadthFirst::reach(const std::uint8_t* states, std::span<const ir::Action> actions) {
  Reached* reached = reached_.data() + reached_count_;
  for (const ir::Action action : actions) {
    const StateSet::Hash hash = store_.hash(states);
    store_.fetch(hash);
    *reached++ = {hash, SleepSets::empty(), {now_.state, action}};
    states += stride();
  }
  reached_count_ += actions.size();
}

// Only the last one may have told something.
std::size_t BreadthFirst::show(std::span<const ir::Action> actions, std::uint8_t* successors) {
  std::size_t shown = 0;
  if (!shows_all()) {
    shown = record_.has_observations() ? actions.size() - 1 : actions.size();
    count(shown);
    if (shown == actions.size()) return shown;
    successors += shown * stride();
  }
  firing_ = true;
  for (; shown < actions.size() && !monitors_.enough(); successors += stride()) {
    now_.action = actions[shown++];
    Search::show(successors, shown == actions.size());
  }
  firing_ = false;
  return shown;
}

void BreadthFirst::take(std::size_t from, SleepId sleep, Progress& progress) {
  for (; from < taken_.size() && !stopped() && !monitors_.enough(); ++from) {
    fire_reduced(taken_[from], sleep, progress);
    // What a chain leads to depends on what is stored before.
    if (passes_through() || reached_count_ == kBatch) progress.waits = keep() || progress.waits;
  }
  progress.waits = keep() || progress.waits;
}

void BreadthFirst::fire_reduced(ir::Action action, SleepId sleep, Progress& progress) {
  now_.action = action;
  chain_.clear();
  firing_ = true;
  if (explored_.empty() || explored_.back().action.thread != action.thread)
    of_thread_ = explored_.size();
  const Fired step = explore(action, sleep, {explored_.data(), of_thread_});
  explored_.push_back({action, step.executed});
  progress.stops = progress.stops || step.stops;
  if (passes_through()) {
    (void)pass_through(action.thread, chain_);
    load(now_.state);
  }
  firing_ = false;
  ir::copy_stride(work_.data(), stride(), room());
  reach(room(), action, step.sleep);
}

// ---- storing -----------------------------------------------------------------------------------

void BreadthFirst::add(const Reached& reached) {
  predecessors_.push_back(reached.by);
  if (reducer_.sleeps()) stored_sleep_.push_back(reached.sleep);
  if (!passes_through()) return;
  chain_of_.push_back({chains_.size(), chain_.size()});
  chains_.append(chain_);
}

void BreadthFirst::keep_all() {
  std::array<const std::uint8_t*, kBatch> candidates;
  for (std::size_t i = 0; i < reached_count_; ++i)
    candidates[i] = store_.candidate(reached_[i].hash);
  const std::uint8_t* state = successors_.data();
  for (std::size_t i = 0; i < reached_count_; ++i, state += stride()) {
    const Reached& reached = reached_[i];
    const bool is_known = candidates[i] != nullptr && store_.is_equal(candidates[i], state);
    if (!is_known && store_.size() >= options_.limits.max_states && !store_.contains(state)) {
      full();
    } else if (!is_known && store_.insert(state, reached.hash).is_new) {
      predecessors_.push_back(reached.by);
      if (passes_through()) chain_of_.push_back({0, 0});
    } else if (may_close_divergence()) {
      const Predecessor now = std::exchange(now_, reached.by);
      firing_ = true;
      matched(state, reached.by.action.thread);
      firing_ = false;
      now_ = now;
    }
  }
  reached_count_ = 0;
  reached_by_all_ = false;
}

bool BreadthFirst::keep() {
  bool any_waits = false;
  const Predecessor now = now_;
  for (std::size_t i = 0; i < reached_count_; ++i)
    (void)store_.candidate(reached_[i].hash);
  firing_ = true;
  const std::uint8_t* state = successors_.data();
  for (std::size_t i = 0; i < reached_count_; ++i, state += stride()) {
    const Reached& reached = reached_[i];
    if (store_.size() >= options_.limits.max_states && !store_.contains(state)) {
      full();
      continue;
    }
    const StateSet::Inserted inserted = store_.insert(state, reached.hash);
    if (inserted.is_new) {
      any_waits = true;
      add(reached);
      continue;
    }
    now_ = reached.by;
    matched(state, reached.by.action.thread);
    any_waits = any_waits || waits(inserted.number);
    if (!reducer_.sleeps()) continue;
    SleepId& stored = stored_sleep_[inserted.number];
    const SleepId again = reducer_.difference(stored, reached.sleep);
    if (again == SleepSets::empty()) continue;
    stored = reducer_.intersection(stored, reached.sleep);
    if (!waits(inserted.number))
      again_.push_back({inserted.number, again, static_cast<StateNumber>(store_.size())});
  }
  firing_ = false;
  now_ = now;
  reached_count_ = 0;
  return any_waits;
}

// ---- looking back ------------------------------------------------------------------------------

Path BreadthFirst::path() const {
  Path result;  // backwards
  if (firing_) {
    result.assign(chain_.rbegin(), chain_.rend());
    result.push_back(now_.action);
  }
  for (StateNumber at = now_.state; at != 0; at = predecessors_[at].state) {
    if (passes_through()) {
      const Chain& chain = chain_of_[at];
      for (std::uint64_t i = chain.length(); i-- > 0;)
        result.push_back(chains_[chain.begin() + i]);
    }
    result.push_back(predecessors_[at].action);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::uint64_t BreadthFirst::own_memory() const {
  return store_.memory() + again_.size() * sizeof(Again) + predecessors_.memory() +
         chain_of_.memory() + chains_.memory() + stored_sleep_.memory();
}

}  // namespace cml::checker
