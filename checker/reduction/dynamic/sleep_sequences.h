// What sleeps in the states of the path: not only single actions, as in dynamic_reduction.h, but
// sequences that need not be explored from a state, since they are explored from there in any case
// (Abdulla, Atig, Das, Jonsson, Sagonas, "Parsimonious Optimal Dynamic Partial Order Reduction",
// CAV 2024, where they are characterised by the conflicts of events).
//
//   sleeps in a state        x y k      the order of what commutes does not matter
//   x is executed            y k        sleeps in the next one
//   what conflicts is        —          it wakes: the sequence cannot come first any more
//   all of it is             ⨯          what is explored here is explored elsewhere, too
//
// A sequence of which one action is left sleeps as that action does.
//
// Cost: two flat arrays with the stack discipline of the path; an event copies what it shortens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/reduction/dynamic/conflict_table.h"
#include "checker/reduction/reduction.h"

namespace cml::checker {

/// An action of a sequence.
struct SequenceStep {
  ir::Action action;
  bool any_choice = false;   // whatever the thread can choose there
  bool is_possible = false;  // as is known
  SummaryId summary;         // of all that it may do; invalid: not known
};
using Sequence = std::vector<SequenceStep>;

/// Whether all steps of the first sequence can be executed first in the second one.
[[nodiscard]] bool begins(std::span<const SequenceStep> first,
                          std::span<const SequenceStep> sequence, ConflictTable& conflicts);

class SleepSequences {
 public:
  /// It must outlive it.
  explicit SleepSequences(ConflictTable& conflicts) : conflicts_(conflicts) {}

  /// A state of the path. The one behind it is dropped, if there was one.
  void resize(Depth states);
  /// The state behind the last one, and what goes on sleeping there. Calls `single` with each step
  /// that is the only one left of a sequence.
  template <class Single>
  void enter(const SequenceStep& executed, Single single);
  /// Adds one to the last state.
  void add(const Sequence& sequence);
  /// How many sleep in the last state, for truncate().
  [[nodiscard]] std::size_t count() const { return ranges_.size() - first_.back().range; }
  void truncate(std::size_t count);
  /// Whether one that sleeps there can come first in the sequence.
  [[nodiscard]] bool any_begins(Depth depth, std::span<const SequenceStep> sequence);

  [[nodiscard]] std::uint64_t memory() const {
    return first_.capacity() * sizeof(First) + ranges_.capacity() * sizeof(Range) +
           steps_.capacity() * sizeof(SequenceStep);
  }

 private:
  struct Range {
    std::size_t begin = 0;  // in steps_
    std::size_t size = 0;
  };
  /// Of a state: where its ranges begin, and what is appended to steps_ for it.
  struct First {
    std::size_t range = 0;
    std::size_t step = 0;
  };
  [[nodiscard]] std::span<const SequenceStep> steps(const Range& range) const {
    return {steps_.data() + range.begin, range.size};
  }
  /// The step that goes on sleeping alone, if that is so.
  std::optional<SequenceStep> execute(Range range, const SequenceStep& executed);

  ConflictTable& conflicts_;
  std::vector<First> first_;
  std::vector<Range> ranges_;
  std::vector<SequenceStep> steps_;
};

template <class Single>
void SleepSequences::enter(const SequenceStep& executed, Single single) {
  const std::size_t begin = first_.back().range;
  const std::size_t end = ranges_.size();
  first_.push_back({end, steps_.size()});
  for (std::size_t i = begin; i < end; ++i)
    if (const auto step = execute(ranges_[i], executed)) single(*step);
}

}  // namespace cml::checker
