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
// The buckets of a round are fetched before any is looked up.
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
#include "checker/search/search.h"
#include "checker/store/column.h"
#include "checker/store/packing_codec.h"
#include "checker/store/visited_states.h"
#include "support/log.h"

namespace cml::checker {

template <StateCodec Codec>
class Reduced final : public Search {
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

 private:
  static constexpr std::size_t kBatch = 256;

  /// How a state was first reached: by an action, and those that its chain added.
  struct Predecessor {
    StateNumber state = 0;
    ir::Action action;
  };
  class Chain {  // of at most UINT16_MAX actions
   public:
    Chain(std::uint64_t begin, std::size_t length) : packed_(begin << 16 | length) {}
    [[nodiscard]] std::uint64_t begin() const { return packed_ >> 16; }
    [[nodiscard]] std::uint64_t length() const { return packed_ & 0xFFFF; }

   private:
    std::uint64_t packed_;
  };

  /// A state that is expanded.
  struct Origin {
    StateNumber state = 0;
    bool is_reduced = false;  // actions were left out
    bool progress = false;    // a transition led to a state with a greater number
    bool stops = false;       // a transition stopped its thread
    std::size_t taken = 0;    // its actions in taken_
    std::size_t taken_end = 0;
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
    bool is_stored = false;  // it is no state to pass through
    SetNumber set;           // of the state, as far as it is known
  };

  /// False: the queue is empty, or the depth limit is reached.
  bool begin_depth();
  void show_states();
  void load(StateNumber state);
  [[nodiscard]] ir::ThreadId moved_to(StateNumber state) const;
  void visit(StateNumber state);
  /// Fires these actions of the present origin, in taken_.
  void take(std::size_t begin, std::size_t end);
  /// Looks up what was reached, and passes through what need not be stored.
  void look_up();
  /// Passes through the state of an item; what it reaches is item `to`. False: it is to be stored.
  [[nodiscard]] bool pass_through(Item& item, const std::uint8_t* state, std::size_t to);
  void store(const Item& item, std::size_t slot, const std::uint8_t* state);
  /// Everything that the origins have reached is looked up; then some of them must be expanded
  /// fully.
  void end_batch();
  void take_the_rest(std::uint32_t origin);
  [[nodiscard]] std::uint8_t* state_of(std::size_t item) {
    return states_.data() + item * explorer_.stride();
  }
  [[nodiscard]] ir::ThreadId moved(const Item& item) const {
    return item.chain == 0 ? item.action.thread : links_[item.chain].action.thread;
  }

  Reducer reducer_;
  VisitedStates<Codec> store_;
  StateNumber next_ = 0;  // to be expanded
  Column<Predecessor> predecessors_;
  Column<Chain> chain_of_;
  Log<ir::Action> chains_;
  Column<SetNumber> set_of_;     // invalid: not known, or all
  StateNumber sets_are_of_ = 0;  // the first state whose set_of_ is not outdated
  std::uint64_t sets_version_ = 0;
  // The batch.
  std::vector<Origin> origins_;
  std::uint32_t origin_ = 0;       // the one that is expanded
  bool passes_through_ = false;    // what it reaches need not be stored
  std::vector<ir::Action> taken_;  // of the origins, one after the other
  std::array<Item, kBatch> items_;
  std::size_t count_ = 0;             // of items
  std::vector<std::uint8_t> states_;  // of the items
  std::vector<Link> links_;
  std::vector<std::uint8_t> from_;  // the origin that is expanded
  std::vector<ir::Action> single_;
  // The path to the present state.
  Predecessor now_;
  bool firing_ = false;       // now_.action counts
  LinkNumber now_chain_ = 0;  // behind it
  // Of the present depth:
  std::uint64_t depth_end_ = 1;  // the first state behind it
  std::uint64_t depths_ = 0;
};
extern template class Reduced<IdentityCodec>;
extern template class Reduced<PackingCodec>;

}  // namespace cml::checker
