// Depth-first search with a store. The reduction decides which actions are explored from a state
// (checker/reduction/reduction.h); the walk is here.
//
//   frames   │ state 0 │ state 4 │ state 5 │          the present path
//   taken    │ a       │ a       │ a       │          the action that is being explored
//   chain    │         │ a a     │         │          and those of states passed through after it
#pragma once

#include <memory>
#include <vector>

#include "checker/reduction/reduction.h"
#include "checker/search/ancestry.h"
#include "checker/search/search.h"
#include "checker/store/heap_codec.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"
#include "support/log.h"

namespace cml::checker {

template <StateCodec Codec>
class DepthFirst final : public Search, private StateGraph {
 public:
  DepthFirst(const SearchInput& input, Codec codec);

  void run() override;
  [[nodiscard]] Path path() const override;
  [[nodiscard]] Statistics statistics() const override;

  [[nodiscard]] std::size_t state_bytes() const override { return store_.state_bytes(); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return frames_.size(); }
  [[nodiscard]] std::uint64_t memory() const override;
  [[nodiscard]] std::uint64_t numbers() const override { return reduction_->numbers(); }

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
    return ancestry_.predecessor(state);
  }
  [[nodiscard]] StateNumber successor(StateNumber state) const override { return known_[state]; }
  [[nodiscard]] Path path_to(StateNumber state) const override { return ancestry_.path_to(state); }

 private:
  struct Frame {
    StateNumber state = 0;
    ir::Action taken;       // invalid thread: none yet
    std::size_t chain = 0;  // what followed the action begins here in chain_
  };

  void load(StateNumber state) { store_.load(state, explorer_.state()); }
  void push_new(StateNumber state, ir::ThreadId moved);
  /// For a state that was visited before.
  void push_again(StateNumber state);
  void pop();
  void step(ir::Action action);
  /// A state from which one action is explored is passed through, as in reduced.h: continues from
  /// the state that was reached to one that is to be stored. The actions are appended to chain_.
  /// Returns the thread whose transition led there.
  ir::ThreadId pass_through(ir::ThreadId moved);

  std::unique_ptr<Reduction> reduction_;
  VisitedStates<Codec> store_;
  bool keeps_ancestry_;
  Ancestry ancestry_;  // for path_to()
  KnownSuccessors known_;
  bool sees_cycles_;  // every cycle is closed at a state that was visited
  Log<Frame> frames_;
  std::vector<ir::Action> chain_;  // of the frames, one after the other
};
extern template class DepthFirst<IdentityCodec>;
extern template class DepthFirst<PackingCodec>;
extern template class DepthFirst<HeapCodec>;

}  // namespace cml::checker
