// Breadth-first search with a store: the first path to a violation has the fewest transitions.
//
//   queue   … │ state 7 │ state 8 │ again: state 3, what slept │ state 9 │
//             ▲ expanded next
//
// Up to 16 successors of a state are made before the first of them is looked up, so that the
// store's cache misses overlap; one by one where chains are passed through.
//
// Against ignoring (checker.md §6, trap 1): a state from which the reducer left something out is
// expanded fully, unless at least one transition taken from it leads to a state that is new or
// still waits to be expanded for the first time.
//
// A state that still waits when it is reached again sleeps what all ways to it agree on. One that
// was expanded is queued again for what slept then and does not now.
#pragma once

#include <deque>
#include <vector>

#include "checker/search.h"

namespace cml::checker {

class BreadthFirst final : public Search {
 public:
  BreadthFirst(ir::Step& step, const ir::StaticFacts& facts, Monitors& monitors,
               const Options& options, const Context& context);

  void run() override;
  [[nodiscard]] Path path() const override;

 private:
  struct Work {
    StateNumber state = 0;
    SleepId again;  // invalid: the first time
  };
  struct Predecessor {
    StateNumber state = 0;
    ir::Entry entry;
    // What followed the entry, in chains_.
    std::uint32_t chain = 0;
    std::uint32_t chain_length = 0;
  };

  void add(StateNumber state, SleepId sleep, Predecessor predecessor);
  void visit(const Work& work);
  /// Takes taken_[i] for i from `from` on. True: a transition led to a state that waits.
  bool take(std::size_t from, SleepId sleep, bool& stop);
  /// Fires some of them, at most up to `end`, and fetches what the store will be asked for.
  void fire(std::size_t from, std::size_t end, SleepId sleep, bool& stop);
  /// Stores what was reached.
  bool keep(std::size_t from);
  [[nodiscard]] std::uint8_t* successor(std::size_t i) { return successors_.data() + i * bytes(); }
  [[nodiscard]] bool known() const override { return store_.contains(work_.data()); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return queue_.size(); }
  [[nodiscard]] std::uint64_t own_memory() const override;

  static constexpr std::size_t kBatch = 16;
  struct Reached {
    SleepId sleep;
    StateStore::Hash hash = 0;
  };

  StateStore store_;
  std::deque<Work> queue_;
  std::vector<Predecessor> predecessors_;  // by state
  std::vector<ir::Entry> chains_;
  std::vector<ir::Entry> chain_;       // behind the entry that is fired
  std::vector<SleepId> stored_sleep_;  // by state, where anybody sleeps
  std::vector<bool> expanded_;         // by state
  StateNumber current_ = 0;
  bool firing_ = false;
  ir::Entry entry_;
  std::vector<ir::Entry> taken_;
  std::vector<Sleeper> explored_;
  std::vector<Reached> reached_;          // by a batch of transitions
  std::vector<std::uint8_t> successors_;  // the states
};

}  // namespace cml::checker
