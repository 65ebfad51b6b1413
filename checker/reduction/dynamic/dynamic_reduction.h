// What the dynamic reductions share (Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation
// for Optimal Dynamic Partial Order Reduction", JACM 2017, Algorithms 1 and 2): the states of the
// path with their actions, who sleeps in each, the events between them, and their races.
//
//   frame          actions │ a a b c │ a c │ …       Left, Taken or Asleep
//   sleepers       inherited, and then those that were explored from there, with what they did
//   events         one fewer than frames: event e leads from frame e to frame e + 1
//
// What a race asks for is the reduction's own:
//
//   open      a state has been entered in which something can be taken
//   reverse   what does not happen after an event, and then an operation of this thread, must be
//             explored from the state before the event: v = notdep(e, E).p
//   expand    all actions of a state must be explored
//
// A thread stands for all its choices: where one is explored, all are. Threads that are blocked
// where an execution ends, because nothing is enabled or all that is sleeps, have races as well
// (races.h); without that, a thread that came too late for a lock would never come first.
//
// Which events of v can come first is known of those that were executed, as what they did depends
// on what happens before them alone. The operation comes last in v, and is executed there in a
// state in which it was not executed yet; but a summary says what it *may* do (conflict_table.h).
//
// Cost: an event compares its summary with those of the events before it (a byte each), and a race
// walks over what follows its first event. Nothing is allocated once the arrays have their size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/options.h"
#include "checker/reduction/dynamic/conflict_table.h"
#include "checker/reduction/dynamic/partial_order.h"
#include "checker/reduction/dynamic/races.h"
#include "checker/reduction/reduction.h"
#include "checker/reduction/sleep.h"
#include "checker/reduction/thread_order.h"
#include "support/buffer.h"
#include "support/mutation.h"

namespace cml::checker {

class DynamicReduction : public Reduction, private EnabledBefore {
 public:
  /// All must outlive it.
  DynamicReduction(ir::Step& step, const ir::Analyses& analyses, const Options& options,
                   const MemoryBudget& budget);

  void entered(Depth depth, const StateView& state, std::span<const ir::Action> enabled) final;
  void executed(Depth depth, ir::Action action, const Transition& transition) final;
  void stored(StateNumber) final {}
  [[nodiscard]] bool matched(Depth, StateNumber) final { return false; }
  void left(Depth depth) final;
  [[nodiscard]] bool passes_through() const final { return false; }
  [[nodiscard]] std::optional<ir::Action> only(const StateView&,
                                               std::span<const ir::Action>) final {
    return std::nullopt;
  }
  [[nodiscard]] bool must_stop(const Transition&, ir::Action) final { return false; }
  [[nodiscard]] bool is_blocked(Depth depth) const final;
  [[nodiscard]] ReductionStatistics statistics() const final { return statistics_; }
  [[nodiscard]] std::uint64_t memory() const override;
  [[nodiscard]] std::uint64_t numbers() const final { return conflicts_.numbers(); }

 protected:
  /// What an operation of a thread would be behind what does not happen after an event.
  struct Operation {
    ir::ThreadId thread;
    SummaryId summary;         // what it may do
    bool is_possible = false;  // before the event, as is known
  };

  virtual void open(Depth depth) = 0;
  /// Called after executed(), or for an operation that is blocked.
  virtual void reverse(EventNumber event, const Operation& operation) = 0;
  virtual void expand(Depth depth) = 0;
  virtual void close(Depth depth) = 0;
  /// Whether what is to be taken from the state that is entered is known: no execution ends there.
  [[nodiscard]] virtual bool is_on_the_way() const { return false; }
  /// As what a transition that was executed sleeps, and wakes others. Invalid: as what depends on
  /// all, where that is what it was told from others by.
  [[nodiscard]] virtual SummaryId as_sleeping(SummaryId executed) { return executed; }
  /// Called last of all: who goes on sleeping in the state that was reached may be added to.
  virtual void inherit(Depth, ir::Action, SummaryId) {}

  struct Item {
    ir::Action action;
    enum class State : std::uint8_t { Left, Taken, Asleep } state = State::Left;
  };
  [[nodiscard]] std::span<Item> items(Depth depth) {
    const Frame& frame = frames_[depth];
    return {items_.data() + frame.items, frame.end - frame.items};
  }
  [[nodiscard]] std::span<const Sleeper> sleepers(Depth depth) const {
    const std::size_t begin = frames_[depth].sleepers;
    // Where there is a frame behind it, its list begins where this one ends.
    const std::size_t end =
        depth + 1 < frames_.size() ? frames_[depth + 1].sleepers : sleepers_.size();
    return {sleepers_.data() + begin, end - begin};
  }
  /// In the last state.
  void add_sleeper(const Sleeper& sleeper) {
    budget_.make_room(sleepers_, 1);
    sleepers_.push_back(sleeper);
  }
  /// Of the state at this depth, which becomes the last: keeps the first ones.
  void keep_sleepers(Depth depth, std::size_t count) {
    go_back_to(depth);
    sleepers_.resize(frames_[depth].sleepers + count);
  }
  [[nodiscard]] bool was_enabled(EventNumber event, ir::ThreadId thread) const final {
    return has(enabled_, event, thread.index);
  }
  [[nodiscard]] std::uint32_t threads() const { return static_cast<std::uint32_t>(threads_); }
  /// Of the events of v = notdep(event), those that no other of v happens before: calls
  /// `initial(EventNumber)`, until it returns true.
  template <class Initial>
  bool for_each_initial(EventNumber event, Initial initial);
  /// After that, all of it: whether the operation can come first.
  [[nodiscard]] bool is_initial(EventNumber event, const Operation& operation);

  // Sets of threads, one for each frame, one behind the other.
  using Word = std::uint64_t;
  [[nodiscard]] bool has(const std::vector<Word>& sets, Depth depth, std::uint32_t thread) const {
    return (sets[depth * words_ + thread / 64] >> (thread % 64) & 1) != 0;
  }
  void insert(std::vector<Word>& sets, Depth depth, std::uint32_t thread) const {
    sets[depth * words_ + thread / 64] |= Word{1} << (thread % 64);
  }

  const MemoryBudget& budget_;
  bool only_last_;  // race of an operation counts
  bool has_sleep_sets_;
  ConflictTable conflicts_;
  PartialOrder order_;
  std::size_t words_;          // of a set of threads
  std::vector<Word> enabled_;  // sets of threads

 private:
  struct Frame {
    std::uint32_t items = 0;     // where its actions begin
    std::uint32_t end = 0;       // and end
    std::uint32_t sleepers = 0;  // where those that sleep begin
    bool is_leaf = false;
  };

  /// Drops what was executed from this state, where the search has not entered where it led.
  void go_back_to(Depth depth);
  /// Of an operation that was executed, or is blocked.
  void look_for_races(ir::ThreadId thread, ir::Location at, SummaryId summary);
  /// The races of threads that are blocked in a state from which nothing is explored.
  void look_at_blocked(Depth depth, const std::uint8_t* state);

  ir::Step& step_;
  std::size_t threads_;
  ThreadOrder thread_order_;
  Buffer<ir::Action> scratch_;
  Races races_;
  std::vector<Frame> frames_;
  Buffer<Item> items_;
  std::vector<Sleeper> sleepers_;
  std::vector<EventNumber> first_;   // by thread: 1 + its first event in v, of for_each_initial
  std::vector<std::uint32_t> seen_;  // the threads that have one
  ReductionStatistics statistics_;
};

// An event is an initial if its clock has not reached the first event in v of any other thread.
template <class Initial>
bool DynamicReduction::for_each_initial(EventNumber event, Initial initial) {
  for (const std::uint32_t thread : seen_)
    first_[thread] = 0;
  seen_.clear();
  for (EventNumber later = event + 1; later < order_.size(); ++later) {
    const std::uint32_t thread = order_.thread(later);
    if (first_[thread] != 0 || order_.happens_before(event, later)) continue;
    const PartialOrder::ConstClock clock = order_.clock(later);
    bool is_one = true;
    for (const std::uint32_t other : seen_)
      is_one = is_one && clock[other] < first_[other];
    first_[thread] = later + 1;
    seen_.push_back(thread);
    if ((is_one || CML_MUTATION("every-event-is-an-initial")) && initial(later)) return true;
  }
  return false;
}

}  // namespace cml::checker
