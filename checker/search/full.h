// Breadth-first search with a store in which nothing is left out. What is queued are the states
// that are stored and not yet expanded, in the order of their numbers.
//
//   stored   │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │            a batch: successors of several states, whose
//                      ▲           ▲              buckets are fetched before any is looked up
//                      next        the last
#pragma once

#include "checker/search/depths.h"
#include "checker/search/expansion.h"
#include "checker/search/search.h"
#include "checker/store/column.h"
#include "checker/store/heap_codec.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"

namespace cml::checker {

template <StateCodec Codec>
class Full final : public Search, private StateGraph {
 public:
  Full(const SearchInput& input, Codec codec);

  void run() override;
  [[nodiscard]] Path path() const override;

  [[nodiscard]] std::size_t state_bytes() const override { return store_.state_bytes(); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return store_.size() - next_; }
  [[nodiscard]] std::uint64_t memory() const override {
    return store_.memory() + predecessors_.memory() + known_.memory();
  }

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
  /// False: the queue is empty, or the depth limit is reached.
  bool begin_depth();
  /// Shows the states of the present depth to the monitors, where the shortest trace is wanted.
  void show_states();
  void load(StateNumber state);
  void visit(StateNumber state);
  /// The thread whose transition led to a state; invalid: the initial state.
  [[nodiscard]] ir::ThreadId moved_to(StateNumber state) const {
    return state == 0 ? ir::ThreadId() : predecessors_[state].action.thread;
  }

  Depths depths_;
  VisitedStates<Codec> store_;
  StateNumber next_ = 0;  // to be expanded
  Column<Predecessor> predecessors_;
  KnownSuccessors known_;
  Expansion<Codec> expansion_;
  StateNumber now_ = 0;  // the state that is expanded
};
extern template class Full<IdentityCodec>;
extern template class Full<PackingCodec>;
extern template class Full<HeapCodec>;

}  // namespace cml::checker
