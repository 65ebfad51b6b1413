// Breadth-first search with a store in which nothing is left out. What is queued are the states
// that are stored and not yet expanded, in the order of their numbers.
//
//   stored   │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │            a batch: successors of several states, whose
//                      ▲           ▲              buckets are fetched before any is looked up
//                      next        the last
#pragma once

#include <array>
#include <vector>

#include "checker/search/search.h"
#include "checker/store/column.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"

namespace cml::checker {

template <StateCodec Codec>
class Full final : public Search {
 public:
  Full(const SearchInput& input, Codec codec);

  void run() override;
  [[nodiscard]] Path path() const override;

  [[nodiscard]] std::size_t state_bytes() const override { return store_.state_bytes(); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return store_.size() - next_; }
  [[nodiscard]] std::uint64_t memory() const override {
    return store_.memory() + predecessors_.memory();
  }

 private:
  struct Predecessor {
    StateNumber state = 0;
    ir::Action action;
  };
  /// A state reached by a transition, to be looked up.
  struct Reached {
    StateSet::Hash hash = 0;
    Predecessor by;
  };

  /// False: the depth limit is reached.
  bool begin_depth();
  /// Shows the states of the present depth to the monitors, where the shortest trace is wanted.
  void show_states();
  void load(StateNumber state);
  void visit(StateNumber state);
  void take_all(std::span<const ir::Action> actions);
  /// Consecutive successors, reached by these actions.
  void reach(const std::uint8_t* states, std::span<const ir::Action> actions);
  /// Looks up what was reached.
  void flush();
  [[nodiscard]] std::uint8_t* room() {
    return successors_.data() + reached_count_ * explorer_.stride();
  }
  /// The thread whose transition led to a state; invalid: the initial state.
  [[nodiscard]] ir::ThreadId moved_to(StateNumber state) const {
    return state == 0 ? ir::ThreadId() : predecessors_[state].action.thread;
  }

  static constexpr std::size_t kBatch = 32;

  VisitedStates<Codec> store_;
  StateNumber next_ = 0;  // to be expanded
  Column<Predecessor> predecessors_;
  Predecessor now_;  // the state that is expanded, and the action that is fired
  bool firing_ = false;
  std::array<Reached, kBatch> reached_;
  std::size_t reached_count_ = 0;
  std::vector<std::uint8_t> successors_;  // the states that were reached
  std::uint64_t depth_end_ = 1;           // the first state behind the present depth
  std::uint64_t depths_ = 0;
};
extern template class Full<IdentityCodec>;
extern template class Full<PackingCodec>;

}  // namespace cml::checker
