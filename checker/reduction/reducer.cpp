#include "checker/reduction/reducer.h"

#include <algorithm>

#include "checker/stopped.h"

namespace cml::checker {
namespace {

bool before(const ir::Action& a, const ir::Action& b) {
  return a.thread != b.thread ? a.thread < b.thread : a.choice < b.choice;
}

}  // namespace

Reducer::Reducer(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                 const MemoryBudget& budget, const CandidateLocks* candidates)
    : step_(step),
      options_(options),
      extent_(options.composition == Composition::InvisibleFirst ? Extent::First : Extent::All),
      by_micros_(!options.composes()),
      reduction_(make_reduction(step, analyses, options, candidates)),
      dependency_(step.system(), step.layout()),
      sleep_sets_(budget),
      usefulness_(options.reduction.give_up_after),
      counts_(step.system().threads.size()),
      alone_(step.layout().size()) {}

Reducer::Choice Reducer::choose(const std::uint8_t* state, std::span<const ir::Action> all,
                                SleepId sleep, std::vector<ir::Action>& out) {
  if (!any()) {
    out.insert(out.end(), all.begin(), all.end());
    return {};
  }
  const bool selects = reduction_ != nullptr && all.size() > 1;
  if (selects) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const ir::Action action : all)
      ++counts_[action.thread.index];
    reduction_->select(state, counts_, chosen_);
    std::size_t in_set = 0;
    for (std::size_t thread = 0; thread < counts_.size(); ++thread)
      if (chosen_[thread]) in_set += counts_[thread];
    ++statistics_.sets;
    statistics_.chosen += in_set;
    statistics_.enabled += all.size();
    statistics_.largest = std::max<std::uint64_t>(statistics_.largest, in_set);
    if (in_set == 1) ++statistics_.single;
    usefulness_.computed(in_set, all.size());
  }
  Choice choice;
  for (const ir::Action action : all) {
    const Sleeper* const asleep = sleeps() ? sleep_sets_.find(sleep, action) : nullptr;
    if (selects && !chosen_[action.thread.index]) {
      choice.leaves_some = choice.leaves_some || asleep == nullptr;
      continue;
    }
    if (asleep != nullptr) {
      ++statistics_.slept;
      choice.stop = choice.stop || dependency_.stops(asleep->summary);
    } else {
      out.push_back(action);
    }
  }
  return choice;
}

void Reducer::rest(std::span<const ir::Action> all, std::span<const ir::Action> taken,
                   SleepId sleep, std::vector<ir::Action>& out) const {
  std::vector<ir::Action> sorted(taken.begin(), taken.end());
  std::sort(sorted.begin(), sorted.end(), before);
  for (const ir::Action action : all) {
    if (std::binary_search(sorted.begin(), sorted.end(), action, before)) continue;
    if (sleeps() && sleep_sets_.contains(sleep, action)) continue;
    out.push_back(action);
  }
}

SummaryId Reducer::summary(const ir::Record& record, const std::uint8_t* before,
                           const std::uint8_t* after, bool stops) {
  return sleeps() ? dependency_.summary(record, extent_, before, after, stops) : SummaryId();
}

SleepId Reducer::child(SleepId sleep, std::span<const Sleeper> explored, ir::Action action,
                       SummaryId executed, const std::uint8_t* state) {
  if (!sleeps()) return SleepSets::empty();
  scratch_.clear();
  inherit(dependency_, sleep_sets_[sleep], action.thread, executed, state, scratch_);
  inherit(dependency_, explored, action.thread, executed, state, scratch_);
  return sleep_sets_.intern(scratch_);
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

bool Reducer::stops(const std::uint8_t* after, ir::ThreadId thread) {
  if (reduction_ == nullptr) return false;
  const ir::Location at = location(step_.layout(), after, thread);
  if (at < ir::kFirstLocation) return is_stopped(at);
  if (!by_micros_ || step_.visible(after, thread)) return false;
  std::copy_n(after, alone_.size(), alone_.begin());
  record_.clear();
  step_.run_invisible(alone_.data(), thread, record_);
  return is_stopped(location(step_.layout(), alone_.data(), thread));
}

std::uint64_t Reducer::memory() const { return dependency_.memory() + sleep_sets_.memory(); }

}  // namespace cml::checker
