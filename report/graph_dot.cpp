#include "report/graph_dot.h"

#include <fmt/format.h>

#include "report/terminal_text.h"

namespace cml::report {
namespace {

using Style = checker::Graph::Style;

/// A quoted string whose lines are aligned at the left. What a model says is text, never DOT.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  bool has_lines = false;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\l";
      has_lines = true;
    } else {
      out += c;
    }
  }
  return out + (has_lines ? "\\l\"" : "\"");
}

std::string_view attributes(Style style) {
  switch (style) {
    case Style::Plain:
      return "";
    case Style::Initial:
      return ", penwidth=2";
    case Style::Ended:
      return ", peripheries=2";
    case Style::Stuck:
      return ", style=\"filled\", fillcolor=\"#f6c6c0\"";
    case Style::Stopped:
      return ", style=\"filled\", fillcolor=\"#f5dca0\"";
    case Style::Open:
      return ", style=\"dashed\"";
  }
  return "";
}

}  // namespace

std::string graph_dot(const checker::Graph& graph, const std::string& title) {
  std::string text = fmt::format(
      "digraph {{\n  graph [label={}, fontname=\"sans-serif\"];\n"
      "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
      "  edge [fontname=\"monospace\", fontsize=9];\n",
      quoted(title));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    text += fmt::format("  n{} [label={}{}];\n", i, quoted(graph.nodes[i].text),
                        attributes(graph.nodes[i].style));
  for (const checker::Graph::Edge& edge : graph.edges) {
    std::string with = edge.text.empty() ? "" : "label=" + quoted(edge.text);
    if (edge.is_dashed) with += with.empty() ? "style=dashed" : ", style=dashed";
    text += fmt::format("  n{} -> n{}{};\n", edge.from, edge.to,
                        with.empty() ? "" : fmt::format(" [{}]", with));
  }
  return text + "}\n";
}

}  // namespace cml::report
