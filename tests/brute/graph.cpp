#include "tests/brute/graph.h"

#include <algorithm>
#include <utility>

namespace cml::brute {
using Status = Walker::Status;

bool has_stopped(Status status) {
  return status == Status::Stopped || status == Status::Assumed || status == Status::Diverged;
}

void Graph::set_threads(std::vector<ThreadFacts> threads) {
  threads_ = std::move(threads);
  Node::OfThread none;
  none.status = Status::Ended;
  for (Node& node : nodes)
    node.threads.resize(threads_.size(), none);
}

bool Node::moves() const {
  return std::any_of(threads.begin(), threads.end(), [](const OfThread& thread) {
    return thread.status == Status::Pending && !thread.blocked;
  });
}

bool Graph::diverges(std::size_t thread) const {
  // Nodes from which invisible transitions go on for ever: drop, again and again, those that lead
  // to none.
  std::vector<bool> goes_on(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    goes_on[i] = nodes[i].threads[thread].invisible.has_value();
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!goes_on[i] || goes_on[*nodes[i].threads[thread].invisible]) continue;
      goes_on[i] = false;
      again = true;
    }
  }
  return std::find(goes_on.begin(), goes_on.end(), true) != goes_on.end();
}

bool Graph::leads_to_stop(const Node& node, std::size_t thread) const {
  const Node* at = &node;
  for (std::size_t steps = 0; steps <= nodes.size(); ++steps) {
    const Node::OfThread& of = at->threads[thread];
    if (has_stopped(of.status)) return true;
    if (!of.invisible) return false;
    at = &nodes[*of.invisible];
  }
  return true;  // in a circle
}

bool Graph::about_to_stop(const Node& node) const {
  for (std::size_t thread = 0; thread < threads_.size(); ++thread)
    if (leads_to_stop(node, thread)) return true;
  return false;
}

bool Graph::could_be_enabled(const Node& node, std::size_t thread,
                             const std::vector<bool>& stuck) const {
  const Node::OfThread& of = node.threads[thread];
  for (std::size_t other = 0; other < threads_.size(); ++other) {
    if (stuck[other] || node.threads[other].status != Status::Pending) continue;
    if (of.waits_for_owner && *of.waits_for_owner != static_cast<int>(other)) continue;
    if (of.waits_for_end && *of.waits_for_end == static_cast<int>(other)) return true;
    const auto& names = threads_[other].names;
    if (of.waits_for_anything ||
        std::any_of(of.waits_for.begin(), of.waits_for.end(),
                    [&names](std::uint32_t object) { return names.contains(object); }))
      return true;
  }
  return false;
}

void Graph::add(const Node& node, const std::vector<bool>& stuck,
                std::set<StuckVector>& out) const {
  StuckVector vector;
  bool counts = false;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    if (!stuck[thread]) continue;
    vector.insert(threads_[thread].name + ":" + node.threads[thread].operation);
    counts = counts || !threads_[thread].daemon;
  }
  if (counts && !about_to_stop(node)) out.insert(std::move(vector));
}

std::set<StuckVector> Graph::deadlocks() const {
  std::set<StuckVector> out;
  for (const Node& node : nodes) {
    if (node.moves()) continue;
    std::vector<bool> stuck;
    for (const Node::OfThread& thread : node.threads)
      stuck.push_back(thread.blocked);
    add(node, stuck, out);
  }
  return out;
}

std::set<StuckVector> Graph::stuck_at_least() const {
  std::set<StuckVector> out;
  for (const Node& node : nodes) {
    std::vector<bool> stuck;
    for (const Node::OfThread& thread : node.threads)
      stuck.push_back(thread.blocked);
    for (bool again = node.moves(); again;) {
      again = false;
      for (std::size_t thread = 0; thread < stuck.size(); ++thread) {
        if (!stuck[thread] || !could_be_enabled(node, thread, stuck)) continue;
        stuck[thread] = false;
        again = true;
      }
    }
    add(node, stuck, out);
  }
  return out;
}

// Backwards along the edges, until nothing changes.
void Graph::add_all_before(std::vector<bool>& marked) const {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = edges.size(); i-- > 0;) {
      if (!marked[edges[i].to] || marked[edges[i].from]) continue;
      marked[edges[i].from] = true;
      again = true;
    }
  }
}

template <class Is>
std::vector<bool> Graph::before_transition(std::size_t thread, Is is) const {
  std::vector<bool> result(nodes.size());
  for (const Edge& edge : edges)
    if ((edge.thread == static_cast<int>(thread) || edge.partner == static_cast<int>(thread)) &&
        is(edge))
      result[edge.from] = true;
  add_all_before(result);
  return result;
}

std::set<StuckVector> Graph::stuck_exactly() const {
  std::vector<std::vector<bool>> may;  // move again: by thread
  for (std::size_t thread = 0; thread < threads_.size(); ++thread)
    may.push_back(before_transition(thread, [](const Edge&) { return true; }));
  std::set<StuckVector> out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<bool> stuck;
    for (std::size_t thread = 0; thread < threads_.size(); ++thread)
      stuck.push_back(nodes[i].threads[thread].status == Status::Pending && !may[thread][i]);
    add(nodes[i], stuck, out);
  }
  return out;
}

std::set<std::string> Graph::spinning() const {
  std::set<std::string> out;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    if (threads_[thread].daemon) continue;
    const std::vector<bool> reaches = before_transition(thread, [&](const Edge& edge) {
      const Status status = nodes[edge.to].threads[thread].status;
      return edge.changes || status == Status::Ended || has_stopped(status);
    });
    // From nodes outside of `blocks`, the thread goes on whatever happens.
    const std::vector<bool> moves = before_transition(thread, [](const Edge&) { return true; });
    std::vector<bool> blocks(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      blocks[i] = !moves[i];
    add_all_before(blocks);
    std::vector<bool> turns(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      turns[i] = !blocks[i];
    add_all_before(turns);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].threads[thread].status == Status::Pending && !reaches[i] && turns[i] &&
          !about_to_stop(nodes[i]))
        out.insert(threads_[thread].name);
  }
  return out;
}

}  // namespace cml::brute
