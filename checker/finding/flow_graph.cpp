// The control flow of a thread: pieces of code that are executed from the first statement to the
// last, and the conditions between them.
//
//     ┌────────────────────────┐
//     │ 17: fork[i].acquire(); │ meals < 100   ┌───────────────────────┐
//     │ 19: if meals < 100 {   ├──────────────▶│ 19: meals = meals + 1 │
//     └───────────┬────────────┘               └───────────────────────┘
//                 └ else ─▶
//
// Statements are what the marks stand for; what compiled code does besides (a local that is reset
// at the end of its scope) shows nothing, and pieces of only that are left out.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "checker/graphs.h"
#include "ir/analysis/code_flow.h"
#include "ir/describe.h"

namespace cml::checker {
namespace {

std::string first_line(const SourceSet& sources, SourceRange where) {
  constexpr std::size_t kMost = 60;  // bytes
  std::string_view text =
      sources.file(where.file).text().substr(where.begin, where.end - where.begin);
  text = text.substr(0, text.find('\n'));
  if (const std::size_t brace = text.find('{'); brace != std::string_view::npos)
    text = text.substr(0, brace + 1);
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;  // not within a character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return fmt::format("{}…", text.substr(0, end));
}

bool frees(const ir::Instruction& instruction) {
  bool result = false;
  ir::for_each_place(instruction, [&result](const ir::Place&, ir::Effects effects) {
    result = result || effects.contains(ir::Effect::Give);
  });
  return result;
}

class FlowGraph {
 public:
  FlowGraph(const ir::System& system, const SourceSet& sources, ir::ThreadId thread)
      : system_(system), sources_(sources), code_(system.threads[thread].code) {
    find_pieces();
  }

  Graph make() {
    for (const auto& [first, end] : pieces_)
      if (is_shown(first)) add_node(first, end);
    for (const auto& [first, end] : pieces_)
      if (is_shown(first)) add_edges(first, end);
    return std::move(graph_);
  }

 private:
  void find_pieces() {
    const std::size_t count = code_.instructions.size();
    const std::vector<bool> is_reachable = ir::reachable(code_);
    next_.resize(count);
    std::vector<std::size_t> entries(count, 0);
    for (ir::Pc pc = 0; pc < count; ++pc) {
      if (!is_reachable[pc]) continue;
      ir::successors(code_, pc, next_[pc]);
      std::sort(next_[pc].begin(), next_[pc].end());
      next_[pc].erase(std::unique(next_[pc].begin(), next_[pc].end()), next_[pc].end());
      for (const ir::Pc to : next_[pc])
        ++entries[to];
    }
    // One begins where control comes from elsewhere.
    std::vector<bool> begins(count, false);
    if (count > 0) begins[0] = true;
    for (ir::Pc pc = 0; pc < count; ++pc)
      for (const ir::Pc to : next_[pc])
        if (next_[pc].size() > 1 || entries[to] > 1 || to != pc + 1) begins[to] = true;
    for (ir::Pc pc = 0; pc < count; ++pc) {
      if (!is_reachable[pc] || !begins[pc]) continue;
      ir::Pc end = pc;
      while (end + 1 < count && is_reachable[end + 1] && !begins[end + 1])
        ++end;
      pieces_[pc] = end;
    }
  }

  [[nodiscard]] std::string line(SourceRange where, const char* before) const {
    const std::uint32_t number = sources_.file(where.file).line_column(where.begin).line;
    return fmt::format("{}: {}{}", number, before, first_line(sources_, where));
  }

  [[nodiscard]] std::string text_of(ir::Pc first, ir::Pc end) const {
    std::string text;
    const auto add = [&text](const std::string& one) { text += (text.empty() ? "" : "\n") + one; };
    SourceRange said;
    for (ir::Pc at = first; at <= end; ++at) {
      const ir::Instruction& instruction = code_.instructions[at];
      if (const auto* mark = std::get_if<ir::Mark>(&instruction.node)) {
        const ir::Point& point = system_.points[mark->point];
        said = point.range;
        if (said.file.valid()) add(line(said, ""));
        continue;
      }
      // At the end of a `with`, which no statement stands for.
      const SourceRange where = instruction.range;
      const bool is_said = where.file == said.file && said.begin <= where.begin &&
                           where.end <= said.end && !text.empty();
      if (where.file.valid() && !is_said && frees(instruction)) add(line(where, "end of with "));
    }
    return text;
  }

  /// Else it is an edge from what comes before to what comes behind.
  [[nodiscard]] bool is_shown(ir::Pc first) const {
    const ir::Pc end = pieces_.at(first);
    return first == 0 || next_[end].size() != 1 || next_[end][0] == first ||
           !text_of(first, end).empty();
  }

  void add_node(ir::Pc first, ir::Pc end) {
    std::string text = text_of(first, end);
    const bool is_end = next_[end].empty();
    if (text.empty()) text = is_end ? "end" : first == 0 ? "begin" : "…";
    node_of_[first] = graph_.nodes.size();
    graph_.nodes.push_back({std::move(text), first == 0 ? Graph::Style::Initial
                                             : is_end   ? Graph::Style::Ended
                                                        : Graph::Style::Plain});
  }

  void add_edges(ir::Pc first, ir::Pc end) {
    const ir::Instruction& last = code_.instructions[end];
    const auto* branch = std::get_if<ir::Branch>(&last.node);
    for (const ir::Pc to : next_[end]) {
      std::string text;
      if (branch != nullptr && branch->if_true != branch->if_false && last.range.file.valid())
        text = to == branch->if_true ? first_line(sources_, last.range) : "else";
      ir::Pc shown = to;
      for (std::size_t steps = 0; !is_shown(shown) && steps < pieces_.size(); ++steps)
        shown = next_[pieces_.at(shown)][0];
      graph_.edges.push_back(
          {node_of_.at(first), node_of_.at(shown), std::move(text), shown <= first});
    }
  }

  const ir::System& system_;
  const SourceSet& sources_;
  const ir::Code& code_;
  std::vector<std::vector<ir::Pc>> next_;
  std::map<ir::Pc, ir::Pc> pieces_;  // by their first instructions: the last
  std::map<ir::Pc, std::size_t> node_of_;
  Graph graph_;
};

}  // namespace

Graph flow_graph(const ir::System& system, const SourceSet& sources, ir::ThreadId thread) {
  return FlowGraph(system, sources, thread).make();
}

}  // namespace cml::checker
