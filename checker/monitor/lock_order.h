// The lock-order graph, and its cycles that no execution closed (docs/reference.md, "Warnings and
// limits"): a warning that a deadlock may be one change away.
//
// An edge a → b: a thread that holds a is about to acquire b. It keeps the thread and all the locks
// that the thread holds. A cycle counts if its edges come from different threads, no two of which
// hold a lock in common: such a gate lock excludes the deadlock.
//
// A thread arrives at an acquisition by a transition of its own, and the locks that it holds change
// by its own transitions only: so after each transition with a new observation
// (ir/exec/observations.h), only the thread that moved is examined. A cycle that was closed shows
// in a state with stuck threads.
//
// Cost: a look at a table per transition, where the locks held at the acquisition are known before
// the search; the cycles are enumerated once, up to a fixed number of steps.
//
// Of locks on the heap, those of lasting objects (lasting_objects.h) are as good as declared ones.
// Any other is another lock in another execution, so no edge leads to it; but two threads that hold
// such a lock of one declaration perhaps hold the same one, a gate.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checker/monitor/lasting_objects.h"
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
    std::string taken;
    std::string held;
    SourceRange range;
  };
  /// The cycles that no execution has closed: of each its edges.
  [[nodiscard]] std::vector<std::vector<Nested>> open_cycles() const;

 private:
  /// A lock that is the same in all executions: a declared one; or, with a number behind those of
  /// the objects, one of a lasting object. A lock of any other is that of place 0.
  using Lock = ir::ObjectId;
  using Locks = std::vector<Lock>;  // sorted
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
  [[nodiscard]] Lock same_everywhere(const std::uint8_t* state, ir::ObjectId lock) const;
  [[nodiscard]] bool is_any(Lock lock) const {
    return lock.index < system_.objects.size() && system_.objects[lock].owner.valid();
  }
  [[nodiscard]] std::string name(Lock lock) const;
  [[nodiscard]] bool is_known(ir::ThreadId thread, ir::Location at, ir::ObjectId lock);
  /// These locks, once for all that hold the same; null if there is too much already.
  [[nodiscard]] const Locks* interned(const Locks& held);
  void add_edge(const Edge& edge, const SourceRange& range);
  void extend(std::vector<const Edge*>& chain, std::map<Cycle, std::vector<const Edge*>>& found,
              std::size_t& steps, std::size_t& work) const;

  ir::Step& step_;
  const ir::System& system_;
  const ir::Layout& layout_;
  LastingObjects lasting_;
  std::set<Locks> sets_;
  std::size_t size_ = 0;  // locks in all sets_
  std::map<Edge, SourceRange> edges_;
  std::set<Cycle> closed_;
  ir::Record record_;
  Locks held_;                        // scratch: by the thread that is examined
  std::vector<ir::ObjectId> wanted_;  // scratch: locks of others that threads wait for
  // By location: whether an acquisition there may add edges.
  ir::ByLocation<std::uint8_t> looks_;
  // By location: whether an acquisition there always adds the same edges.
  ir::ByLocation<std::uint8_t> is_constant_;
  // By location: the acquisitions whose edges have been added.
  ir::ByLocation<std::vector<Acquisition>> known_;
};
static_assert(Monitor<LockOrder>);

}  // namespace cml::checker
