// Optimal DPOR (Abdulla, Aronis, Jonsson, Sagonas, "Source Sets", JACM 2017, Algorithm 2): for each
// state of the path a wakeup tree of what must be explored from there. A race adds the sequence
// that reverses it, v = notdep(e, E).p, not just its first thread, unless what sleeps there can
// begin it; so an execution is never begun that would come to a state in which everything sleeps.
//
//   Explore(E, tree):                                                 here
//     if the tree is empty, put an enabled p that does not sleep      open
//     while there is a first child p of the tree                      next
//       Explore(E.p, what is below p); remove p; add p to Sleep
//     for races e with p, unless some q ∈ Sleep(before e) is a        reverse
//         weak initial of v: insert v into the tree before e
//
// The algorithm looks for races where executions end, and then takes for v all of E that does not
// happen after e. Here it looks as soon as p is executed, so v ends there, and each race is
// reversed once (as in Abdulla, Atig, Das, Jonsson, Sagonas, "Parsimonious Optimal Dynamic
// Partial Order Reduction", CAV 2024): what sleeps and commutes with v, but not with what may
// follow, is in a race with that where it was explored.
//
// Where a thread has several choices, each is explored, with a tree below one of them; where it is
// not known whether an operation is possible in another place (races.h), more may be explored than
// must: such executions end blocked, and are counted.
//
// A step of a tree of which it is not known what it does keeps branches apart that would be one if
// that were known. So it wakes all that sleeps, and does not sleep itself: else a branch could be
// left out since another one begins like it, in which what it needs sleeps.
//
// Cost: a race copies v and compares what sleeps, and the nodes on the way down, with its events.
#pragma once

#include <vector>

#include "checker/reduction/dynamic/dynamic_reduction.h"
#include "checker/reduction/dynamic/wakeup_tree.h"

namespace cml::checker {

class Optimal final : public DynamicReduction {
 public:
  using DynamicReduction::DynamicReduction;

  [[nodiscard]] std::optional<ir::Action> next(Depth depth) override;
  [[nodiscard]] std::uint64_t memory() const override {
    return DynamicReduction::memory() + nodes_.memory();
  }

 private:
  /// An event of v, or the operation, which is the last.
  struct Element {
    WakeupTrees::Step step;
    EventNumber event = 0;  // of the operation: one that is no event
    bool is_left = true;    // not yet taken out of v
  };
  static constexpr EventNumber kOperation = UINT32_MAX;

  void open(Depth depth) override;
  void reverse(EventNumber event, const Operation& operation) override;
  void expand(Depth depth) override;
  void close(Depth depth) override;
  [[nodiscard]] SummaryId as_sleeping(SummaryId executed) override;

  /// Makes v.
  void collect(EventNumber event, const Operation& operation);
  /// Whether the thread has one action there.
  [[nodiscard]] bool has_one(Depth depth, ir::ThreadId thread);
  /// Whether what has been explored from there, or is explored in any case, can begin v.
  [[nodiscard]] bool is_redundant(Depth depth);
  void insert_sequence(WakeupTrees::Trees& trees);
  /// The first element of the thread that is left in v, null for none.
  [[nodiscard]] Element* first_of(ir::ThreadId thread);
  /// Whether no other element that is left must come before this one.
  [[nodiscard]] bool is_first(const Element& element);
  /// Whether a step of a thread that has no element in v commutes with all that is left.
  [[nodiscard]] bool commutes(SummaryId summary);
  [[nodiscard]] bool can_begin(const WakeupTrees::Step& step, Element*& element);
  [[nodiscard]] Item* find(Depth depth, const WakeupTrees::Step& step);

  WakeupTrees nodes_;
  std::vector<WakeupTrees::Trees> trees_;  // of the frames
  WakeupTrees::Trees below_;               // of what next() has said last
  std::optional<SummaryId> step_;          // of that, if it was in a tree
  std::vector<Word> begun_;                // sets of threads of which a choice was taken
  std::vector<Element> v_;
};

}  // namespace cml::checker
