// The execution that a dynamic reduction is looking at, as a partial order: its events, and for
// each of them which others happen before it (Mattern's vector clocks; Flanagan and Godefroid, POPL
// 2005).
//
//   event      0   1   2   3   4        clock of event 4, of thread B, by thread: how many of the
//   thread     A   B   A   C   B        first events of the execution contain all of that thread
//   clock[4]   3   5   0                that happen before it, itself included
//
// Flat arrays, which keep the size that they have reached; an event costs a row of the clocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/reduction/dependency.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// Of an event in the execution: how many there are before it.
using EventNumber = std::uint32_t;

class PartialOrder {
 public:
  explicit PartialOrder(std::size_t threads) : threads_(threads), last_(threads) {}

  /// What an event has certainly done with the locks in its summary, which says what it may do.
  struct Locks {
    bool takes = false;  // it was free
    bool frees = false;
  };
  struct Event {
    ir::Action action;
    SummaryId summary;
    Locks locks;
    EventNumber previous = 0;  // 1 + the one before of its thread; 0: it is the first
  };
  /// By thread: 1 + the last event that happens before, 0 for none.
  using Clock = std::span<EventNumber>;
  using ConstClock = std::span<const EventNumber>;

  [[nodiscard]] EventNumber size() const { return static_cast<EventNumber>(events_.size()); }
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] const Event& operator[](EventNumber event) const { return events_[event]; }
  [[nodiscard]] std::uint32_t thread(EventNumber event) const {
    return events_[event].action.thread.index;
  }
  /// 1 + the last event of a thread, 0 for none.
  [[nodiscard]] EventNumber last(ir::ThreadId thread) const { return last_[thread.index]; }
  [[nodiscard]] ConstClock clock(EventNumber event) const {
    return {clocks_.data() + event * threads_, threads_};
  }
  /// Of two events, or one and itself.
  [[nodiscard]] bool happens_before(EventNumber first, EventNumber second) const {
    return clocks_[second * threads_ + thread(first)] > first;
  }

  /// The clock of the thread after its last event.
  void copy_clock(ir::ThreadId thread, Clock to) const {
    const EventNumber last = last_[thread.index];
    if (last == 0) return std::fill(to.begin(), to.end(), 0);
    const ConstClock from = clock(last - 1);
    std::copy(from.begin(), from.end(), to.begin());
  }
  static void join(Clock to, ConstClock from) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = std::max(to[i], from[i]);
  }

  /// `clock`: of the event, itself not yet included.
  void push(ir::Action action, SummaryId summary, Locks locks, ConstClock clock) {
    EventNumber& last = last_[action.thread.index];
    events_.push_back({action, summary, locks, last});
    last = size();
    clocks_.insert(clocks_.end(), clock.begin(), clock.end());
    clocks_[clocks_.size() - threads_ + action.thread.index] = last;
  }
  /// Drops the last events.
  void resize(EventNumber size) {
    while (events_.size() > size) {
      last_[events_.back().action.thread.index] = events_.back().previous;
      events_.pop_back();
    }
    clocks_.resize(events_.size() * threads_);
  }

  [[nodiscard]] std::uint64_t memory() const {
    return events_.capacity() * sizeof(Event) + clocks_.capacity() * sizeof(EventNumber);
  }

 private:
  std::size_t threads_;
  std::vector<Event> events_;
  std::vector<EventNumber> clocks_;  // of the events, one behind the other
  std::vector<EventNumber> last_;
};

}  // namespace cml::checker
