#include "checker/reduction/dynamic/wakeup_tree.h"

namespace cml::checker {

// `trees` may lie in the array that grows.
WakeupTrees::Node WakeupTrees::append(Trees& trees, const Step& step) {
  Node last = trees.first;
  while (last != 0 && nodes_[last].next != 0)
    last = nodes_[last].next;
  Node made = free_;
  if (made != 0) {
    free_ = nodes_[made].next;
    nodes_[made] = {step, {}, 0};
    (last != 0 ? nodes_[last].next : trees.first) = made;
    return made;
  }
  made = static_cast<Node>(nodes_.size());
  if (last == 0) trees.first = made;
  nodes_.push_back({step, {}, 0});
  if (last != 0) nodes_[last].next = made;
  return made;
}

std::pair<WakeupTrees::Step, WakeupTrees::Trees> WakeupTrees::take_first(Trees& trees) {
  const Node node = trees.first;
  const std::pair<Step, Trees> result{nodes_[node].step, nodes_[node].below};
  trees.first = nodes_[node].next;
  nodes_[node].next = free_;
  free_ = node;
  return result;
}

void WakeupTrees::clear(Trees& trees) {
  while (trees.first != 0) {
    Trees below = take_first(trees).second;
    clear(below);
  }
}

}  // namespace cml::checker
