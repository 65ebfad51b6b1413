// Graphs of states and of locks, from a small search.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "checker/finding/replay.h"
#include "checker/finding/small_search.h"
#include "checker/graphs.h"

namespace cml::checker {
namespace {

std::uint32_t line_of(const SourceSet& sources, SourceRange where) {
  return sources.file(where.file).line_column(where.begin).line;
}

/// "A 17, B 18, C ended" and what has changed, each in a line of its own.
std::string state_text(const SourceSet& sources, Replayer& replayer, const Path& micros) {
  const Replay replay = replayer.replay(micros);
  std::string text;
  for (const ThreadStatus& thread : replayer.status(replay)) {
    const bool is_somewhere = thread.state == "running" || thread.state == "blocked";
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", thread.thread,
        is_somewhere ? std::to_string(line_of(sources, thread.location)) : thread.state);
  }
  for (const auto& [name, value] : replayer.changed_objects(replay))
    text += fmt::format("\n{} = {}", name, value.text);
  return text;
}

/// What the steps behind the first ones do.
std::string transition_text(Replayer& replayer, const Path& micros, std::size_t first) {
  const std::vector<TraceStep> steps = replayer.replay(micros).steps;
  std::string text;
  for (std::size_t i = std::min(first, steps.size()); i < steps.size(); ++i) {
    text += text.empty() ? steps[i].thread + ": " : "; ";
    text += steps[i].operation;
    if (steps[i].result && steps[i].shows_result) text += " → " + steps[i].result->text;
  }
  return text;
}

Graph::Style style_of(const ir::System& system, const ir::Layout& layout, const std::uint8_t* state,
                      bool nobody_goes, bool is_open) {
  bool all_ended = true;
  for (const ir::ThreadId id : system.threads.ids()) {
    const ir::Location at = location(layout, state, id);
    if (at == ir::kStopped || at == ir::kDiverged) return Graph::Style::Stopped;
    all_ended = all_ended && (system.threads[id].is_daemon || at == ir::kEnded);
  }
  if (is_open) return Graph::Style::Open;
  if (all_ended && nobody_goes) return Graph::Style::Ended;
  return nobody_goes ? Graph::Style::Stuck : Graph::Style::Plain;
}

/// Nodes from which a path leads back to them.
std::set<std::size_t> on_cycles(const Graph& graph) {
  std::set<std::size_t> result;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    std::set<std::size_t> seen;
    std::vector<std::size_t> work{node};
    while (!work.empty()) {
      const std::size_t at = work.back();
      work.pop_back();
      for (const Graph::Edge& edge : graph.edges)
        if (edge.from == at && seen.insert(edge.to).second) work.push_back(edge.to);
    }
    if (seen.contains(node)) result.insert(node);
  }
  return result;
}

}  // namespace

Graph state_graph(const ir::System& system, const SourceSet& sources, const Options& options,
                  const std::atomic<bool>& stop) {
  SmallSearch search(system, options, stop);
  Replayer replayer(search.analyses, search.layout, sources, search.step, search.config);
  Graph graph;
  std::vector<ir::Action> taken;  // by edge
  graph.is_whole = search.run(
      [&](std::size_t, const std::uint8_t* state, const auto& actions, bool is_open) {
        const bool nobody_goes = actions.size() == 0;
        graph.nodes.push_back({"", style_of(system, search.layout, state, nobody_goes, is_open)});
      },
      [&](std::size_t from, ir::Action action, std::size_t to) {
        graph.edges.push_back({from, to, "", false});
        taken.push_back(action);
      });
  if (!graph.nodes.empty() && graph.nodes[0].style == Graph::Style::Plain)
    graph.nodes[0].style = Graph::Style::Initial;
  std::erase_if(graph.edges, [&](const Graph::Edge& edge) {  // of a search that was stopped
    return edge.to >= graph.nodes.size();
  });
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    graph.nodes[i].text = state_text(sources, replayer, replayer.micros(search.path(i)));
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    Path path = search.path(graph.edges[i].from);
    const std::size_t first = replayer.micros(path).size();
    path.push_back(taken[i]);
    graph.edges[i].text = transition_text(replayer, replayer.micros(path), first);
  }
  return graph;
}

Graph lock_graph(const ir::System& system, const SourceSet& sources, const Options& options,
                 const std::atomic<bool>& stop) {
  SmallSearch search(system, options, stop);
  std::map<std::pair<ir::ObjectId, ir::ObjectId>, std::set<std::string>> taken;  // held, taken
  ir::Record record;
  const bool is_whole = search.run(
      [&](std::size_t, const std::uint8_t* state, const auto&, bool) {
        for (const ir::ThreadId id : system.threads.ids()) {
          if (location(search.layout, state, id) < ir::kFirstLocation) continue;
          record.clear();
          search.step.pending(state, id, record);
          for (const ir::Touch& touch : record.touches) {
            if (touch.effect != ir::Effect::Take) continue;
            const ir::Code& code = system.threads[id].code;
            const std::string by = fmt::format("{} {}", system.threads[id].name,
                                               line_of(sources, code.instructions[touch.pc].range));
            for (const ir::ObjectId held : search.layout.locks())
              if (held != touch.object && search.layout.owner(state, held) == id)
                taken[{representative(system, held), representative(system, touch.object)}].insert(
                    by);
          }
        }
      },
      [](std::size_t, ir::Action, std::size_t) {});
  Graph graph;
  graph.is_whole = is_whole;
  std::map<ir::ObjectId, std::size_t> nodes;
  for (const auto& [locks, by] : taken) {
    for (const ir::ObjectId lock : {locks.first, locks.second})
      if (nodes.emplace(lock, graph.nodes.size()).second)
        graph.nodes.push_back({system.objects[lock].name, Graph::Style::Plain});
    std::string text;
    constexpr std::size_t kMost = 4;
    std::size_t told = 0;
    for (const std::string& one : by) {
      if (told++ == kMost) break;
      text += (text.empty() ? "" : "\n") + one;
    }
    if (by.size() > kMost) text += fmt::format("\nand {} more", by.size() - kMost);
    graph.edges.push_back({nodes[locks.first], nodes[locks.second], text, false});
  }
  for (const std::size_t node : on_cycles(graph))
    graph.nodes[node].style = Graph::Style::Stuck;
  return graph;
}

}  // namespace cml::checker
