#include "checker/reduction/reducer.h"

#include <algorithm>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

Reducer::Reducer(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                 const MemoryBudget& budget, const CandidateLocks* candidates,
                 const std::vector<ProvedCommutes>* commuting)
    : layout_(step.layout()),
      options_(options),
      extent_(options.composition == Composition::InvisibleFirst ? Extent::First : Extent::All),
      stops_(step, analyses, !options.composes()),
      calls_(step.system(), commuting),
      dependency_(step.system(), step.layout(), &calls_, Visits::EveryState,
                  options.reduction.keeps_order),
      sleep_sets_(budget),
      usefulness_(options.reduction.give_up_after) {
  if (auto algorithm = make_set_algorithm(step, analyses, options, candidates, calls_))
    sets_.emplace(std::move(algorithm), step, candidates);
}

Reducer::Choice Reducer::choose(const std::uint8_t* state, std::span<const ir::Action> all,
                                SleepId sleep, Buffer<ir::Action>& out) {
  Choice choice;
  if (sets_ && all.size() > 1 && !has_spurious_wakeup(options_, layout_, state, all))
    choice.set = sets_->select(state, all);
  const std::size_t begin = out.size();
  if (!sleeps()) choice = take_set(choice.set, all, out);
  std::size_t in_set = out.size() - begin;
  if (sleeps()) in_set = choose_awake(all, sleep, choice, out);
  if (!choice.set.valid()) return choice;
  count(in_set, all.size());
  return choice;
}

Reducer::Choice Reducer::choose_again(SetNumber set, std::span<const ir::Action> all,
                                      Buffer<ir::Action>& out) {
  const std::size_t begin = out.size();
  const Choice choice = take_set(set, all, out);
  usefulness_.computed(out.size() - begin, all.size());
  return choice;
}

Reducer::Choice Reducer::take_set(SetNumber set, std::span<const ir::Action> all,
                                  Buffer<ir::Action>& out) const {
  if (!set.valid()) {
    out.append(all);
    return {set};
  }
  const SetCache::Threads threads = (*sets_)[set];
  const std::size_t begin = out.size();
  out.make_room(all.size());
  ir::Action* to = out.end();
  for (const ir::Action action : all) {  // without a branch, as nothing predicts it
    *to = action;
    to += threads.contains(action.thread) ? 1 : 0;
  }
  out.set_size(static_cast<std::size_t>(to - out.data()));
  return {set, out.size() - begin < all.size()};
}

std::size_t Reducer::choose_awake(std::span<const ir::Action> all, SleepId sleep, Choice& choice,
                                  Buffer<ir::Action>& out) {
  std::size_t in_set = 0;
  for (const ir::Action action : all) {
    const Sleeper* const asleep = sleep_sets_.find(sleep, action);
    if (choice.set.valid() && !(*sets_)[choice.set].contains(action.thread)) {
      choice.leaves_some = choice.leaves_some || asleep == nullptr;
      continue;
    }
    ++in_set;
    if (asleep != nullptr) {
      ++statistics_.slept;
      choice.stop = choice.stop || (dependency_.stops(asleep->summary) &&
                                    !CML_MUTATION("sleeping-stops-are-not-noticed"));
    } else {
      out.push_back(action);
    }
  }
  return in_set;
}

void Reducer::rest(std::span<const ir::Action> all, std::span<const ir::Action> taken,
                   SleepId sleep, Buffer<ir::Action>& out) const {
  std::vector<ir::Action> sorted(taken.begin(), taken.end());
  std::sort(sorted.begin(), sorted.end());
  for (const ir::Action action : all) {
    if (std::binary_search(sorted.begin(), sorted.end(), action)) continue;
    if (sleeps() && sleep_sets_.contains(sleep, action)) continue;
    out.push_back(action);
  }
}

void Reducer::rest(SetNumber set, std::span<const ir::Action> all, Buffer<ir::Action>& out) const {
  const SetCache::Threads threads = (*sets_)[set];
  for (const ir::Action action : all)
    if (!threads.contains(action.thread)) out.push_back(action);
}

Reducer::Executed Reducer::executed(const ir::Record& record, const std::uint8_t* before,
                                    const std::uint8_t* after, ir::Action action, SleepId sleep,
                                    std::span<const Sleeper> explored) {
  Executed result;
  result.stops = stops(after, action);
  if (!sleeps()) return result;
  result.summary = dependency_.summary(record, extent_, before, after, result.stops);
  scratch_.clear();
  const std::uint8_t* const at = CML_MUTATED("condition-evaluated-after-the-step", before, after);
  inherit(dependency_, sleep_sets_[sleep], action, result.summary, at, scratch_);
  inherit(dependency_, explored, action, result.summary, at, scratch_);
  result.sleep = sleep_sets_.intern(scratch_);
  return result;
}

SleepId Reducer::difference(SleepId stored, SleepId arriving) {
  if (stored == arriving) return SleepSets::empty();
  scratch_.clear();
  for (const Sleeper& sleeper : sleep_sets_[stored])
    if (!sleep_sets_.contains(arriving, sleeper.action)) scratch_.push_back(sleeper);
  return sleep_sets_.intern(scratch_);
}

SleepId Reducer::intersection(SleepId stored, SleepId arriving) {
  if (stored == arriving) return stored;
  scratch_.clear();
  for (const Sleeper& sleeper : sleep_sets_[stored])
    if (sleep_sets_.contains(arriving, sleeper.action)) scratch_.push_back(sleeper);
  return sleep_sets_.intern(scratch_);
}

std::uint64_t Reducer::memory() const {
  return dependency_.memory() + sleep_sets_.memory() + (sets_ ? sets_->memory() : 0);
}

}  // namespace cml::checker
