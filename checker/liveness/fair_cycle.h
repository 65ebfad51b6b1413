// A fair execution that an automaton accepts: a path to a cycle in the product of the graph of all
// states with the automaton, in which every acceptance condition is met, and
//
//   weak fairness     every thread is disabled somewhere, or takes a step
//   strong fairness   every thread that is enabled somewhere takes a step
//
// Tarjan's algorithm finds the strongly connected components, one after the other, without building
// the product before. For weak fairness a component as a whole is good or is not: it contains a
// cycle through all its edges. For strong fairness, a thread that is enabled in some of its states
// and takes no step within is a reason to leave those states out, and to look again, in the
// components of what remains (Emerson and Lei, "Modalities for model checking", POPL 1985;
// Lichtenstein and Pnueli, POPL 1985).
//
// The path to the cycle is the shortest to its component, and the cycle goes from one thing that it
// needs to the next nearest one.
//
// Memory: four bytes for each state of the product, and eight more where something was found or
// strong fairness looks again. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/liveness/automaton.h"
#include "checker/liveness/graph.h"
#include "checker/liveness/valuations.h"
#include "checker/path.h"
#include "support/stop_token.h"

namespace cml::checker {

/// An execution that comes back to the state in which its loop begins. Of one that ends, the loop
/// is empty: its last state stays for ever.
struct Lasso {
  Path stem;
  Path loop;
};

class FairCycle {
 public:
  /// All must outlive it.
  FairCycle(LivenessGraph& graph, const Automaton& automaton, const Valuations& valuations,
            Fairness fairness, std::size_t threads, const MemoryBudget& budget,
            const StopToken& stop);

  /// Whether the states of the product have numbers of 32 bits.
  [[nodiscard]] bool fits() const { return product_size() < kDone; }
  [[nodiscard]] std::optional<Lasso> find();
  /// Of the product, that were visited.
  [[nodiscard]] std::uint64_t visited() const { return count_; }

 private:
  using Node = std::uint32_t;  // of the product: state × number of the automaton's + its state
  using Edge = LivenessGraph::Edge;
  static constexpr std::uint32_t kDone = UINT32_MAX;

  struct Frame {
    Node node = 0;
    std::uint32_t order = 0;
    std::uint32_t least = 0;
    std::size_t begin = 0;  // of its successors that are to be looked at
  };
  /// What the threads do in a set of states, by thread.
  struct Threads {
    std::vector<bool> moves;
    std::vector<bool> enabled;   // somewhere
    std::vector<bool> disabled;  // somewhere
  };
  struct Step {
    Node from = 0;
    Edge edge;
    Node to = 0;
  };
  struct Needs;

  [[nodiscard]] std::uint64_t product_size() const {
    return std::uint64_t{graph_.size()} * automaton_.states.size();
  }
  [[nodiscard]] StateNumber state(Node node) const { return node / width_; }
  [[nodiscard]] const Automaton::State& place(Node node) const {
    return automaton_.states[node % width_];
  }
  [[nodiscard]] std::vector<Node> initial() const;
  template <class Look>
  void for_each_successor(Node node, Look&& look) const;
  void push(Node node);

  /// The part of a component in which a fair cycle is found; empty: there is none.
  [[nodiscard]] std::vector<Node> fair_part(std::vector<Node> component);
  [[nodiscard]] std::vector<std::vector<Node>> components(const std::vector<Node>& nodes,
                                                          std::uint32_t mark);
  [[nodiscard]] std::uint32_t mark(const std::vector<Node>& nodes);
  [[nodiscard]] bool is_marked(Node node, std::uint32_t mark) const { return marks_[node] == mark; }
  [[nodiscard]] bool look_at(const std::vector<Node>& nodes, std::uint32_t mark, Threads& threads,
                             std::uint64_t& accepts) const;

  [[nodiscard]] Lasso lasso(const std::vector<Node>& part);
  [[nodiscard]] std::vector<Step> way_to(std::uint32_t mark);
  void note(Node node, Needs& needs) const;
  [[nodiscard]] bool helps(Node node, const Needs& needs) const;
  [[nodiscard]] bool is_enabled(Node node, std::size_t thread) const;
  [[nodiscard]] std::vector<Step> way_to_a_need(Node from, std::uint32_t mark, const Needs& needs,
                                                std::optional<Node> goal) const;
  [[nodiscard]] Path path(const std::vector<Step>& steps);

  LivenessGraph& graph_;
  const Automaton& automaton_;
  const Valuations& valuations_;
  Fairness fairness_;
  std::size_t threads_;
  const MemoryBudget& budget_;
  const StopToken& stop_;
  std::uint32_t width_;
  std::vector<std::uint32_t> order_;  // in which nodes are come to; 0: not yet
  std::vector<std::uint32_t> marks_;  // of the set that was looked at last
  std::uint32_t last_mark_ = 0;
  std::uint32_t count_ = 0;
  std::vector<Frame> frames_;
  std::vector<Node> pending_;  // successors of the frames
  std::vector<Node> open_;     // whose component is not complete
};

}  // namespace cml::checker
