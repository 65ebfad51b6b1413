// Breadth-first search with a store in which a persistent or stubborn set of the actions of each
// state is explored: the default.
//
// Where the set has a single action, the state has one successor: it is passed through and not
// stored, and its action is appended to the transition before, as a chain. The monitors see all of
// it. The length of chains is limited, so that every cycle has a stored state.
//
//   batch    origins: states that are expanded      items: what their transitions reached
//
//            s ──a──▶ │ item │ ── visited? ──────────────────────────────▶ its number
//                         │  └── else its set has one action ─▶ the item continues, next round
//                         └──────── else ──▶ stored ─────────────────────▶ a new number
//
// The buckets of a round are fetched before any is looked up. A state for which no set is chosen,
// since sets leave out too little, is expanded as in a full search (expansion.h).
//
// Against ignoring (docs/reductions.md, "What keeps it right"): a state from which the set left
// something out is expanded fully, unless at least one transition explored from it leads to a state
// with a greater number, that is, one that is expanded after it. What was left out stays enabled
// there. Numbers cannot grow for ever, so it is explored in the end.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "checker/reduction/reducer.h"
#include "checker/search/depths.h"
#include "checker/search/expansion.h"
#include "checker/search/search.h"
#include "checker/store/column.h"
#include "checker/store/heap_codec.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"
#include "support/buffer.h"
#include "support/log.h"

namespace cml::checker {

template <StateCodec Codec>
class Reduced final : public Search, private StateGraph {
 public:
  Reduced(const SearchInput& input, Codec codec);

  void run() override;
  [[nodiscard]] Path path() const override;
  [[nodiscard]] Statistics statistics() const override;

  [[nodiscard]] std::size_t state_bytes() const override { return store_.state_bytes(); }
  [[nodiscard]] std::uint64_t states() const override { return store_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return store_.size() - next_; }
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
  static constexpr std::size_t kBatch = 256;

  /// A state that is expanded.
  struct Origin {
    StateNumber state = 0;
    SetNumber set;          // valid: actions outside it were left out
    bool progress = false;  // a transition led to a state with a greater number
    bool stops = false;     // a transition stopped its thread
  };
  /// The actions of a chain, backwards; 0 is the end.
  using LinkNumber = std::uint32_t;
  struct Link {
    ir::Action action;
    LinkNumber before = 0;
  };
  /// A state that was reached and is not yet looked up; it lies in states_.
  struct Item {
    StateSet::Hash hash = 0;
    std::uint32_t origin = 0;
    ir::Action action;     // of the origin
    LinkNumber chain = 0;  // behind it
    std::uint32_t length = 0;
    StateNumber likely = 0;  // which it probably is, + 1; 0: none that is known
  };
  /// What was found out about a state when it was stored.
  struct Found {
    StateNumber state = 0;
    SetNumber set;              // the one that was chosen
    std::uint64_t enabled = 0;  // as in Reducer::Single
  };

  /// False: the queue is empty, or the depth limit is reached.
  bool begin_depth();
  void show_states();
  void load(StateNumber state);
  /// The thread whose transition led to a state; invalid: the initial state. Asked for states in
  /// the order of their numbers.
  [[nodiscard]] ir::ThreadId moved_to(StateNumber state);
  /// Null: nothing. Asked in the order of numbers.
  [[nodiscard]] const Found* found(StateNumber state);
  /// All actions of the state that the explorer holds.
  [[nodiscard]] std::span<const ir::Action> enabled(const Found* found);
  /// The set that was chosen; invalid: none, or it is outdated.
  [[nodiscard]] SetNumber chosen_before(const Found* found);
  void visit(StateNumber state);
  /// Fires these actions of the origin that the explorer holds.
  void take(std::uint32_t origin, std::span<const ir::Action> actions);
  /// Looks up what was reached, and passes through what need not be stored.
  void look_up();
  /// A transition from the origin led to a state that was known.
  void made_progress(Origin& origin, StateNumber known);
  /// Passes through the state of an item; what it reaches is item `to` of the next round. False: it
  /// is to be stored; found_ is what is known of it.
  [[nodiscard]] bool pass_through(const Item& item, const std::uint8_t* state, std::size_t to);
  void store(const Item& item, std::size_t slot, const std::uint8_t* state);
  /// Everything that the origins have reached is looked up; then some of them must be expanded
  /// fully.
  void end_batch();
  void take_the_rest(std::uint32_t origin);
  [[nodiscard]] std::uint64_t chain_end(std::uint64_t chain) const {
    return chain + 1 == chain_begins_.size() ? chains_.size() : chain_begins_[chain + 1];
  }
  [[nodiscard]] std::uint8_t* state_of(std::size_t item) {
    return states_.data() + item * explorer_.stride();
  }
  [[nodiscard]] ir::ThreadId moved(const Item& item) const {
    return item.chain == 0 ? item.action.thread : links_[item.chain].action.thread;
  }

  Depths depths_;
  Reducer reducer_;
  VisitedStates<Codec> store_;
  std::uint32_t longest_chain_;
  StateNumber next_ = 0;  // to be expanded
  Column<Predecessor> predecessors_;
  KnownSuccessors known_;
  Expansion<Codec> expansion_;  // of the states without a set
  // The chains that are not empty, in the order of the states to which they led: each ends where
  // the next begins.
  Log<StateNumber> chained_;
  Log<std::uint64_t> chain_begins_;
  Log<ir::Action> chains_;
  std::uint64_t next_chained_ = 0;  // of those that moved_to() has not passed yet
  // Of the states of the present depth, and of the next one.
  Log<Found> found_now_;
  Log<Found> found_next_;
  std::uint64_t next_found_ = 0;
  StateNumber sets_are_of_ = 0;  // the first state whose set is not outdated
  std::uint64_t sets_version_ = 0;
  // The batch.
  std::vector<Origin> origins_;
  std::array<Item, kBatch> items_;
  std::size_t count_ = 0;                  // of items
  std::vector<std::uint8_t> states_;       // of the items
  std::vector<std::uint8_t> next_states_;  // of those of the next round
  std::vector<Link> links_;
  Buffer<ir::Action> enabled_;  // of the origin
  Buffer<ir::Action> chosen_;
  Buffer<ir::Action> chain_;
  Found found_;
  // The path to the present state.
  Predecessor now_;
  bool firing_ = false;       // now_.action counts
  LinkNumber now_chain_ = 0;  // behind it
};
extern template class Reduced<IdentityCodec>;
extern template class Reduced<PackingCodec>;
extern template class Reduced<HeapCodec>;

}  // namespace cml::checker
