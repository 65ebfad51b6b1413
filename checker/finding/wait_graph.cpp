// Who waits for whom.
#include <algorithm>
#include <map>

#include "checker/graphs.h"

namespace cml::checker {

Graph wait_graph(const Violation& violation) {
  Graph graph;
  std::map<std::string, std::size_t> node_of;
  for (const ThreadStatus& thread : violation.threads) {
    std::string text = thread.thread;
    if (!thread.blocked_on) text += "\n" + thread.state;
    for (const std::string& lock : thread.holds)
      text += "\nholds " + lock;
    const bool is_on_cycle = std::find(violation.cycle.begin(), violation.cycle.end(),
                                       thread.thread) != violation.cycle.end();
    node_of[thread.thread] = graph.nodes.size();
    graph.nodes.push_back({text, is_on_cycle || thread.is_stuck ? Graph::Style::Stuck
                                 : thread.state == "stopped"    ? Graph::Style::Stopped
                                 : thread.state == "ended"      ? Graph::Style::Ended
                                                                : Graph::Style::Plain});
  }
  for (const ThreadStatus& thread : violation.threads) {
    if (!thread.blocked_on) continue;
    const std::size_t from = node_of.at(thread.thread);
    const auto known = node_of.find(thread.waits_for.value_or(""));
    if (known != node_of.end()) {
      graph.edges.push_back({from, known->second, *thread.blocked_on, false});
      continue;
    }
    for (const Waker& waker : thread.wakers)
      if (const auto by = node_of.find(waker.thread); by != node_of.end())
        graph.edges.push_back(
            {from, by->second,
             *thread.blocked_on + (waker.why_not.empty() ? "" : "\nwhich " + waker.why_not), true});
  }
  return graph;
}

}  // namespace cml::checker
