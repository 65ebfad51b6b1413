#include "report/walk_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/waiting_text.h"

namespace cml::report {
namespace {

using checker::NamedValue;
using checker::ThreadStatus;

std::string line_of(const SourceSet& sources, const SourceRange& where) {
  if (!where.file.valid()) return "";
  return std::to_string(sources.file(where.file).line_column(where.begin).line);
}

std::string values_text(const std::vector<NamedValue>& values) {
  std::string out;
  for (const auto& [name, value] : values)
    out +=
        fmt::format("{}{} = {}", out.empty() ? "" : ", ", printable(name), printable(value.text));
  return out;
}

std::string what_of(const ThreadStatus& thread) {
  std::string text = thread.state;
  if (thread.blocked_on) text = waiting_text(thread);
  if (!thread.holds.empty()) {
    text += ", holds ";
    for (std::size_t i = 0; i < thread.holds.size(); ++i)
      text += (i == 0 ? "" : ", ") + printable(thread.holds[i]);
  }
  return text;
}

int name_width(const std::vector<ThreadStatus>& threads) {
  int width = 0;
  for (const ThreadStatus& thread : threads)
    width = std::max(width, display_width(printable(thread.thread)));
  return width;
}

}  // namespace

std::string moves_text(const SourceSet& sources, const std::vector<checker::Move>& moves,
                       std::optional<std::size_t> next, const TextStyle& style) {
  int names = 0;
  int lines = 0;
  for (const checker::Move& move : moves) {
    names = std::max(names, display_width(printable(move.thread)));
    lines = std::max(lines, display_width(line_of(sources, move.location)));
  }
  const int numbers = static_cast<int>(std::to_string(moves.size()).size());
  std::string text;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const checker::Move& move = moves[i];
    const std::string row =
        fmt::format("  {:>{}}{} {}  {:>{}}  ", i + 1, numbers, next == i ? "→" : " ",
                    padded(printable(move.thread), names), line_of(sources, move.location), lines);
    std::string what = printable(move.operation);
    if (!move.outcome.empty()) what += " → " + printable(move.outcome);
    text += row +
            style.colours(Paint::Code,
                          style.fits_tables ? cut(what, style.width - display_width(row)) : what) +
            "\n";
  }
  return text;
}

std::string standing_text(const SourceSet& sources, const std::vector<ThreadStatus>& threads,
                          const std::vector<NamedValue>& changed, const TextStyle& style) {
  const int names = name_width(threads);
  std::string text;
  for (const ThreadStatus& thread : threads) {
    const bool is_somewhere = thread.state == "running" || thread.state == "blocked";
    const std::string place =
        is_somewhere ? "line " + line_of(sources, thread.location) + ", " : "";
    const int indent = names + 4;
    text += "  " + padded(printable(thread.thread), names) + "  " +
            wrapped(place + what_of(thread), style.width - 1, indent, indent) + "\n";
    if (!thread.locals.empty())
      text += std::string(static_cast<std::size_t>(indent), ' ') +
              wrapped("with " + values_text(thread.locals), style.width - 1, indent, indent) + "\n";
  }
  if (!changed.empty())
    text += "  " + wrapped("changed: " + values_text(changed), style.width - 1, 4, 2) + "\n";
  return text;
}

std::string end_text(const std::vector<ThreadStatus>& threads, const TextStyle& style) {
  const bool all_ended = std::all_of(threads.begin(), threads.end(), [](const ThreadStatus& one) {
    return one.state == "ended" || one.is_daemon;
  });
  if (all_ended) return "  all threads have ended\n";
  const int names = name_width(threads);
  std::string text = "  nobody can go:\n";
  for (const ThreadStatus& thread : threads)
    if (thread.state != "ended")
      text += "  " + padded(printable(thread.thread), names) + "  " +
              wrapped(what_of(thread), style.width - 1, names + 4, names + 4) + "\n";
  return text;
}

}  // namespace cml::report
