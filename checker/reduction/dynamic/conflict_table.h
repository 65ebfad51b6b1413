// What the dynamic reductions know of pairs of transitions: which of them conflict, and what can be
// said of the order of two without looking at a state.
//
// A trace is a partial order only if whether two transitions commute does not depend on where they
// stand in it. So here transitions conflict that do so in some state (two `down` of one semaphore,
// whatever its value), where sleep sets ask the state (dependency.h); and a transition that may do
// something else in another state (a `cas` that fails, a block) counts as all that it may do. Two
// that commuted here may not do so behind a third: what one order is left out for would then be
// left out for the other, too. So there are more traces than there could be, and never less. And a
// transition that stops its thread conflicts with all: it ends the search for deadlocks (stops.h).
//
// Cost: a look at a table of pairs of summaries, filled when they are first asked for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checker/reduction/dependency.h"
#include "checker/reduction/dynamic/partial_order.h"
#include "checker/reduction/stops.h"
#include "checker/transition.h"
#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// Of an earlier transition with a later one.
enum class Conflict : std::uint8_t {
  Unknown,  // not asked yet
  None,
  Some,
  // Of the lock that the later one takes, if the earlier one does what it may do
  // (PartialOrder::Locks):
  Taken,  // the earlier one takes it: it was free before
  Freed,  // the earlier one frees it: the later one was not possible before
};

/// What can keep an operation from being executed.
enum class Blocking : std::uint8_t {
  Never,
  Lock,   // an acquire: that the lock is not free
  Other,  // what a state tells
};

class ConflictTable {
 public:
  /// Both must outlive it.
  ConflictTable(ir::Step& step, const ir::Analyses& analyses, bool keeps_order);

  /// The summary of a transition that was executed: of all that it may do there.
  [[nodiscard]] SummaryId executed(const Transition& transition);
  /// What the transition has certainly done with locks: not what is only tried, one of several
  /// cases, or a part of a block, which may all be otherwise elsewhere.
  [[nodiscard]] PartialOrder::Locks locks(const Transition& transition) const;
  /// Of all that the operation may do before which the thread is blocked in this state.
  [[nodiscard]] SummaryId pending(const std::uint8_t* state, ir::ThreadId thread);

  [[nodiscard]] Conflict between(SummaryId earlier, SummaryId later) {
    if (later.index >= known_ || earlier.index >= known_) return grow(earlier, later);
    Conflict& entry = table_[std::size_t{later.index} * known_ + earlier.index];
    if (entry == Conflict::Unknown) entry = compute(earlier, later);
    return entry;
  }
  [[nodiscard]] bool conflict(SummaryId a, SummaryId b) { return between(a, b) != Conflict::None; }

  /// Whether the transition has stopped its thread.
  [[nodiscard]] bool stops(SummaryId id) const { return dependency_.stops(id); }

  /// What can block the operation at a location.
  [[nodiscard]] Blocking blocking(ir::ThreadId thread, ir::Location at) const {
    return blocking_.at(thread, at);
  }

  [[nodiscard]] std::uint64_t memory() const { return dependency_.memory() + table_.capacity(); }
  [[nodiscard]] std::uint64_t numbers() const { return dependency_.numbers(); }

 private:
  /// What an operation does elsewhere.
  enum class Extent : std::uint8_t {
    Same,      // the same
    Objects,   // to the same objects, perhaps something else: a cas that fails, or does not
    Anything,  // whatever is in its code: blocks
  };
  /// Of all that the operation at a location may do, in whatever state it is executed, where it did
  /// what `did` says in one of them.
  [[nodiscard]] SummaryId anywhere(ir::ThreadId thread, ir::Location at, SummaryId did);
  [[nodiscard]] Extent extent_at(const ir::System& system, ir::ThreadId thread,
                                 ir::Location at) const;
  /// The last summary of an operation, and what it was of. The next one is mostly the same.
  struct Last {
    static constexpr std::size_t kMost = 3;
    SummaryId summary;  // invalid: none yet
    ir::Location to = 0;
    bool stops = false;
    std::uint32_t count = 0;
    std::array<std::pair<ir::ObjectId, ir::Effect>, kMost> touches;
  };
  [[nodiscard]] Conflict compute(SummaryId earlier, SummaryId later) const;
  [[nodiscard]] Conflict grow(SummaryId earlier, SummaryId later);

  ir::Step& step_;
  const ir::Analyses& analyses_;
  Dependency dependency_;
  Stops stops_;
  bool keeps_last_;  // whether what is in Last decides
  ir::ByLocation<Last> last_;
  ir::ByLocation<Blocking> blocking_;
  ir::ByLocation<Extent> extent_;
  ir::ByLocation<std::optional<std::vector<ir::ObjectUse>>> uses_;  // once asked for
  std::vector<Conflict> table_;
  std::uint32_t known_ = 0;  // summaries that are in the table
  ir::Record record_;
};

}  // namespace cml::checker
