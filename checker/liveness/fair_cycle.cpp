#include "checker/liveness/fair_cycle.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "support/mutation.h"

namespace cml::checker {

FairCycle::FairCycle(LivenessGraph& graph, const Automaton& automaton, const Valuations& valuations,
                     Fairness fairness, std::size_t threads, const MemoryBudget& budget,
                     const StopToken& stop)
    : graph_(graph),
      automaton_(automaton),
      valuations_(valuations),
      fairness_(fairness),
      threads_(threads),
      budget_(budget),
      stop_(stop),
      width_(static_cast<std::uint32_t>(std::max<std::size_t>(automaton.states.size(), 1))) {}

std::vector<FairCycle::Node> FairCycle::initial() const {
  std::vector<Node> result;
  for (const std::uint32_t to : automaton_.sets[automaton_.initial])
    if (valuations_.matches(0, automaton_.states[to].holds, automaton_.states[to].fails))
      result.push_back(to);
  return result;
}

/// Until it returns true.
template <class Look>
void FairCycle::for_each_successor(Node node, Look&& look) const {
  const std::vector<std::uint32_t>& places = automaton_.sets[place(node).successors];
  graph_.for_each_edge(state(node), [&](const Edge& edge) {
    for (const std::uint32_t to : places) {
      const Automaton::State& at = automaton_.states[to];
      if (valuations_.matches(edge.to, at.holds, at.fails) && look(edge.to * width_ + to, edge))
        return true;
    }
    return false;
  });
}

// ---- components --------------------------------------------------------------------------------

void FairCycle::push(Node node) {
  order_[node] = ++count_;
  frames_.push_back({node, count_, count_, pending_.size()});
  open_.push_back(node);
  for_each_successor(node, [this](Node to, const Edge&) {
    pending_.push_back(to);
    return false;
  });
}

std::optional<Lasso> FairCycle::find() {
  if (automaton_.states.empty()) return std::nullopt;
  budget_.ask(product_size() * sizeof(std::uint32_t));
  order_.assign(product_size(), 0);
  for (const Node root : initial()) {
    if (order_[root] != 0) continue;
    push(root);
    while (!frames_.empty()) {
      Frame& top = frames_.back();
      if (pending_.size() > top.begin) {
        const Node to = pending_.back();
        pending_.pop_back();
        if (order_[to] == 0) {
          stop_.poll(16);
          push(to);
        } else if (order_[to] != kDone) {
          top.least = std::min(top.least, order_[to]);
        }
        continue;
      }
      const Frame left = top;
      frames_.pop_back();
      if (!frames_.empty()) frames_.back().least = std::min(frames_.back().least, left.least);
      if (left.least != left.order) continue;
      const auto first = std::find(open_.rbegin(), open_.rend(), left.node).base() - 1;
      std::vector<Node> component(first, open_.end());
      open_.erase(first, open_.end());
      for (const Node node : component)
        order_[node] = kDone;
      if (const std::vector<Node> part = fair_part(std::move(component)); !part.empty())
        return lasso(part);
    }
  }
  return std::nullopt;
}

std::uint32_t FairCycle::mark(const std::vector<Node>& nodes) {
  if (marks_.empty()) {
    budget_.ask(product_size() * sizeof(std::uint32_t));
    marks_.assign(product_size(), 0);
  }
  ++last_mark_;
  for (const Node node : nodes)
    marks_[node] = last_mark_;
  return last_mark_;
}

/// False: no edge is within.
bool FairCycle::look_at(const std::vector<Node>& nodes, std::uint32_t mark, Threads& threads,
                        std::uint64_t& accepts) const {
  bool has_edge = false;
  threads.moves.assign(threads_, false);
  threads.enabled.assign(threads_, false);
  threads.disabled.assign(threads_, false);
  std::vector<bool> here(threads_);
  for (const Node node : nodes) {
    stop_.poll(16);
    accepts |= place(node).accepts;
    for_each_successor(node, [&](Node to, const Edge& edge) {
      if (!is_marked(to, mark)) return false;
      has_edge = true;
      if (edge.thread.valid()) threads.moves[edge.thread.index] = true;
      return false;
    });
    if (fairness_ == Fairness::None) continue;
    here.assign(threads_, false);
    graph_.for_each_edge(state(node), [&](const Edge& edge) {
      if (edge.thread.valid() && !edge.is_spurious) here[edge.thread.index] = true;
      return false;
    });
    for (std::size_t i = 0; i < threads_; ++i)
      (here[i] ? threads.enabled : threads.disabled)[i] = true;
  }
  return has_edge;
}

std::vector<FairCycle::Node> FairCycle::fair_part(std::vector<Node> component) {
  if (component.size() == 1) {  // mostly
    bool is_cycle = false;
    for_each_successor(component[0], [&](Node to, const Edge&) {
      return is_cycle = is_cycle || to == component[0];
    });
    if (!is_cycle) return {};
  }
  std::vector<std::vector<Node>> waiting;
  waiting.push_back(std::move(component));
  Threads threads;
  while (!waiting.empty()) {
    std::vector<Node> nodes = std::move(waiting.back());
    waiting.pop_back();
    const std::uint32_t now = mark(nodes);
    std::uint64_t accepts = 0;
    if (!look_at(nodes, now, threads, accepts) || accepts != automaton_.all()) continue;
    bool is_fair = true;
    std::vector<bool> is_left_out(threads_, false);
    for (std::size_t i = 0; i < threads_ && fairness_ != Fairness::None; ++i) {
      if (threads.moves[i] || !threads.enabled[i]) continue;
      const bool is_weak =
          CML_MUTATED("strong-fairness-as-weak", fairness_ == Fairness::Weak, true);
      if (is_weak && (threads.disabled[i] || CML_MUTATION("no-fairness"))) continue;
      is_fair = false;
      is_left_out[i] = true;
    }
    if (is_fair) return nodes;
    if (fairness_ == Fairness::Weak || CML_MUTATION("no-second-look-for-strong-fairness")) continue;
    std::erase_if(nodes, [&](Node node) {
      bool is_out = false;
      graph_.for_each_edge(state(node), [&](const Edge& edge) {
        return is_out = edge.thread.valid() && !edge.is_spurious && is_left_out[edge.thread.index];
      });
      return is_out;
    });
    for (std::vector<Node>& part : components(nodes, mark(nodes)))
      waiting.push_back(std::move(part));
  }
  return {};
}

/// The strongly connected components of the marked nodes.
std::vector<std::vector<FairCycle::Node>> FairCycle::components(const std::vector<Node>& nodes,
                                                                std::uint32_t mark) {
  std::vector<std::vector<Node>> result;
  std::unordered_map<Node, std::uint32_t> order;
  std::vector<Frame> frames;
  std::vector<Node> pending;
  std::vector<Node> open;
  std::uint32_t count = 0;
  const auto enter = [&](Node node) {
    stop_.poll(16);
    order[node] = ++count;
    frames.push_back({node, count, count, pending.size()});
    open.push_back(node);
    for_each_successor(node, [&](Node to, const Edge&) {
      if (is_marked(to, mark)) pending.push_back(to);
      return false;
    });
  };
  for (const Node root : nodes) {
    if (order.contains(root)) continue;
    enter(root);
    while (!frames.empty()) {
      if (pending.size() > frames.back().begin) {
        const Node to = pending.back();
        pending.pop_back();
        const auto known = order.find(to);
        if (known == order.end())
          enter(to);
        else if (known->second != kDone)
          frames.back().least = std::min(frames.back().least, known->second);
        continue;
      }
      const Frame left = frames.back();
      frames.pop_back();
      if (!frames.empty()) frames.back().least = std::min(frames.back().least, left.least);
      if (left.least != left.order) continue;
      const auto first = std::find(open.rbegin(), open.rend(), left.node).base() - 1;
      result.emplace_back(first, open.end());
      open.erase(first, open.end());
      for (const Node node : result.back())
        order[node] = kDone;
    }
  }
  return result;
}

// ---- the execution -----------------------------------------------------------------------------

/// What a cycle must still come by.
struct FairCycle::Needs {
  std::uint64_t accepts = 0;
  std::vector<bool> steps;  // of threads
  bool may_be_off = false;  // it is as good that they are disabled somewhere

  [[nodiscard]] bool any() const {
    return accepts != 0 || std::find(steps.begin(), steps.end(), true) != steps.end();
  }
};

/// What a state is good for.
void FairCycle::note(Node node, Needs& needs) const {
  needs.accepts &= ~place(node).accepts;
  for (std::size_t i = 0; i < threads_; ++i)
    if (needs.steps[i] && needs.may_be_off && !is_enabled(node, i)) needs.steps[i] = false;
}

bool FairCycle::helps(Node node, const Needs& needs) const {
  if ((place(node).accepts & needs.accepts) != 0) return true;
  for (std::size_t i = 0; i < threads_ && needs.may_be_off; ++i)
    if (needs.steps[i] && !is_enabled(node, i)) return true;
  return false;
}

bool FairCycle::is_enabled(Node node, std::size_t thread) const {
  bool result = false;
  graph_.for_each_edge(state(node), [&](const Edge& edge) {
    return result = edge.thread.valid() && !edge.is_spurious && edge.thread.index == thread;
  });
  return result;
}

Lasso FairCycle::lasso(const std::vector<Node>& part) {
  const std::uint32_t inside = mark(part);
  Threads threads;
  std::uint64_t accepts = 0;
  (void)look_at(part, inside, threads, accepts);
  const std::vector<Step> stem = way_to(inside);
  Node at = 0;
  for (const Node node : initial())
    if (is_marked(node, inside)) at = node;
  if (!stem.empty()) at = stem.back().to;
  const Node begin = at;
  Needs needs;
  needs.accepts = automaton_.all();
  needs.steps.assign(threads_, false);
  needs.may_be_off = fairness_ == Fairness::Weak;
  for (std::size_t i = 0; i < threads_ && fairness_ != Fairness::None; ++i)
    needs.steps[i] = fairness_ == Fairness::Weak ? threads.enabled[i] : threads.moves[i];
  note(at, needs);
  std::vector<Step> loop;
  const auto go = [&](const std::vector<Step>& way) {
    for (const Step& step : way) {
      if (step.edge.thread.valid()) needs.steps[step.edge.thread.index] = false;
      note(step.to, needs);
      loop.push_back(step);
      at = step.to;
    }
  };
  while (needs.any())
    go(way_to_a_need(at, inside, needs, std::nullopt));
  if (at != begin || loop.empty()) go(way_to_a_need(at, inside, needs, begin));
  Lasso result;
  result.stem = path(stem);
  result.loop = path(loop);
  return result;
}

/// The shortest way from the beginning to a marked node.
std::vector<FairCycle::Step> FairCycle::way_to(std::uint32_t mark) {
  constexpr Node kRoot = UINT32_MAX - 1;
  budget_.ask(product_size() * sizeof(Node));
  std::vector<Node> before(product_size(), kDone);
  std::deque<Node> waiting;
  std::optional<Node> goal;
  for (const Node node : initial()) {
    if (is_marked(node, mark)) return {};
    before[node] = kRoot;
    waiting.push_back(node);
  }
  while (!goal) {
    stop_.poll(16);
    const Node node = waiting.front();
    waiting.pop_front();
    for_each_successor(node, [&](Node to, const Edge&) {
      if (before[to] != kDone) return false;
      before[to] = node;
      waiting.push_back(to);
      if (is_marked(to, mark)) goal = to;
      return goal.has_value();
    });
  }
  std::vector<Step> result;  // backwards
  for (Node to = *goal; before[to] != kRoot; to = before[to]) {
    for_each_successor(before[to], [&](Node next, const Edge& edge) {
      if (next == to) result.push_back({before[to], edge, to});
      return next == to;
    });
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// The shortest way within the marked nodes, by one step at least, to something that is needed; or
/// to a goal.
std::vector<FairCycle::Step> FairCycle::way_to_a_need(Node from, std::uint32_t mark,
                                                      const Needs& needs,
                                                      std::optional<Node> goal) const {
  std::unordered_map<Node, Step> by;  // whose last step led to a node
  std::deque<Node> waiting{from};
  std::optional<Step> last;
  const auto is_needed = [&](Node to, const Edge& edge) {
    if (goal) return to == *goal;
    return (edge.thread.valid() && needs.steps[edge.thread.index]) || helps(to, needs);
  };
  while (!last && !waiting.empty()) {
    stop_.poll(16);
    const Node node = waiting.front();
    waiting.pop_front();
    for_each_successor(node, [&](Node to, const Edge& edge) {
      if (!is_marked(to, mark)) return false;
      const bool is_there = is_needed(to, edge);
      if (is_there) last = Step{node, edge, to};
      if (!is_there && to != from && by.emplace(to, Step{node, edge, to}).second)
        waiting.push_back(to);
      return is_there;
    });
  }
  std::vector<Step> result{*last};  // backwards
  while (result.back().from != from)
    result.push_back(by.at(result.back().from));
  std::reverse(result.begin(), result.end());
  return result;
}

Path FairCycle::path(const std::vector<Step>& steps) {
  Path result;
  for (const Step& step : steps)
    if (const auto action = graph_.action(state(step.from), step.edge)) result.push_back(*action);
  return result;
}

}  // namespace cml::checker
