// Stubborn sets (Valmari; Godefroid's "stubborn set technique"): the closure of persistent.h, but a
// thread that is blocked pulls in only a necessary enabling set, threads one of which must move
// before it can go:
//
//   acquire, second part of wait   the owner, if the lock is owned
//   second part of wait            else those that may notify
//   down / send / receive          those that may up / receive / send
//   await, blocks                  those that may change what the guard has read in this state
//   select                         the union over its cases
//
// What pulls in what is a graph, in which the atoms of static_sets.h stand between the threads:
//
//   thread ──▶ atom in conflict with what it is about to do ──▶ thread that may ever do it
//   blocked thread ──▶ what may enable it ──▶ thread that may ever do it        (or ──▶ the owner)
//
// The set that begins with an enabled thread is all that can be reached from it. The smallest one
// is a strongly connected component with an enabled thread, from which no other such component can
// be reached: whatever reaches one is larger by at least itself. So Tarjan's algorithm (Depth-first
// search and linear graph algorithms, 1972) finds it, in one walk.
//
// Cost: each thread, atom and way of the graph once, at most.
#pragma once

#include "checker/reduction/reduction.h"

namespace cml::checker {

class Stubborn final : public Reduction {
 public:
  Stubborn(ir::Step& step, const ir::Analyses& analyses, Scope scope, bool spurious_wakeups,
           const CandidateLocks* candidates);

  void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
              std::vector<bool>& chosen) override;

 private:
  using Node = std::uint32_t;  // threads, then atoms
  struct Visit {
    std::uint64_t order = 0;  // over all calls of select
    std::uint64_t low = 0;
    bool is_open = false;  // its component is not known yet
    /// An enabled thread of a component that is known can be reached from there, once its own is
    /// known, too; before that, by one of its edges.
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
  /// Walks through all that can be reached from there.
  void walk(Node from);
  void add_edges(Node node);
  void add_enabling(ir::ThreadId blocked);
  /// All that is above the node on the stack, and itself.
  void close_component(Node node);

  ir::Step& step_;
  bool spurious_wakeups_;
  StaticSets sets_;
  Node threads_;
  std::vector<Visit> visits_;
  std::uint64_t order_ = 0;
  std::uint64_t first_order_ = 0;  // of this call
  std::vector<Node> open_;
  std::vector<Frame> frames_;
  std::vector<Node> edges_;
  std::vector<AtomNumber> conflicts_;
  ir::Record record_;
  // Of this call.
  const std::uint8_t* state_ = nullptr;
  const std::vector<std::uint32_t>* actions_ = nullptr;
  std::uint64_t least_ = 0;  // actions in the smallest set
  Node seed_ = 0;            // its first thread that can go
  std::vector<Node> smallest_;
};

}  // namespace cml::checker
