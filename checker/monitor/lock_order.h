// The lock-order graph, and its cycles that no execution closed (language.md §8): a warning that a
// deadlock may be one change away.
//
// An edge a → b: a thread that holds a is about to acquire b. It keeps the thread and all the locks
// that it holds. A cycle counts if its edges come from different threads, no two of which hold a
// lock in common: such a gate lock keeps them from meeting.
//
// A thread comes to an acquisition by a transition of its own, and what it holds there changes by
// its own only: so the thread that moved is looked at, after each transition that may tell
// something new about where it came to (ir/exec/observations.h). That a cycle was closed shows in a
// state where somebody is stuck.
//
// Cost: a look at a table per transition, where the locks held at the acquisition are known before
// the search; the cycles are enumerated once, up to a fixed number of steps.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "checker/monitor/monitor.h"
#include "ir/analysis/held_locks.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"

namespace cml::checker {

class LockOrder {
 public:
  LockOrder(ir::Step& step, const ir::HeldLocks& held);
  /// The thread has come to where it stands: at this lock, about which there will be nothing new
  /// where the locks held are always the same (invalid: at none, or nothing was looked at).
  ir::ObjectId arrived(const std::uint8_t* state, ir::ThreadId thread, ir::Location at) {
    return looks_.at(thread, at) != 0 ? look(state, thread, at) : ir::ObjectId();
  }
  /// Whether there may be something new when the thread comes there again.
  [[nodiscard]] bool looks(ir::ThreadId thread, ir::Location at) const {
    return looks_.at(thread, at) != 0;
  }
  /// A state in which a thread can never move again.
  void stuck(const std::uint8_t* state);
  /// Edges of both, as long as they are not too many.
  void join(const LockOrder& other);

  /// A thread takes a lock while it holds another.
  struct Nested {
    ir::ThreadId thread;
    ir::ObjectId taken;
    ir::ObjectId held;
    SourceRange range;
  };
  /// The cycles that no execution has closed: of each its edges.
  [[nodiscard]] std::vector<std::vector<Nested>> open_cycles() const;

 private:
  using Locks = std::vector<ir::ObjectId>;
  struct Edge {
    ir::ObjectId from, to;
    ir::ThreadId thread;
    const Locks* held = nullptr;  // in sets_
    friend bool operator<(const Edge& a, const Edge& b) {
      return std::tie(a.from, a.to, a.thread, *a.held) < std::tie(b.from, b.to, b.thread, *b.held);
    }
  };
  using Cycle = std::vector<ir::ObjectId>;  // its locks, sorted
  struct Acquisition {
    ir::ObjectId lock;
    const Locks* held = nullptr;  // in sets_
  };
  ir::ObjectId look(const std::uint8_t* state, ir::ThreadId thread, ir::Location at);
  /// The lock that the thread is about to take, if it does not own it.
  [[nodiscard]] ir::ObjectId wanted(const std::uint8_t* state, ir::ThreadId thread);
  [[nodiscard]] bool is_known(ir::ThreadId thread, ir::Location at, ir::ObjectId lock);
  /// These locks, once for all that hold the same; null if there is too much already.
  [[nodiscard]] const Locks* interned(const Locks& held);
  void add_edge(const Edge& edge, const SourceRange& range);
  void extend(std::vector<const Edge*>& chain, std::map<Cycle, std::vector<const Edge*>>& found,
              std::size_t& steps, std::size_t& work) const;

  ir::Step& step_;
  const ir::System& system_;
  const ir::Layout& layout_;
  std::set<Locks> sets_;
  std::size_t size_ = 0;  // locks in all sets_
  std::map<Edge, SourceRange> edges_;
  std::set<Cycle> closed_;
  ir::Record record_;
  std::vector<ir::ObjectId> held_;    // scratch: by the thread that is looked at
  std::vector<ir::ObjectId> wanted_;  // scratch: locks of others that threads wait for
  // Whether an acquisition there may have edges to add.
  ir::ByLocation<std::uint8_t> looks_;
  // The edges that an acquisition there adds are always the same.
  ir::ByLocation<std::uint8_t> is_constant_;
  // The acquisitions whose edges are there.
  ir::ByLocation<std::vector<Acquisition>> known_;
};
static_assert(Monitor<LockOrder>);

}  // namespace cml::checker
