#include "checker/reduction/dynamic/dynamic_reduction.h"

#include <algorithm>

namespace cml::checker {

DynamicReduction::DynamicReduction(ir::Step& step, const ir::Analyses& analyses,
                                   const Options& options, const MemoryBudget& budget)
    : budget_(budget),
      only_last_(options.reduction.sets == Sets::Clock),
      has_sleep_sets_(options.reduction.sleep),
      conflicts_(step, analyses, options.reduction.keeps_order),
      order_(step.system().threads.size()),
      words_((step.system().threads.size() + 63) / 64),
      step_(step),
      threads_(step.system().threads.size()),
      thread_order_(options, step.system().threads.size()),
      races_(order_, conflicts_, *this),
      first_(threads_) {}

// ---- the frames --------------------------------------------------------------------------------

void DynamicReduction::entered(Depth depth, const StateView& state,
                               std::span<const ir::Action> enabled) {
  if (depth == 0) frames_.push_back({});  // else executed() has made it
  Frame& frame = frames_[depth];
  budget_.make_room(items_, enabled.size());
  budget_.make_room(enabled_, words_);
  enabled_.resize((depth + 1) * words_, 0);
  frame.items = static_cast<std::uint32_t>(items_.size());
  frame.is_leaf = !is_on_the_way();
  scratch_.clear();
  scratch_.append(enabled);
  thread_order_.arrange({scratch_.begin(), scratch_.end()});
  for (const ir::Action action : scratch_) {
    const bool is_asleep =
        std::any_of(sleepers_.begin() + frame.sleepers, sleepers_.end(),
                    [action](const Sleeper& sleeper) { return sleeper.action == action; });
    statistics_.slept += is_asleep ? 1 : 0;
    frame.is_leaf = frame.is_leaf && is_asleep;
    items_.push_back({action, is_asleep ? Item::State::Asleep : Item::State::Left});
    insert(enabled_, depth, action.thread.index);
  }
  frame.end = static_cast<std::uint32_t>(items_.size());
  open(depth);
  if (frame.is_leaf && !CML_MUTATION("blocked-operations-are-in-no-race"))
    look_at_blocked(depth, state.bytes);
}

void DynamicReduction::executed(Depth depth, ir::Action action, const Transition& transition) {
  go_back_to(depth);
  const ir::Location from = location(step_.layout(), transition.before, action.thread);
  const SummaryId summary = conflicts_.executed(transition);
  look_for_races(action.thread, from, summary);
  order_.push(action, summary, conflicts_.locks(transition), races_.clock());

  const std::uint32_t begin = frames_[depth].sleepers;
  const auto end = static_cast<std::uint32_t>(sleepers_.size());
  budget_.make_room(sleepers_, end - begin + 1);
  budget_.make_room(frames_, 1);
  const SummaryId wide = as_sleeping(summary);
  if (has_sleep_sets_ && wide.valid()) sleepers_.push_back({action, wide});
  Frame child;
  child.sleepers = static_cast<std::uint32_t>(sleepers_.size());
  for (std::uint32_t at = begin; at < end; ++at) {
    const Sleeper sleeper = sleepers_[at];
    if (sleeper.action.thread == action.thread) continue;
    if ((wide.valid() && !conflicts_.conflict(sleeper.summary, wide)) ||
        CML_MUTATION("conflicting-actions-go-on-sleeping"))
      sleepers_.push_back(sleeper);
  }
  inherit(depth, action, summary);
  frames_.push_back(child);
}

void DynamicReduction::go_back_to(Depth depth) {
  if (frames_.size() <= depth + 1) return;
  sleepers_.resize(frames_[depth + 1].sleepers);
  frames_.resize(depth + 1);
  order_.resize(static_cast<EventNumber>(depth));
}

void DynamicReduction::left(Depth depth) {
  go_back_to(depth);
  close(depth);
  const std::span<const Item> all = items(depth);
  if (all.size() > 1) {
    const auto taken = static_cast<std::uint64_t>(std::count_if(
        all.begin(), all.end(), [](const Item& item) { return item.state == Item::State::Taken; }));
    ++statistics_.sets;
    statistics_.chosen += taken;
    statistics_.enabled += all.size();
    statistics_.largest = std::max(statistics_.largest, taken);
    statistics_.single += taken == 1 ? 1 : 0;
  }
  items_.resize(frames_[depth].items);
  // In the list of the state before there is the transition that led here.
  sleepers_.resize(frames_[depth].sleepers);
  frames_.pop_back();
  enabled_.resize(depth * words_);
  order_.resize(static_cast<EventNumber>(depth == 0 ? 0 : depth - 1));
}

bool DynamicReduction::is_blocked(Depth depth) const {
  return frames_[depth].is_leaf && frames_[depth].end > frames_[depth].items;
}

// ---- races -------------------------------------------------------------------------------------

void DynamicReduction::look_at_blocked(Depth depth, const std::uint8_t* state) {
  for (const ir::ThreadId thread : step_.system().threads.ids()) {
    const ir::Location at = location(step_.layout(), state, thread);
    if (at < ir::kFirstLocation || has(enabled_, depth, thread.index)) continue;
    look_for_races(thread, at, conflicts_.pending(state, thread));
  }
}

void DynamicReduction::look_for_races(ir::ThreadId thread, ir::Location at, SummaryId summary) {
  const Blocking blocking = conflicts_.blocking(thread, at);
  const std::span<const Race> races = races_.find(thread, summary, blocking, only_last_);
  if (races.empty()) return;
  Operation operation{thread, summary};
  for (const Race& race : races) {
    operation.is_possible = race.is_certain && blocking != Blocking::Other;
    if (race.cure == Race::Cure::Expand) {
      expand(race.event);
    } else {
      reverse(race.event, operation);
    }
  }
}

bool DynamicReduction::is_initial(EventNumber event, const Operation& operation) {
  if (first_[operation.thread.index] != 0) return false;
  for (EventNumber later = event + 1; later < order_.size(); ++later)
    if (!order_.happens_before(event, later) &&
        conflicts_.conflict(order_[later].summary, operation.summary))
      return false;
  return true;
}

std::uint64_t DynamicReduction::memory() const {
  return conflicts_.memory() + order_.memory() + frames_.capacity() * sizeof(Frame) +
         items_.capacity() * sizeof(Item) + sleepers_.capacity() * sizeof(Sleeper) +
         enabled_.capacity() * sizeof(Word);
}

}  // namespace cml::checker
