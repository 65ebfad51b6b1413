// Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas, "Source Sets", JACM 2017, §7): sequences of
// actions that must be explored from a state, ordered, with common beginnings shared. The ordered
// children of a tree are explored from left to right, each with the tree below it.
//
//   from E:   a ── b ── c       insert(v): go down to a child that can begin v, up to the order
//             └─ d              of what commutes (a weak initial), and take it out of v; where
//             e                 there is none, what is left of v becomes the last child; a leaf on
//                               the way is a sequence that will do for v
//
// Nodes lie in one array and are used again.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/reduction/dependency.h"
#include "ir/exec/step.h"

namespace cml::checker {

class WakeupTrees {
 public:
  using Node = std::uint32_t;  // 0: none
  /// A list of trees: what is to be explored from one state.
  struct Trees {
    Node first = 0;
  };

  struct Step {
    ir::Action action;
    bool any_choice = false;  // whatever the thread can choose there
    bool is_only = false;     // it has no other choice there
    SummaryId summary;        // of what it does, or of all that it may do
  };

  [[nodiscard]] const Step& step(Node node) const { return nodes_[node].step; }
  [[nodiscard]] Node next(Node node) const { return nodes_[node].next; }
  [[nodiscard]] Trees& below(Node node) { return nodes_[node].below; }
  [[nodiscard]] bool is_leaf(Node node) const { return nodes_[node].below.first == 0; }

  /// Adds a last tree, one node.
  Node append(Trees& trees, const Step& step);
  /// Takes the first tree out of the list: its step, and what is below it.
  std::pair<Step, Trees> take_first(Trees& trees);
  void clear(Trees& trees);

  [[nodiscard]] std::uint64_t memory() const { return nodes_.capacity() * sizeof(Place); }

 private:
  struct Place {
    Step step;
    Trees below;
    Node next = 0;  // of the siblings; or of the places that are free
  };
  std::vector<Place> nodes_ = std::vector<Place>(1);
  Node free_ = 0;
};

}  // namespace cml::checker
