// Traces as a table of lanes.
#include "report/trace_text.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

#include "report/source_excerpt.h"

namespace cml::report {
namespace {

using checker::TraceStep;

constexpr int kMostSourceColumns = 44;
constexpr std::size_t kMostLanes = 24;  // beyond, the thread's name stands alone

/// The end of the statement, or of its head, that `at` lies in; behind `begin`, in one line.
std::size_t end_of_statement(std::string_view line, std::size_t at) {
  int depth = 0;
  bool is_quoted = false;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth <= 0 && (c == ';' || c == '{')) return at + 1;
    if (depth <= 0 && c == '}') return at;
  }
  return at;
}

/// The statement, as far as it stands in the line where the range begins: of a body in one line,
/// not the head.
std::string source_line(const SourceSet& sources, SourceRange where) {
  if (!where.file.valid()) return {};
  const SourceFile& file = sources.file(where.file);
  const std::uint32_t number = file.line_column(where.begin).line;
  std::string_view text = file.line_text(number);
  if (const std::size_t comment = text.find("//"); comment != std::string_view::npos && comment > 0)
    text = text.substr(0, comment);
  const std::size_t at = std::min<std::size_t>(where.begin - file.line_begin(number), text.size());
  std::size_t begin = 0;  // of the last statement before it that begins in the line
  for (std::size_t next = 0; next <= at && next < text.size();) {
    begin = next;
    next = std::max(end_of_statement(text, next), next + 1);
    while (next < text.size() && (text[next] == ' ' || text[next] == '\t' || text[next] == '}'))
      ++next;
  }
  text = text.substr(begin, end_of_statement(text, std::max(begin, at)) - begin);
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  text.remove_prefix(first);
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

/// What it did, and what that answered.
std::string operation_of(const TraceStep& step) {
  std::string text = step.operation;
  // An object that is called by its path is what the path says.
  if (step.result && step.shows_result && step.result->text != text)
    text += " → " + step.result->text;
  if (step.was) text += ", was " + step.was->text;
  if (step.woken) text += step.woken->empty() ? ", wakes nobody" : ", wakes ";
  for (std::size_t i = 0; step.woken && i < step.woken->size(); ++i)
    text += (i > 0 ? ", " : "") + (*step.woken)[i];
  if (step.is_spurious) text += " by nobody: a spurious wake-up";
  for (std::size_t i = 0; i < step.reads.size(); ++i)
    text +=
        fmt::format("{}{} → {}", i > 0 ? ", " : ": ", step.reads[i].name, step.reads[i].value.text);
  return printable(text);
}

/// What is shown behind the operation, a piece for each value that changed.
std::vector<std::string> changes_of(const TraceStep& step) {
  std::vector<std::string> pieces;
  for (const auto& [name, value] : step.changes)
    pieces.push_back(printable(fmt::format("{} = {}", name, value.text)));
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
    pieces[i] += ",";
  return pieces;
}

/// Adds a text to lines of at most `width` columns: to the last one if it fits there, else broken
/// between words, or inside one that is too long.
void fill(std::vector<std::string>& lines, std::string_view text, int width) {
  if (lines.empty()) lines.emplace_back();
  const auto fits = [&lines, width](std::string_view more) {
    const int used = display_width(lines.back());
    return used + (used > 0 ? 1 : 0) + display_width(more) <= width;
  };
  const auto append = [&lines](std::string_view more) {
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += more;
  };
  if (fits(text)) return append(text);
  if (!lines.back().empty()) lines.emplace_back();
  if (fits(text)) return append(text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!fits(word) && !lines.back().empty()) lines.emplace_back();
    if (fits(word)) {
      append(word);
      continue;
    }
    for (int used = 0; !word.empty();) {
      const Glyph glyph = first_glyph(word);
      if (used + glyph.width > width) {
        lines.emplace_back();
        used = 0;
      }
      lines.back() += glyph.text;
      used += glyph.width;
      word.remove_prefix(glyph.bytes);
    }
  }
}

class Table {
 public:
  Table(const SourceSet& sources, const std::vector<TraceStep>& trace, const TextStyle& style);

  std::string text();

 private:
  static constexpr int kIndent = 2;
  static constexpr int kMostPlace = 16;
  static constexpr int kMostOperation = 40;
  // The least width of a column where there is not room for all. Without room for these, the source
  // is left out, and then the changes stand below the operation.
  static constexpr int kLeastSource = 14;
  static constexpr int kLeastOperation = 16;
  static constexpr int kLeastChanges = 16;

  void fit(int width);
  [[nodiscard]] static int lane_width(std::size_t lane) { return lane < 10 ? 2 : 3; }
  [[nodiscard]] std::string cell_of_source(std::string text) const {
    return source_ == 0 ? "" : padded(std::move(text), source_) + "  ";
  }
  std::string row(std::size_t step) const;

  const std::vector<TraceStep>& trace_;
  const TextStyle& style_;
  std::vector<std::string> lanes_;
  std::vector<std::string> places_;
  std::vector<std::string> lines_;  // of the source
  bool is_drawn_;
  int threads_ = 0;  // columns of the lanes, or of the threads' names
  int place_ = 4;
  int source_ = 6;
  int operation_ = 11;
  int changes_ = 7;
  bool is_stacked_ = false;
};

Table::Table(const SourceSet& sources, const std::vector<TraceStep>& trace, const TextStyle& style)
    : trace_(trace),
      style_(style),
      lanes_(lanes_of(trace)),
      is_drawn_(lanes_.size() <= kMostLanes) {
  for (const TraceStep& step : trace) {
    places_.push_back(short_place(sources, step.location));
    place_ = std::min(std::max(place_, display_width(places_.back())), kMostPlace);
    lines_.push_back(source_line(sources, step.location));
    source_ = std::max(source_, display_width(lines_.back()));
    operation_ = std::max(operation_, display_width(operation_of(step)));
    int changes = 0;
    for (const std::string& piece : changes_of(step))
      changes += display_width(piece) + (changes > 0 ? 1 : 0);
    changes_ = std::max(changes_, changes);
  }
  operation_ = std::min(operation_, kMostOperation);
  int names = 6;
  int drawn = 0;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    names = std::max(names, display_width(printable(lanes_[lane])));
    drawn += lane_width(lane);
  }
  if (style.fits_tables && drawn > style.width / 3 && drawn > names) is_drawn_ = false;
  threads_ = is_drawn_ ? drawn : names;
  if (style.fits_tables) fit(style.width);
}

void Table::fit(int width) {
  // line, two spaces; source, two spaces; threads, a space; operation, two spaces; changes
  const int room = width - kIndent - (place_ + 2) - 2 - (threads_ + 1) - 2;
  const auto shrink = [&](int& column, int least) {
    const int missing = source_ + operation_ + changes_ - room;
    if (missing > 0) column = std::max(std::min(column, least), column - missing);
  };
  shrink(source_, kLeastSource);
  shrink(changes_, std::max(kLeastChanges, room / 3));
  shrink(operation_, kLeastOperation);
  shrink(changes_, kLeastChanges);
  if (source_ + operation_ + changes_ > room) {
    source_ = 0;
    changes_ = room + 2 - operation_;
  }
  if (changes_ < kLeastChanges && source_ == 0) {
    is_stacked_ = true;
    operation_ = std::max(kLeastChanges, room + 4);
    changes_ = operation_ - 2;
  }
  for (std::string& line : lines_)
    line = source_ == 0 ? "" : cut(line, source_);
}

std::string Table::row(std::size_t index) const {
  const TraceStep& step = trace_[index];
  std::string head;
  const std::string place = cut(places_[index], place_);
  head += std::string(static_cast<std::size_t>(std::max(place_ - display_width(place), 0)), ' ') +
          place + "  " + cell_of_source(lines_[index]);
  if (is_drawn_) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      head += padded(lanes_[lane] == step.thread ? "●" : "·", lane_width(lane));
  } else {
    head += padded(printable(step.thread), threads_);
  }
  head += " ";
  std::vector<std::string> operation{operation_of(step)};
  const std::vector<std::string> pieces = changes_of(step);
  std::vector<std::string> changes;
  if (style_.fits_tables) {
    operation.clear();
    fill(operation, operation_of(step),
         pieces.empty() && !is_stacked_ ? operation_ + 2 + changes_ : operation_);
    for (const std::string& piece : pieces)
      fill(changes, piece, changes_);
  } else {
    for (const std::string& piece : pieces)
      fill(changes, piece, INT_MAX / 2);
  }
  if (is_stacked_) {
    for (const std::string& more : changes)
      operation.push_back("  " + more);
    changes.clear();
  }
  std::string out;
  for (std::size_t i = 0; i < std::max(operation.size(), changes.size()); ++i) {
    std::string text =
        i == 0 ? head : std::string(static_cast<std::size_t>(display_width(head)), ' ');
    const std::string what = i < operation.size() ? operation[i] : "";
    text += i < changes.size() ? padded(what, operation_) + "  " + changes[i] : what;
    out += std::string(kIndent, ' ') + text + "\n";
  }
  return out;
}

std::string Table::text() {
  std::string out;
  std::string header = padded("line", place_) + "  " + cell_of_source("source");
  if (is_drawn_) {
    std::string legend = "lanes: ";
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      legend += fmt::format("{}{} {}", lane == 0 ? "" : ", ", lane, printable(lanes_[lane]));
      header += padded(fmt::format("{}", lane), lane_width(lane));
    }
    out += "  " + wrapped(legend, style_.width - 2, 9, 2) + "\n\n";
  } else {
    header += padded("thread", threads_);
  }
  header +=
      is_stacked_ ? " what it did, changes" : " " + padded("what it did", operation_) + "  changes";
  out += "  " + style_.colours(Paint::Faint, header) + "\n";
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    if (trace_[i].begins_loop)
      out += "  " + style_.colours(Paint::Strong, "from here on again and again:") + "\n";
    out += row(i);
  }
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
  return Table(sources, trace, style).text();
}

}  // namespace cml::report
