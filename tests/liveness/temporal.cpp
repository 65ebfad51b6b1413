#include "tests/liveness/temporal.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

namespace cml::brute {
namespace {

using ExecutionEdge = Executions::Edge;
using NodeSet = std::vector<bool>;

constexpr std::size_t kMostNodes = 6'000;
constexpr std::size_t kMostThreads = 8;

std::vector<std::vector<std::size_t>> leaving(std::size_t count,
                                              const std::vector<ExecutionEdge>& edges,
                                              const NodeSet& among, bool is_backwards) {
  std::vector<std::vector<std::size_t>> result(count);
  for (const ExecutionEdge& edge : edges)
    if (among[edge.from] && among[edge.to])
      result[is_backwards ? edge.to : edge.from].push_back(is_backwards ? edge.from : edge.to);
  return result;
}

NodeSet reached(const std::vector<std::vector<std::size_t>>& next,
                const std::vector<std::size_t>& from) {
  NodeSet seen(next.size());
  std::vector<std::size_t> waiting = from;
  while (!waiting.empty()) {
    const std::size_t at = waiting.back();
    waiting.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    waiting.insert(waiting.end(), next[at].begin(), next[at].end());
  }
  return seen;
}

/// Calls `is_good` for the strongly connected components among the nodes, until it returns true.
bool any_component(const std::vector<ExecutionEdge>& edges, const NodeSet& among,
                   const std::function<bool(const NodeSet&)>& is_good) {
  const auto forward = leaving(among.size(), edges, among, false);
  const auto backward = leaving(among.size(), edges, among, true);
  NodeSet done(among.size());
  for (std::size_t at = 0; at < among.size(); ++at) {
    if (!among[at] || done[at]) continue;
    const NodeSet behind = reached(forward, {at});
    const NodeSet before = reached(backward, {at});
    NodeSet component(among.size());
    for (std::size_t i = 0; i < among.size(); ++i)
      if (behind[i] && before[i]) component[i] = done[i] = true;
    const bool has_edge = std::any_of(edges.begin(), edges.end(), [&](const ExecutionEdge& edge) {
      return component[edge.from] && component[edge.to];
    });
    if (has_edge && is_good(component)) return true;
  }
  return false;
}

/// Whether a fair execution stays among the nodes for ever, in a component of which `is_good`.
bool stays(const Executions& graph, const std::vector<ExecutionEdge>& edges, const NodeSet& among,
           const std::vector<std::size_t>& node_of, Fairness fairness,
           const std::function<bool(const NodeSet&)>& is_good) {
  const auto moves = [&](const NodeSet& component, std::size_t thread) {
    return std::any_of(edges.begin(), edges.end(), [&](const ExecutionEdge& edge) {
      return edge.thread == static_cast<int>(thread) && component[edge.from] && component[edge.to];
    });
  };
  if (fairness != Fairness::Strong)
    return any_component(edges, among, [&](const NodeSet& component) {
      for (std::size_t t = 0; t < graph.threads && fairness == Fairness::Weak; ++t) {
        bool is_disabled = false;
        for (std::size_t i = 0; i < component.size(); ++i)
          is_disabled = is_disabled || (component[i] && !graph.enabled[node_of[i]][t]);
        if (!is_disabled && !moves(component, t)) return false;
      }
      return is_good(component);
    });
  // Of each set of threads: these take steps again and again, the others are never enabled.
  for (std::size_t moving = 0; moving < std::size_t{1} << graph.threads; ++moving) {
    NodeSet left = among;
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t t = 0; t < graph.threads; ++t)
        if ((moving >> t & 1) == 0 && graph.enabled[node_of[i]][t]) left[i] = false;
    const bool is_found = any_component(edges, left, [&](const NodeSet& component) {
      for (std::size_t t = 0; t < graph.threads; ++t)
        if ((moving >> t & 1) != 0 && !moves(component, t)) return false;
      return is_good(component);
    });
    if (is_found) return true;
  }
  return false;
}

bool is_temporal(FormulaKind kind) { return kind >= FormulaKind::Until; }

}  // namespace

std::optional<bool> holds(const Executions& graph, const model::Property& property,
                          const AtomValues& atoms, Fairness fairness) {
  std::vector<std::size_t> temporal;  // parts
  for (std::size_t i = 0; i < property.parts.size(); ++i)
    if (is_temporal(property.parts[model::FormulaId(static_cast<std::uint32_t>(i))].kind))
      temporal.push_back(i);
  const std::size_t ways = std::size_t{1} << std::min<std::size_t>(temporal.size(), 20);
  if (atoms.size() * ways > kMostNodes || graph.threads > kMostThreads) return std::nullopt;
  // By node and way: the values of all parts.
  const auto values = [&](std::size_t node, std::size_t way) {
    std::vector<bool> is;
    for (std::size_t i = 0, k = 0; i < property.parts.size(); ++i) {
      const model::Formula& part = property.parts[model::FormulaId(static_cast<std::uint32_t>(i))];
      const bool left = part.left.valid() && is[part.left.index];
      const bool right = part.right.valid() && is[part.right.index];
      bool value = false;
      switch (part.kind) {
        case FormulaKind::Condition:
        case FormulaKind::Ended:
        case FormulaKind::At:
          value = atoms[node][i];
          break;
        case FormulaKind::Not:
          value = !right;
          break;
        case FormulaKind::And:
          value = left && right;
          break;
        case FormulaKind::Or:
          value = left || right;
          break;
        case FormulaKind::Implies:
          value = !left || right;
          break;
        default:
          value = (way >> k++ & 1) != 0;
          break;
      }
      is.push_back(value);
    }
    return is;
  };
  std::vector<std::vector<bool>> all;
  std::vector<std::size_t> node_of;
  for (std::size_t node = 0; node < atoms.size(); ++node) {
    for (std::size_t way = 0; way < ways; ++way) {
      all.push_back(values(node, way));
      node_of.push_back(node);
    }
  }
  const auto part_at = [&](std::size_t i) -> const model::Formula& {
    return property.parts[model::FormulaId(static_cast<std::uint32_t>(i))];
  };
  const auto is_consistent = [&](const std::vector<bool>& now, const std::vector<bool>& then) {
    return std::all_of(temporal.begin(), temporal.end(), [&](std::size_t i) {
      const model::Formula& part = part_at(i);
      const bool left = part.left.valid() && now[part.left.index];
      const bool right = now[part.right.index];
      switch (part.kind) {
        case FormulaKind::Until:
          return now[i] == (right || (left && then[i]));
        case FormulaKind::Release:
          return now[i] == (right && (left || then[i]));
        case FormulaKind::Always:
          return now[i] == (right && then[i]);
        default:
          return now[i] == (right || then[i]);
      }
    });
  };
  std::vector<ExecutionEdge> edges;
  for (const ExecutionEdge& edge : graph.edges)
    for (std::size_t a = 0; a < ways; ++a)
      for (std::size_t b = 0; b < ways; ++b)
        if (is_consistent(all[edge.from * ways + a], all[edge.to * ways + b]))
          edges.push_back({edge.from * ways + a, edge.to * ways + b, edge.thread});
  std::vector<std::size_t> initial;  // in which the formula is false
  for (std::size_t way = 0; way < ways; ++way)
    if (!all[way].back()) initial.push_back(way);
  const NodeSet every(all.size(), true);
  const NodeSet from_initial = reached(leaving(all.size(), edges, every, false), initial);
  // What is promised for later comes somewhere in the component, and what is denied fails there.
  const auto keeps_promises = [&](const NodeSet& component) {
    return std::all_of(temporal.begin(), temporal.end(), [&](std::size_t i) {
      for (std::size_t at = 0; at < component.size(); ++at) {
        if (!component[at]) continue;
        const bool right = all[at][part_at(i).right.index];
        const bool promises =
            part_at(i).kind == FormulaKind::Until || part_at(i).kind == FormulaKind::Eventually;
        if (promises ? !all[at][i] || right : all[at][i] || !right) return true;
      }
      return false;
    });
  };
  return !stays(graph, edges, from_initial, node_of, fairness, keeps_promises);
}

bool all_end(const Executions& graph, const std::vector<std::vector<bool>>& ended,
             const std::vector<bool>& counts, Fairness fairness) {
  std::vector<std::size_t> node_of(ended.size());
  for (std::size_t i = 0; i < node_of.size(); ++i)
    node_of[i] = i;
  const NodeSet every(ended.size(), true);
  const NodeSet from_initial = reached(leaving(ended.size(), graph.edges, every, false), {0});
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (!counts[t]) continue;
    NodeSet going = from_initial;
    for (std::size_t i = 0; i < going.size(); ++i)
      going[i] = going[i] && !ended[i][t];
    if (stays(graph, graph.edges, going, node_of, fairness, [](const NodeSet&) { return true; }))
      return false;
  }
  return true;
}

}  // namespace cml::brute
