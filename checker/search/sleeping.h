// Breadth-first search with a store and sleep sets, alone or on top of persistent or stubborn sets.
//
// Against ignoring (docs/reductions.md, "What keeps it right"): a state from which a set left
// something out is expanded fully, unless at least one transition explored from it leads to a state
// that is expanded after it, as in reduced.h. Sleeping transitions are not explored, so they do not
// count.
//
// For a state that is still queued when it is reached again, the sleep set is the intersection over
// all paths to it. One that was expanded is queued again for what slept then and does not now.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "checker/reduction/reducer.h"
#include "checker/search/depths.h"
#include "checker/search/search.h"
#include "checker/store/column.h"
#include "checker/store/heap_codec.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"
#include "support/buffer.h"

namespace cml::checker {

template <StateCodec Codec>
class Sleeping final : public Search, private StateGraph {
 public:
  Sleeping(const SearchInput& input, Codec codec);

  void run() override;
  [[nodiscard]] Path path() const override;
  [[nodiscard]] Statistics statistics() const override;

  [[nodiscard]] std::size_t state_bytes() const override { return store_.state_bytes(); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override {
    return store_.size() - next_ + again_.size();
  }
  [[nodiscard]] std::uint64_t memory() const override;
  [[nodiscard]] std::uint64_t numbers() const override { return reducer_.numbers(); }

  [[nodiscard]] StateGraph* graph() override { return this; }
  [[nodiscard]] StateNumber size() const override {
    return static_cast<StateNumber>(store_.size());
  }
  void load_state(StateNumber state, std::uint8_t* working) override {
    store_.load(state, working);
  }
  [[nodiscard]] std::optional<StateNumber> find_state(const std::uint8_t* working) override {
    return store_.find(working);
  }
  [[nodiscard]] StateNumber predecessor(StateNumber state) const override {
    return predecessors_[state].state;
  }
  [[nodiscard]] StateNumber successor(StateNumber state) const override { return known_[state]; }
  [[nodiscard]] Path path_to(StateNumber state) const override;

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
  /// A state reached by a transition, to be looked up.
  struct Reached {
    StateSet::Hash hash = 0;
    SleepId sleep;
    Predecessor by;
  };
  /// What the transitions of the present state have led to.
  struct Progress {
    bool waits = false;  // a transition led to a state that is queued
    bool stops = false;  // a transition stopped its thread
  };

  void add(const Reached& reached);
  /// False: the queue is empty.
  bool more();
  [[nodiscard]] bool is_depth_over() const { return next_ == depths_.end() && again_left_ == 0; }
  /// False: the depth limit is reached.
  bool begin_depth();
  void show_states();
  void load(StateNumber state);
  [[nodiscard]] ir::ThreadId moved_to(StateNumber state) const {
    return state == 0 ? ir::ThreadId() : predecessors_[state].action.thread;
  }
  void visit(StateNumber state);
  void visit_again(const Again& again);
  /// Takes taken_[i] for i from `from` on.
  void take(std::size_t from, SleepId sleep, Progress& progress);
  void fire(ir::Action action, SleepId sleep, Progress& progress);
  /// Room for a successor.
  [[nodiscard]] std::uint8_t* room() {
    return successors_.data() + reached_count_ * explorer_.stride();
  }
  /// Looks up what was reached. True: some of it is queued.
  bool look_up();
  [[nodiscard]] bool waits(StateNumber state) const { return state >= next_; }

  static constexpr std::size_t kBatch = 32;

  Depths depths_;
  Reducer reducer_;
  VisitedStates<Codec> store_;
  StateNumber next_ = 0;  // to be expanded for the first time
  std::deque<Again> again_;
  Column<Predecessor> predecessors_;
  KnownSuccessors known_;
  Column<SleepId> stored_sleep_;
  Predecessor now_;  // the state that is expanded, and the action that is fired
  bool firing_ = false;
  Buffer<ir::Action> taken_;
  std::size_t of_thread_ = 0;  // in explored_, the first of those of the thread that moves
  std::vector<Sleeper> explored_;
  std::array<Reached, kBatch> reached_;
  std::size_t reached_count_ = 0;
  std::vector<std::uint8_t> successors_;  // the states that were reached
  std::size_t again_left_ = 0;            // in the present depth
};
extern template class Sleeping<IdentityCodec>;
extern template class Sleeping<PackingCodec>;
extern template class Sleeping<HeapCodec>;

}  // namespace cml::checker
