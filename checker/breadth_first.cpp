#include "checker/breadth_first.h"

#include <algorithm>

namespace cml::checker {

BreadthFirst::BreadthFirst(ir::Step& step, const ir::StaticFacts& facts, Monitors& monitors,
                           const Options& options, const Context& context)
    : Search(step, facts, monitors, options, context),
      store_(bytes()),
      successors_(kBatch * bytes()) {}

void BreadthFirst::add(StateNumber state, SleepId sleep, Predecessor predecessor) {
  predecessors_.push_back(predecessor);
  expanded_.push_back(false);
  if (reducer_.sleeps()) stored_sleep_.push_back(sleep);
  queue_.push_back({state, SleepId()});
}

void BreadthFirst::run() {
  start();
  add(store_.insert(work_.data()).number, SleepSets::empty(), {});
  std::uint64_t depth = 0;
  std::size_t left = 1;  // of the present depth
  while (!queue_.empty() && !stopped()) {
    if (left == 0) {
      left = queue_.size();
      if (++depth >= options_.limits.max_depth) return limit("max-depth");
      went(depth);
    }
    --left;
    const Work work = queue_.front();
    queue_.pop_front();
    visit(work);
  }
}

void BreadthFirst::visit(const Work& work) {
  current_ = work.state;
  std::copy_n(store_[work.state], before_.size(), before_.begin());
  const SleepId sleep = reducer_.sleeps() ? stored_sleep_[work.state] : SleepSets::empty();
  taken_.clear();
  explored_.clear();
  bool stop = false;
  if (work.again.valid()) {
    for (const Sleeper& sleeper : reducer_.sleepers(work.again))
      taken_.push_back(sleeper.entry);
    take(0, sleep, stop);
    return;
  }
  expanded_[work.state] = true;
  expand(true);
  const Reducer::Choice choice = reducer_.choose(before_.data(), all_, sleep, taken_);
  stop = choice.stop;
  const bool progress = take(0, sleep, stop);
  if (!choice.leaves_some || (progress && !stop)) return;
  ++(progress ? reducer_.statistics().full_by_stop : reducer_.statistics().full_by_proviso);
  const std::size_t from = taken_.size();
  const std::vector<ir::Entry> taken = taken_;
  expand(false);
  reducer_.rest(all_, taken, sleep, taken_);
  take(from, sleep, stop);
}

bool BreadthFirst::take(std::size_t from, SleepId sleep, bool& stop) {
  // What a chain leads to depends on what is stored before.
  const std::size_t at_once = passes_through() ? 1 : kBatch;
  bool progress = false;
  while (from < taken_.size() && !stopped()) {
    const std::size_t end = std::min(from + at_once, taken_.size());
    fire(from, end, sleep, stop);
    progress = keep(from) || progress;
    from += reached_.size();
  }
  return progress;
}

void BreadthFirst::fire(std::size_t from, std::size_t end, SleepId sleep, bool& stop) {
  reached_.clear();
  firing_ = true;
  for (std::size_t i = from; i < end && !monitors_.enough(); ++i) {
    entry_ = taken_[i];
    chain_.clear();
    const Fired step = explore(entry_, sleep, explored_);
    explored_.push_back({entry_, step.executed});
    stop = stop || step.stops;
    if (passes_through()) {
      pass_through(chain_);
      std::copy_n(store_[current_], before_.size(), before_.begin());
    }
    std::copy(work_.begin(), work_.end(), successor(reached_.size()));
    reached_.push_back({step.sleep, store_.hash(work_.data())});
    store_.fetch(reached_.back().hash);
  }
  firing_ = false;
}

bool BreadthFirst::keep(std::size_t from) {
  bool progress = false;
  for (const Reached& reached : reached_)
    store_.fetch_state(reached.hash);
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const auto [child, hash] = reached_[i];
    const StateStore::Inserted inserted = store_.insert(successor(i), hash);
    if (inserted.is_new) {
      progress = true;
      add(inserted.number, child,
          {current_, taken_[from + i], static_cast<std::uint32_t>(chains_.size()),
           static_cast<std::uint32_t>(chain_.size())});
      chains_.insert(chains_.end(), chain_.begin(), chain_.end());
      continue;
    }
    entry_ = taken_[from + i];
    firing_ = true;
    matched(successor(i), entry_.thread);
    firing_ = false;
    const bool waits = !expanded_[inserted.number];
    progress = progress || waits;
    if (!reducer_.sleeps()) continue;
    SleepId& stored = stored_sleep_[inserted.number];
    const SleepId again = reducer_.difference(stored, child);
    if (again == SleepSets::empty()) continue;
    stored = reducer_.intersection(stored, child);
    if (!waits) queue_.push_back({inserted.number, again});
  }
  return progress;
}

Path BreadthFirst::path() const {
  Path result;  // backwards
  if (firing_) {
    result.assign(chain_.rbegin(), chain_.rend());
    result.push_back(entry_);
  }
  for (StateNumber at = current_; at != 0; at = predecessors_[at].state) {
    const Predecessor& by = predecessors_[at];
    for (std::uint32_t i = by.chain_length; i-- > 0;)
      result.push_back(chains_[by.chain + i]);
    result.push_back(by.entry);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::uint64_t BreadthFirst::own_memory() const {
  return store_.memory() + queue_.size() * sizeof(Work) +
         predecessors_.capacity() * sizeof(Predecessor) + chains_.capacity() * sizeof(ir::Entry) +
         stored_sleep_.capacity() * sizeof(SleepId) + expanded_.capacity() / 8;
}

}  // namespace cml::checker
