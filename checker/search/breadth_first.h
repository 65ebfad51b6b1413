// Breadth-first search with a store: the first path to a violation has the fewest transitions.
//
//   states   │ 0 │ … │ 6 │ 7 │ 8 │ 9 │            in the order in which they were found,
//                         ▲ expanded next            which is the order of the queue
//   again    │ state 3, what slept, before 9 │
//
// Some successors, where nothing is reduced those of several states, are made before the first of
// them is looked up in the store, so that the cache misses overlap; one by one where chains are
// passed through.
//
// What a state shows (an invariant that does not hold, stuck threads) is seen one transition before
// what the transitions from states of the same depth do. So where the shortest trace is asked for,
// all states of a depth are shown to the monitors before the first of them is expanded: then
// findings come by the length of their paths. Else each is shown when it is expanded, which asks
// for its actions once instead of twice.
//
// Against ignoring (checker.md §6, trap 1): a state from which the reducer left something out is
// expanded fully, unless at least one transition taken from it leads to a state that is new or
// still waits to be expanded for the first time.
//
// A state that still waits when it is reached again sleeps what all ways to it agree on. One that
// was expanded is queued again for what slept then and does not now.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "checker/search/search.h"
#include "support/log.h"

namespace cml::checker {

class BreadthFirst final : public Search {
 public:
  BreadthFirst(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors,
               const Options& options, const Context& context);

  void run() override;
  [[nodiscard]] Path path() const override;

 private:
  /// To be expanded again, before the state with number `before`.
  struct Again {
    StateNumber state = 0;
    SleepId actions;
    StateNumber before = 0;
  };
  struct Predecessor {
    StateNumber state = 0;
    ir::Action action;
  };
  /// What follows the action that leads to a state, in chains_.
  class Chain {
   public:
    Chain(std::uint64_t begin, std::size_t length) : packed_(begin << 16 | length) {}
    [[nodiscard]] std::uint64_t begin() const { return packed_ >> 16; }
    [[nodiscard]] std::uint64_t length() const { return packed_ & 0xFFFF; }

   private:
    std::uint64_t packed_;
  };
  static_assert(kMaxChain <= UINT16_MAX);
  /// By a transition, and to be looked up.
  struct Reached {
    StateSet::Hash hash = 0;
    SleepId sleep;
    Predecessor by;
  };
  /// What was made of the present state.
  struct Progress {
    bool waits = false;  // a transition led to a state that waits
    bool stops = false;  // a transition stopped its thread
  };

  void add(const Reached& reached);
  /// False: nothing waits.
  bool more();
  [[nodiscard]] bool is_depth_over() const { return next_ == depth_end_ && again_left_ == 0; }
  /// False: it is too deep.
  bool begin_depth();
  /// Shows the states of the present depth to the monitors.
  void show_states();
  void load(StateNumber state);
  /// The thread whose transition led to a state first; invalid: the initial state.
  [[nodiscard]] ir::ThreadId moved_to(StateNumber state) const;
  void visit(StateNumber state);
  void visit_again(const Again& again);
  /// All actions, where nothing is reduced.
  void take_all();
  /// Sets leave out too little to be worth their computation.
  [[nodiscard]] bool skips_set() {
    return options_.composes() && !reducer_.sleeps() && !reducer_.wants_set();
  }
  /// Shows to the monitors what was fired by one call; how many, up to enough of them.
  std::size_t show(std::span<const ir::Action> actions, std::uint8_t* successors);
  /// Takes taken_[i] for i from `from` on.
  void take(std::size_t from, SleepId sleep, Progress& progress);
  void fire_reduced(ir::Action action, SleepId sleep, Progress& progress);
  /// Room for a successor; what is there becomes one by reach().
  [[nodiscard]] std::uint8_t* room() { return successors_.data() + reached_count_ * stride(); }
  void reach(const std::uint8_t* state, ir::Action action, SleepId sleep);
  /// Successors that lie side by side, by these actions.
  void reach(const std::uint8_t* states, std::span<const ir::Action> actions);
  /// Looks up what was reached. True: some of it waits.
  bool keep();
  /// The same where nothing is reduced.
  void keep_all();
  /// Whichever of the two is meant for what waits to be looked up.
  void flush() {
    if (reducer_.any() && !reached_by_all_) {
      (void)keep();
    } else {
      keep_all();
    }
  }
  [[nodiscard]] bool waits(StateNumber state) const { return state >= next_; }
  [[nodiscard]] bool known() const override { return store_.contains(work_.data()); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override {
    return store_.size() - next_ + again_.size();
  }
  [[nodiscard]] std::uint64_t own_memory() const override;

  static constexpr std::size_t kBatch = 32;

  StateSet store_;
  StateNumber next_ = 0;  // to be expanded for the first time
  std::deque<Again> again_;
  Log<Predecessor> predecessors_;  // by state
  Log<Chain> chain_of_;            // by state, where chains are passed through
  Log<ir::Action> chains_;
  std::vector<ir::Action> chain_;  // behind the action that is fired
  Log<SleepId> stored_sleep_;      // by state, where anybody sleeps
  Predecessor now_;                // the state that is expanded, and the action that is fired
  bool firing_ = false;
  std::vector<ir::Action> taken_;
  std::size_t of_thread_ = 0;  // in explored_, the first of those of the thread that goes
  std::vector<Sleeper> explored_;
  std::array<Reached, kBatch> reached_;
  std::size_t reached_count_ = 0;
  bool reached_by_all_ = false;           // what waits to be looked up was reached by take_all()
  std::vector<std::uint8_t> successors_;  // the states that were reached
  // Of the present depth:
  std::uint64_t depth_end_ = 1;  // the first state behind it
  std::size_t again_left_ = 0;
  std::uint64_t depths_ = 0;
};

}  // namespace cml::checker
