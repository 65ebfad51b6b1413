#include "checker/reduction/dynamic/parsimonious.h"

#include <algorithm>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

Parsimonious::Parsimonious(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                           const MemoryBudget& budget)
    : DynamicReduction(step, analyses, options, budget),
      sleeping_(conflicts_),
      past_(step.system().threads.size()) {}

// ---- the states of the path --------------------------------------------------------------------

void Parsimonious::open(Depth depth) {
  budget_.make_room(notes_, 1);
  if (depth == 0) sleeping_.resize(1);  // else inherit() has done that
  notes_.resize(depth);
  notes_.emplace_back().inherited = sleepers(depth).size();
  first_race_.push_back(races_of_.size());
  is_pending_ = true;
}

void Parsimonious::close(Depth depth) {
  if (!suspended_.empty() && suspended_.back().phase == Suspension::Phase::GoesBack) {
    Suspension& suspension = suspended_.back();
    const bool leads_on = suspension.leads_on;
    suspension.leads_on =
        CML_MUTATED("what-was-gone-back-over-is-left", leads_on || has_work(depth), false);
    if (suspension.leads_on && notes_[depth].taken.thread.valid()) {
      const std::span<const Sleeper> all = sleepers(depth);
      const auto inherited = static_cast<std::ptrdiff_t>(notes_[depth].inherited);
      Suspension::Frame frame;
      frame.leads_on = leads_on;
      frame.items = item_states(depth);
      // The last is what leads on, which will be executed again.
      frame.sleepers.assign(all.begin() + inherited, all.end() - (leads_on ? 1 : 0));
      frame.note = std::move(notes_[depth]);
      suspension.tail.push_back(std::move(frame));
    }
  }
  races_of_.resize(first_race_[depth]);
  first_race_.resize(depth);
  notes_.resize(depth);
  sleeping_.resize(depth);
}

void Parsimonious::inherit(Depth, ir::Action action, SummaryId summary) {
  sleeping_.enter({action, false, true, summary}, [this](const SequenceStep& step) {
    add_sleeper({step.action, step.summary});
  });
}

std::vector<std::uint8_t> Parsimonious::item_states(Depth depth) {
  std::vector<std::uint8_t> states;
  for (const Item& item : items(depth))
    states.push_back(static_cast<std::uint8_t>(item.state));
  return states;
}

void Parsimonious::set_item_states(Depth depth, const std::vector<std::uint8_t>& states) {
  const std::span<Item> all = items(depth);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].state = static_cast<Item::State>(states[i]);
}

bool Parsimonious::has_one(Depth depth, ir::ThreadId thread) {
  const std::span<const Item> all = items(depth);
  return std::count_if(all.begin(), all.end(),
                       [thread](const Item& item) { return item.action.thread == thread; }) == 1;
}

// ---- what is taken -----------------------------------------------------------------------------

std::optional<ir::Action> Parsimonious::next(Depth depth) {
  if (!found_.empty()) suspend();
  for (;;) {
    if (!script_.empty()) {
      if (const auto action = follow(depth)) return action;
      continue;
    }
    if (!suspended_.empty() && suspended_.back().phase == Suspension::Phase::GoesBack) {
      if (depth > suspended_.back().target()) return std::nullopt;
      begin_schedule(suspended_.back());
      continue;
    }
    if (const auto action = continue_at(depth)) return action;
    if (!is_target(depth)) return std::nullopt;
    end_schedule(suspended_.back());
  }
}

std::optional<ir::Action> Parsimonious::follow(Depth depth) {
  const ScriptStep step = script_.back();
  script_.pop_back();
  if (step.restores) {
    Suspension::Frame frame = std::move(resumed_.back());
    resumed_.pop_back();
    const bool leads_on = frame.leads_on;
    restore(depth, std::move(frame));
    if (!leads_on) return std::nullopt;
  }
  Item* chosen = nullptr;
  for (Item& item : items(depth)) {
    const bool is_it = item.action.thread == step.step.action.thread &&
                       (step.step.any_choice || item.action == step.step.action);
    const bool can_be = item.state != Item::State::Asleep || step.is_again;
    if (is_it && can_be && chosen == nullptr) chosen = &item;
  }
  if (chosen == nullptr) {  // it is not possible there, so the race cannot be reversed
    script_.clear();
    notes_[depth].is_closed = true;
    return std::nullopt;
  }
  if (!step.is_again) notes_[depth].is_closed = !step.is_head;
  return take(depth, *chosen, step.is_scheduled, step.is_head, step.is_again);
}

std::optional<ir::Action> Parsimonious::continue_at(Depth depth) {
  PathNote& note = notes_[depth];
  if (!is_target(depth) && !note.expanded.empty()) {
    keep_sleepers(depth, sleepers(depth).size());
    for (const Sleeper& sleeper : note.expanded)
      add_sleeper(sleeper);
    note.expanded.clear();
  }
  const bool is_first = !note.taken.thread.valid();
  for (Item& item : items(depth))
    if (item.state == Item::State::Left && !note.is_closed &&
        (is_first || item.action.thread == note.taken.thread))
      return take(depth, item, note.is_head, note.is_head, false);
  return std::nullopt;
}

ir::Action Parsimonious::take(Depth depth, Item& item, bool is_scheduled, bool is_head,
                              bool is_again) {
  item.state = Item::State::Taken;
  notes_.resize(depth + 1);
  sleeping_.resize(depth + 1);
  races_of_.resize(first_race_[depth]);
  PathNote& note = notes_[depth];
  note.taken = item.action;
  note.is_scheduled = is_scheduled;
  note.is_head = is_head;
  is_pending_ = false;
  is_again_ = is_again;
  return item.action;
}

// ---- going back, and on ------------------------------------------------------------------------

void Parsimonious::suspend() {
  std::ranges::stable_sort(found_, {}, &Schedule::at);
  Suspension& suspension = suspended_.emplace_back();
  suspension.schedules = std::exchange(found_, {});
}

bool Parsimonious::is_target(Depth depth) const {
  return !suspended_.empty() && suspended_.back().phase == Suspension::Phase::Explores &&
         suspended_.back().target() == depth;
}

void Parsimonious::begin_schedule(Suspension& suspension) {
  const Schedule& schedule = suspension.schedules.back();
  const Depth depth = schedule.at;
  PathNote& note = notes_[depth];
  suspension.phase = Suspension::Phase::Explores;
  suspension.note = note;
  suspension.items = item_states(depth);
  suspension.sleepers = sleepers(depth).size();
  keep_sleepers(depth, suspension.sleepers);
  sleeping_.resize(depth + 1);
  suspension.sequences = sleeping_.count();
  note.is_closed = true;
  for (const Sleeper& sleeper : note.expanded)
    add_sleeper(sleeper);
  for (const Sequence& sequence : schedule.asleep) {
    // The first is what was executed from here, which sleeps already.
    if (&sequence != schedule.asleep.data()) {
      if (sequence.size() == 1) {
        add_sleeper({sequence[0].action, sequence[0].summary});
      } else {
        sleeping_.add(sequence);
      }
    }
    note.asleep.push_back(sequence);
  }
  for (std::size_t i = schedule.sequence.size(); i-- > 0;)
    script_.push_back({schedule.sequence[i], true, i + 1 == schedule.sequence.size()});
}

void Parsimonious::end_schedule(Suspension& suspension) {
  const Depth depth = suspension.target();
  if (suspension.schedules.back().is_expansion) {
    const ir::ThreadId thread = suspension.schedules.back().sequence.front().action.thread;
    const std::span<const Sleeper> all = sleepers(depth);
    for (std::size_t i = suspension.sleepers; i < all.size(); ++i)
      if (all[i].action.thread == thread) suspension.note.expanded.push_back(all[i]);
    const std::span<const Item> present = items(depth);
    for (std::size_t i = 0; i < present.size(); ++i)
      if (present[i].action.thread == thread)
        suspension.items[i] = static_cast<std::uint8_t>(present[i].state);
  }
  keep_sleepers(depth, suspension.sleepers);
  sleeping_.resize(depth + 1);
  sleeping_.truncate(suspension.sequences);
  set_item_states(depth, suspension.items);
  suspension.note.is_expanded = suspension.note.is_expanded || notes_[depth].is_expanded;
  notes_[depth] = std::move(suspension.note);
  suspension.schedules.pop_back();
  suspension.phase = Suspension::Phase::GoesBack;
  if (suspension.schedules.empty()) resume(depth);
}

void Parsimonious::resume(Depth depth) {
  Suspension suspension = std::move(suspended_.back());
  suspended_.pop_back();
  if (!suspension.leads_on) return;
  const auto again = [](const PathNote& note, bool restores) {
    return ScriptStep{
        {note.taken, false, false, SummaryId()}, note.is_scheduled, note.is_head, true, restores};
  };
  keep_sleepers(depth, suspension.sleepers - 1);
  resumed_ = std::move(suspension.tail);
  for (const Suspension::Frame& frame : resumed_)
    script_.push_back(again(frame.note, true));
  script_.push_back(again(notes_[depth], false));
}

void Parsimonious::restore(Depth depth, Suspension::Frame frame) {
  set_item_states(depth, frame.items);
  for (const Sleeper& sleeper : frame.sleepers)
    add_sleeper(sleeper);
  for (const Sequence& sequence : frame.note.asleep)
    if (sequence.size() > 1) sleeping_.add(sequence);
  notes_[depth] = std::move(frame.note);
}

// Of a state that is gone back over: what would be taken from it, if nothing were found before it.
bool Parsimonious::has_work(Depth depth) {
  Depth least = depth;
  for (std::size_t i = suspended_.size() - 1; i-- > 0;) {
    const Depth target = suspended_[i].target();
    if (target == depth && least >= depth) return true;
    least = std::min(least, target);
  }
  const PathNote& note = notes_[depth];
  const std::span<const Item> all = items(depth);
  return std::any_of(all.begin(), all.end(), [&note](const Item& item) {
    return item.state == Item::State::Left && !note.is_closed &&
           (!note.taken.thread.valid() || item.action.thread == note.taken.thread);
  });
}

// ---- races -------------------------------------------------------------------------------------

void Parsimonious::reverse(EventNumber event, const Operation& operation) {
  PathNote& note = notes_.back();
  if (!is_pending_) {
    races_of_.push_back(event);
    note.summary = operation.summary;
    note.is_possible = operation.is_possible;
    if (is_again_ || (note.is_scheduled && !note.is_head)) return;
  }
  collect(event, operation.thread, operation.summary, order_.size());
  if (is_left_alone(event) || (v_.empty() && !was_enabled(event, operation.thread))) return;
  if (!is_pending_ && was_reversed(event, operation.thread)) return;
  Schedule schedule;
  schedule.at = event;
  schedule.sequence =
      sequence({{operation.thread, 0}, true, operation.is_possible, operation.summary});
  schedule.asleep = others(event);
  if (!is_redundant(schedule) && !is_explored_now(schedule)) found_.push_back(std::move(schedule));
}

void Parsimonious::expand(Depth depth) {
  if (notes_[depth].is_expanded) return;
  notes_[depth].is_expanded = true;
  std::vector<ir::ThreadId> threads;
  for (const Item& item : items(depth))
    if (item.state == Item::State::Left && item.action.thread != notes_[depth].taken.thread &&
        std::ranges::find(threads, item.action.thread) == threads.end())
      threads.push_back(item.action.thread);
  for (const ir::ThreadId thread : threads) {
    Schedule schedule;
    schedule.at = depth;
    schedule.sequence = {{{thread, 0}, true, false, SummaryId()}};
    schedule.asleep = others(static_cast<EventNumber>(depth));
    schedule.is_expansion = true;
    if (!is_redundant(schedule) && !is_explored_now(schedule))
      found_.push_back(std::move(schedule));
  }
}

// In front of the operation belongs what it conflicts with and what happens before that; but what
// comes to it by way of the event alone, as the release of a lock does, does not.
void Parsimonious::collect(EventNumber event, ir::ThreadId thread, SummaryId operation,
                           EventNumber end) {
  v_.clear();
  EventNumber last = order_.last(thread);
  while (last > end)
    last = order_[last - 1].previous;
  std::fill(past_.begin(), past_.end(), 0);
  if (last != 0) PartialOrder::join(past_, order_.clock(last - 1));
  for (EventNumber later = event + 1; later < end; ++later)
    if (!order_.happens_before(event, later) &&
        conflicts_.conflict(order_[later].summary, operation))
      PartialOrder::join(past_, order_.clock(later));
  for (EventNumber later = event + 1; later < end; ++later)
    if (!order_.happens_before(event, later) && past_[order_.thread(later)] > later)
      v_.push_back(later);
}

bool Parsimonious::is_left_alone(EventNumber event) const {
  if (notes_[event].is_scheduled) return true;
  for (EventNumber later = event + 1; later < order_.size(); ++later)
    if (notes_[later].is_head && CML_MUTATED("what-follows-a-schedule-is-left-alone",
                                             !std::ranges::binary_search(v_, later), true))
      return true;
  return false;
}

bool Parsimonious::was_reversed(EventNumber event, ir::ThreadId thread) {
  const Depth depth = notes_.size() - 1;
  if (has_one(depth, thread)) return false;
  std::vector<EventNumber> race = v_;
  race.push_back(event);
  auto& reversed = notes_[depth].reversed;
  if (std::ranges::find(reversed, race) != reversed.end()) return true;
  reversed.push_back(std::move(race));
  return false;
}

Sequence Parsimonious::sequence(const SequenceStep& last) const {
  Sequence result;
  for (const EventNumber event : v_)
    result.push_back({order_[event].action, false, true, order_[event].summary});
  result.push_back(last);
  return result;
}

std::vector<Sequence> Parsimonious::others(EventNumber event) {
  const ir::Action first = order_[event].action;
  std::vector<Sequence> result;
  result.push_back({{first, has_one(event, first.thread), true, order_[event].summary}});
  const std::vector<EventNumber> v = v_;
  for (EventNumber later = event + 1; later <= order_.size(); ++later) {
    for (const Sequence& sleeping : notes_[later].asleep)
      add_reversal(event, later, sleeping, result);
    for (const Sleeper& sleeper : notes_[later].expanded)
      add_reversal(event, later, {{sleeper.action, true, true, sleeper.summary}}, result);
    if (later == order_.size() || !has_race(later, event)) continue;
    collect(event, order_[later].action.thread, order_[later].summary, later);
    const PathNote& note = notes_[later];
    result.push_back(sequence({order_[later].action, true, note.is_possible, note.summary}));
  }
  v_ = v;
  return result;
}

bool Parsimonious::has_race(Depth event, EventNumber with) const {
  const auto at = [this](std::size_t i) {
    return races_of_.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const std::size_t end =
      event + 1 < first_race_.size() ? first_race_[event + 1] : races_of_.size();
  return std::find(at(first_race_[event]), at(end), with) != at(end);
}

// The execution that is looked at is the path up to there, and then the sequence.
void Parsimonious::add_reversal(EventNumber event, Depth depth, const Sequence& sleeping,
                                std::vector<Sequence>& result) {
  const SequenceStep& last = sleeping.back();
  const Conflict conflict = conflicts_.between(order_[event].summary, last.summary);
  const auto frees = [this](EventNumber one, Conflict with) {
    return with == Conflict::Freed && order_[one].locks.frees;
  };
  if (!last.is_possible || conflict == Conflict::None || frees(event, conflict)) return;
  const auto end = static_cast<EventNumber>(depth);
  // What happens before the sequence; and whether the event does, but for that conflict.
  std::fill(past_.begin(), past_.end(), 0);
  bool depends = false;
  for (const SequenceStep& step : sleeping) {
    EventNumber before = order_.last(step.action.thread);
    while (before > end)
      before = order_[before - 1].previous;
    if (before != 0) PartialOrder::join(past_, order_.clock(before - 1));
    const bool is_last = &step == &last;
    for (EventNumber other = 0; other < end; ++other) {
      if (is_last && other == event) continue;
      const Conflict with = conflicts_.between(order_[other].summary, step.summary);
      if (with == Conflict::None || (is_last && frees(other, with))) continue;
      PartialOrder::join(past_, order_.clock(other));
    }
    depends = depends || past_[order_.thread(event)] > event;
  }
  if (depends) return;
  v_.clear();
  for (EventNumber other = event + 1; other < end; ++other)
    if (!order_.happens_before(event, other) && past_[order_.thread(other)] > other)
      v_.push_back(other);
  Sequence reversal = sequence(sleeping.front());
  reversal.insert(reversal.end(), sleeping.begin() + 1, sleeping.end());
  result.push_back(std::move(reversal));
}

bool Parsimonious::is_redundant(const Schedule& schedule) {
  const std::span<const SequenceStep> v = schedule.sequence;
  for (const Sleeper& sleeper : sleepers(schedule.at)) {
    const SequenceStep step{sleeper.action, has_one(schedule.at, sleeper.action.thread), true,
                            sleeper.summary};
    if (begins({&step, 1}, v, conflicts_)) return true;
  }
  for (const Sleeper& sleeper : notes_[schedule.at].expanded) {
    const SequenceStep step{sleeper.action, has_one(schedule.at, sleeper.action.thread), true,
                            sleeper.summary};
    if (begins({&step, 1}, v, conflicts_)) return true;
  }
  return sleeping_.any_begins(schedule.at, v) ||
         std::ranges::any_of(schedule.asleep, [&](const Sequence& sequence) {
           return begins(sequence, v, conflicts_);
         });
}

// So that there is an end, whatever sleeps: what goes on already need not be begun once more.
bool Parsimonious::is_explored_now(const Schedule& schedule) const {
  Depth least = schedule.at;
  for (auto it = suspended_.rbegin(); it != suspended_.rend(); ++it) {
    if (it->target() < least) return false;
    const Sequence& other = it->schedules.back().sequence;
    if (it->target() == least &&
        std::ranges::equal(other, schedule.sequence,
                           [](const SequenceStep& a, const SequenceStep& b) {
                             return a.action == b.action && a.any_choice == b.any_choice;
                           }))
      return true;
  }
  return false;
}

std::uint64_t Parsimonious::memory() const {
  const auto of = [](const Sequence& sequence) {
    return sizeof(Sequence) + sequence.capacity() * sizeof(SequenceStep);
  };
  const auto of_note = [&of](const PathNote& note) {
    std::uint64_t bytes = sizeof(PathNote) + note.expanded.capacity() * sizeof(Sleeper);
    for (const Sequence& sequence : note.asleep)
      bytes += of(sequence);
    for (const auto& race : note.reversed)
      bytes += sizeof(std::vector<EventNumber>) + race.capacity() * sizeof(EventNumber);
    return bytes;
  };
  std::uint64_t bytes =
      DynamicReduction::memory() + sleeping_.memory() + races_of_.capacity() * sizeof(EventNumber) +
      first_race_.capacity() * sizeof(std::size_t) + script_.capacity() * sizeof(ScriptStep);
  for (const PathNote& note : notes_)
    bytes += of_note(note);
  for (const Suspension& suspension : suspended_) {
    bytes += sizeof(Suspension) + of_note(suspension.note);
    for (const Schedule& schedule : suspension.schedules) {
      bytes += sizeof(Schedule) + of(schedule.sequence);
      for (const Sequence& sequence : schedule.asleep)
        bytes += of(sequence);
    }
    for (const Suspension::Frame& frame : suspension.tail)
      bytes += sizeof(frame) + of_note(frame.note) + frame.items.capacity() +
               frame.sleepers.capacity() * sizeof(Sleeper);
  }
  return bytes;
}

}  // namespace cml::checker
