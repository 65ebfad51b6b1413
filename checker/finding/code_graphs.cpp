// Graphs of control flow and of who waits for whom.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "checker/graphs.h"
#include "ir/analysis/code_flow.h"

namespace cml::checker {
namespace {

/// The first line of what an instruction comes from, behind its number.
std::string source_of(const SourceSet& sources, SourceRange where) {
  constexpr std::size_t kMost = 60;  // bytes
  const SourceFile& file = sources.file(where.file);
  std::string_view text = file.text().substr(where.begin, where.end - where.begin);
  text = text.substr(0, text.find('\n'));
  const bool is_cut = text.size() > kMost;
  if (is_cut) text = text.substr(0, kMost);
  return fmt::format("{}: {}{}", file.line_column(where.begin).line, text, is_cut ? "…" : "");
}

}  // namespace

Graph flow_graph(const ir::System& system, const SourceSet& sources, ir::ThreadId thread) {
  const ir::Code& code = system.threads[thread].code;
  const std::vector<bool> is_reachable = ir::reachable(code);
  const std::size_t count = code.instructions.size();
  std::vector<std::vector<ir::Pc>> next(count);
  std::vector<std::size_t> entries(count, 0);
  for (ir::Pc pc = 0; pc < count; ++pc) {
    if (!is_reachable[pc]) continue;
    ir::successors(code, pc, next[pc]);
    std::sort(next[pc].begin(), next[pc].end());
    next[pc].erase(std::unique(next[pc].begin(), next[pc].end()), next[pc].end());
    for (const ir::Pc to : next[pc])
      ++entries[to];
  }
  // A block begins where control comes from elsewhere.
  std::vector<bool> begins(count, false);
  if (count > 0) begins[0] = true;
  for (ir::Pc pc = 0; pc < count; ++pc)
    for (const ir::Pc to : next[pc])
      if (next[pc].size() > 1 || entries[to] > 1 || to != pc + 1) begins[to] = true;

  Graph graph;
  std::map<ir::Pc, std::size_t> node_of;  // of the first instruction of a block
  for (ir::Pc pc = 0; pc < count; ++pc) {
    if (!is_reachable[pc] || !begins[pc]) continue;
    node_of[pc] = graph.nodes.size();
    std::string text;
    std::string last;
    ir::Pc end = pc;
    for (ir::Pc at = pc; at < count && is_reachable[at] && (at == pc || !begins[at]); ++at) {
      const SourceRange where = code.instructions[at].range;
      end = at;
      if (!where.file.valid()) continue;
      std::string line = source_of(sources, where);
      if (line == last) continue;
      text += (text.empty() ? "" : "\n") + line;
      last = std::move(line);
    }
    const bool is_end = next[end].empty();
    if (text.empty()) text = is_end ? "end" : "…";
    graph.nodes.push_back({text, pc == 0  ? Graph::Style::Initial
                                 : is_end ? Graph::Style::Ended
                                          : Graph::Style::Plain});
  }
  for (const auto& [first, node] : node_of) {
    ir::Pc end = first;
    while (end + 1 < count && is_reachable[end + 1] && !begins[end + 1])
      ++end;
    for (const ir::Pc to : next[end])
      graph.edges.push_back({node, node_of.at(to), "", to <= first});
  }
  return graph;
}

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
