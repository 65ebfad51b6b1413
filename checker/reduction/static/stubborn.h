// Stubborn sets (Valmari; Godefroid's "stubborn set technique"): the closure of persistent.h, but
// for a blocked thread only a necessary enabling set is added, threads one of which must move
// before it can become enabled:
//
//   acquire, second part of wait   the owner, if the lock is owned
//   second part of wait            else those that may notify
//   down / send / receive          those that may up / receive / send
//   await, blocks                  those that may change what the guard has read in this state
//   select                         the union over its cases
//
// Which thread adds which is a graph, in which the atoms of static_sets.h are nodes, too:
//
//   thread ──▶ atom in conflict with a pending operation ──▶ thread with the atom in its future
//   blocked thread ──▶ atom that may enable it ──▶ thread with it in its future  (or ──▶ the owner)
//   thread ──▶ thread that can reach an object which both may use
//
// The set of an enabled thread is all that can be reached from it. The smallest one is a strongly
// connected component with an enabled thread, from which no other such component can be reached:
// a set from which one can be reached is larger by at least itself. So Tarjan's algorithm
// (Depth-first search and linear graph algorithms, 1972) finds it, in one walk.
//
// Cost: each thread, atom and edge of the graph at most once.
#pragma once

#include "checker/reduction/static/set_algorithm.h"

namespace cml::checker {

class Stubborn final : public SetAlgorithm {
 public:
  Stubborn(ir::Step& step, const ir::Analyses& analyses, Scope scope, bool spurious_wakeups,
           const CandidateLocks* candidates, const MethodCalls& calls, bool keeps_order);

  void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
              std::vector<bool>& chosen) override;

 private:
  using Node = std::uint32_t;  // threads, then atoms
  struct Visit {
    std::uint64_t order = 0;  // over all calls of select
    std::uint64_t low = 0;
    bool is_open = false;  // its component is not known yet
    /// Whether an enabled thread of a closed component can be reached: by the node, once its own
    /// component is closed; before that, by one of its edges.
    bool reaches_closed = false;
  };
  struct Frame {
    Node node = 0;
    std::size_t begin = 0;  // of its edges in edges_, and how far it has come
    std::size_t next = 0;
  };

  [[nodiscard]] Node node_of(ir::ThreadId thread) const { return thread.index; }
  [[nodiscard]] Node node_of(AtomNumber atom) const { return threads_ + atom; }
  void visit(Node node);
  /// Visits everything that can be reached from there.
  void walk(Node from);
  void add_edges(Node node);
  void add_enabling(ir::ThreadId blocked);
  /// Of conflicts_.
  void add_conflicts();
  /// Closes the component that consists of the node and all above it on the stack.
  void close_component(Node node);

  ir::Step& step_;
  bool spurious_wakeups_;
  Node threads_;
  std::vector<Visit> visits_;
  std::uint64_t order_ = 0;
  std::uint64_t first_order_ = 0;  // of this call
  std::vector<Node> open_;
  std::vector<Frame> frames_;
  std::vector<Node> edges_;
  Conflicts conflicts_;
  ir::Record record_;
  // Of this call.
  const std::uint8_t* state_ = nullptr;
  const std::vector<std::uint32_t>* actions_ = nullptr;
  std::uint64_t least_ = 0;  // actions in the smallest set
  Node seed_ = 0;            // its first enabled thread
  std::vector<Node> smallest_;
};

}  // namespace cml::checker
