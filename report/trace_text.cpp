// Traces as a table of lanes.
#include "report/trace_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace cml::report {
namespace {

using checker::TraceStep;

constexpr int kMostSourceColumns = 44;
constexpr std::size_t kMostLanes = 24;  // beyond, the thread's name stands alone

std::string padded(std::string text, int width) {
  const int missing = width - display_width(text);
  if (missing > 0) text.append(static_cast<std::size_t>(missing), ' ');
  return text;
}

/// The beginning of a text, with an ellipsis if it is longer than the columns there are.
std::string cut(std::string_view text, int width) {
  std::string out;
  int used = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (used + glyph.width > width - 1 && display_width(text) > width - used) return out + "…";
    out += glyph.text == "\t" ? std::string_view(" ") : glyph.text;
    used += glyph.width;
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

std::string source_line(const SourceSet& sources, SourceRange where) {
  if (!where.file.valid()) return {};
  const SourceFile& file = sources.file(where.file);
  std::string_view text = file.line_text(file.line_column(where.begin).line);
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  if (const std::size_t comment = text.find("//"); comment != std::string_view::npos && comment > 0)
    text = text.substr(0, comment);
  return cut(text.substr(0, text.find_last_not_of(" \t\r") + 1), kMostSourceColumns);
}

std::vector<std::string> lanes_of(const std::vector<TraceStep>& trace) {
  std::vector<std::string> lanes;
  for (const TraceStep& step : trace) {
    if (std::find(lanes.begin(), lanes.end(), step.thread) == lanes.end())
      lanes.push_back(step.thread);
  }
  return lanes;
}

std::string changes_text(const TraceStep& step) {
  std::string out = step.choice_text;
  for (const auto& [name, value] : step.changes)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out;
}

}  // namespace

std::size_t context_switches(const std::vector<TraceStep>& trace) {
  std::size_t switches = 0;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    if (trace[i].thread != trace[i - 1].thread) ++switches;
  }
  return switches;
}

std::string trace_text(const SourceSet& sources, const std::vector<TraceStep>& trace,
                       const TextStyle& style) {
  const std::vector<std::string> lanes = lanes_of(trace);
  const bool drawn = lanes.size() <= kMostLanes;
  std::vector<std::string> lines;
  int line_width = 4;
  int source_width = 6;
  int operation_width = 11;
  for (const TraceStep& step : trace) {
    lines.push_back(source_line(sources, step.location));
    source_width = std::max(source_width, display_width(lines.back()));
    operation_width = std::max(operation_width, display_width(step.operation));
  }
  operation_width = std::min(operation_width, 40);

  std::string header = padded("line", line_width) + "  " + padded("source", source_width) + "  ";
  int name_width = 6;
  if (drawn) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      header += padded(fmt::format("{}", lane), lane < 10 ? 2 : 3);
  } else {
    for (const std::string& lane : lanes)
      name_width = std::max(name_width, display_width(lane));
    header += padded("thread", name_width) + " ";
  }
  header += " " + padded("what it did", operation_width) + "  changes";

  std::string out;
  if (drawn) {
    std::string legend = "lanes: ";
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      legend += fmt::format("{}{} {}", lane == 0 ? "" : ", ", lane, printable(lanes[lane]));
    out += "  " + wrapped(legend, style.width - 2, 9, 2) + "\n\n";
  }
  out += "  " + style.colours(Paint::Faint, header) + "\n";
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const TraceStep& step = trace[i];
    std::string row;
    const bool placed = step.location.file.valid();
    row += fmt::format(
        "{:>{}}  ",
        placed
            ? fmt::to_string(sources.file(step.location.file).line_column(step.location.begin).line)
            : std::string(),
        line_width);
    row += padded(lines[i], source_width) + "  ";
    if (drawn) {
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const bool here = lanes[lane] == step.thread;
        row += padded(here ? "●" : "·", lane < 10 ? 2 : 3);
      }
    } else {
      row += padded(printable(step.thread), name_width) + " ";
    }
    const std::string changes = changes_text(step);
    const std::string operation = printable(step.operation);
    row +=
        " " + (changes.empty() ? operation : padded(operation, operation_width) + "  " + changes);
    out += "  " + row + "\n";
  }
  return out;
}

}  // namespace cml::report
