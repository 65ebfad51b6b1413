// Results as text.
#include "report/result_text.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

#include "report/advice.h"
#include "report/alike.h"
#include "report/counted.h"
#include "report/heap_text.h"
#include "report/limit_text.h"
#include "report/order_text.h"
#include "report/promise.h"
#include "report/source_excerpt.h"
#include "report/trace_text.h"
#include "report/waiting_text.h"

namespace cml::report {
namespace {

using checker::AccessSide;
using checker::Result;
using checker::ThreadStatus;
using checker::Verdict;
using checker::Violation;
using checker::ViolationKind;

constexpr std::size_t kLongestTrace = 400;  // steps; the whole of a longer one is in the JSON

std::string joined(const std::vector<std::string>& words, std::string_view between = ", ") {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += printable(word);
  }
  return out;
}

bool is_told(const std::vector<checker::NamedValue>& values, const checker::NamedValue& one) {
  return std::any_of(values.begin(), values.end(), [&one](const checker::NamedValue& other) {
    return other.name == one.name && other.value.text == one.value.text;
  });
}

/// "a = 1, b = [2, 3] and 5 more": as many as are read at a glance.
std::string some_of(const std::vector<checker::NamedValue>& values) {
  constexpr std::size_t kMost = 12;
  constexpr std::size_t kLongest = 240;
  std::string out;
  std::size_t told = 0;
  for (const auto& [name, value] : values) {
    if (told == kMost || out.size() > kLongest) break;
    out +=
        fmt::format("{}{} = {}", out.empty() ? "" : ", ", printable(name), printable(value.text));
    ++told;
  }
  if (told < values.size()) out += fmt::format(" and {} more", values.size() - told);
  return out;
}

class Writer {
 public:
  Writer(const SourceSet& sources, const TextStyle& style) : sources_(sources), style_(style) {}

  std::string write(const std::string& model, const Result& result);
  std::string write(const Violation& told) {
    violation(told);
    return std::move(out_);
  }

 private:
  void line(std::string_view text = {}) { out_ += fmt::format("{}\n", text); }
  void paragraph(std::string_view text, int indent) {
    out_ += std::string(static_cast<std::size_t>(indent), ' ') +
            wrapped(text, style_.width - 2, indent, indent) + "\n";
  }
  void verdict(const std::string& model, const Result& result);
  void violations(const Result& result);
  void violation(const Violation& violation);
  void values(const Violation& violation);
  void threads(const Violation& violation);
  void row(const std::string& name, std::string_view text);
  [[nodiscard]] std::string holds(const Violation& violation, const ThreadStatus& thread) const;
  [[nodiscard]] std::string elsewhere(const Violation& violation, const ThreadStatus& thread) const;
  void trace(const Violation& violation);
  void state(const Violation& violation);
  void side(const AccessSide& side);
  void looks_at(const Violation& violation);
  void execution(const Violation& violation);
  void orders(const Violation& violation);
  void history(const checker::CallsOfObject& history);
  void limits(const Result& result);
  void warnings(const Result& result);
  void assumption(const Result& result);
  void discipline(const Result& result);
  void cover(const Result& result);
  void statistics(const Result& result);

  const SourceSet& sources_;
  const TextStyle& style_;
  std::string out_;
};

void Writer::verdict(const std::string& model, const Result& result) {
  const auto& paint = style_.colours;
  switch (result.verdict) {
    case Verdict::Verified:
      line(fmt::format("{}: {}", printable(model), paint(Paint::Help, "verified")));
      break;
    case Verdict::Violated:
      line(fmt::format("{}: {}", printable(model), paint(Paint::Error, "violated")));
      break;
    case Verdict::Inconclusive: {
      std::string why;
      if (result.unsupported) {
        why = result.unsupported->message;
      } else if (!result.stats.limits_hit.empty()) {
        why = "ended early (" + joined(result.stats.limits_hit) +
              "); what was explored shows no violation";
      } else {
        why = "not everything was explored";
      }
      line(fmt::format("{}: {}: {}", printable(model), paint(Paint::Warning, "inconclusive"), why));
      if (result.unsupported && result.unsupported->location.file.valid()) {
        line(place_text(sources_, result.unsupported->location) + ":");
        out_ += source_excerpt(sources_, result.unsupported->location, Paint::Warning, style_);
      }
      break;
    }
  }
}

/// A name in a column, and what is said of it beside it.
void Writer::row(const std::string& name, std::string_view text) {
  const int indent = display_width(name) + 4;
  const int width = style_.fits_tables ? style_.width - 1 : INT_MAX / 2;
  line("  " + name + "  " + wrapped(text, width, indent, indent));
}

/// The locks that it has, each with the line where it took it.
std::string Writer::holds(const Violation& violation, const ThreadStatus& thread) const {
  std::string text;
  for (const std::string& lock : thread.holds) {
    text += (text.empty() ? "" : ", ") + printable(lock);
    const checker::TraceStep* const taken = taken_at(violation.trace, thread.thread, lock);
    if (taken != nullptr && taken->location.file.valid())
      text += fmt::format(" (line {})", short_place(sources_, taken->location));
  }
  return text;
}

/// Where it waits, if the place that the report begins with is in another line.
std::string Writer::elsewhere(const Violation& violation, const ThreadStatus& thread) const {
  if (!thread.location.file.valid() || !violation.location.file.valid()) return "";
  const std::string place = short_place(sources_, thread.location);
  if (thread.from.file.valid())
    return fmt::format(" (line {}, from line {})", place, short_place(sources_, thread.from));
  return place == short_place(sources_, violation.location) ? "" : fmt::format(" (line {})", place);
}

void Writer::threads(const Violation& violation) {
  const bool stuck =
      violation.kind == ViolationKind::Deadlock || violation.kind == ViolationKind::PartialDeadlock;
  std::size_t width = 0;
  for (const ThreadStatus& thread : violation.threads)
    width = std::max(width, thread.thread.size());
  bool any = false;
  for (const ThreadStatus& thread : violation.threads) {
    std::vector<checker::NamedValue> locals;  // that the violation does not tell itself
    for (const checker::NamedValue& local : thread.locals)
      if (!is_told(violation.values, local)) locals.push_back(local);
    // Whose operation it was; where accesses tell that, only what else is to be said of it.
    const bool is_its_own =
        violation.thread == thread.thread && (violation.accesses.empty() || !locals.empty());
    if (!stuck && thread.holds.empty() && !thread.blocked_on && !is_its_own) continue;
    std::string text;
    if (!thread.holds.empty()) text += "holds " + holds(violation, thread) + ", ";
    text += thread.blocked_on ? waiting_text(thread, elsewhere(violation, thread)) : thread.state;
    if (thread.is_daemon) text += " (daemon)";
    row(fmt::format("{:<{}}", printable(thread.thread), width), text);
    const int indent = static_cast<int>(width) + 4;
    for (const std::string& note : thread.notes)
      paragraph(note, indent);
    if (!locals.empty()) paragraph("with " + some_of(locals), indent);
    any = true;
  }
  if (!violation.cycle.empty()) {
    std::vector<std::string> cycle = violation.cycle;
    cycle.push_back(cycle.front());
    line();
    paragraph("each waits for the next: " + joined(cycle, " → "), 2);
    any = true;
  }
  if (any) line();
}

/// The objects that are not as they were, but those locks that a thread is said to hold.
void Writer::state(const Violation& violation) {
  std::vector<checker::NamedValue> told;
  for (const checker::NamedValue& one : violation.state) {
    const auto holds = [&one](const ThreadStatus& thread) {
      return std::find(thread.holds.begin(), thread.holds.end(), one.name) != thread.holds.end();
    };
    if (std::none_of(violation.threads.begin(), violation.threads.end(), holds))
      told.push_back(one);
  }
  if (told.empty()) return;
  paragraph("in the end: " + some_of(told), 2);
  line();
}

void Writer::side(const AccessSide& side) {
  const std::string locks = side.locks.empty() ? "no lock" : joined(side.locks);
  line(fmt::format("  {}  {}  holding {}", printable(side.thread), printable(side.operation),
                   locks));
  if (side.location.file.valid()) {
    line("  " + place_text(sources_, side.location) + ":");
    out_ += source_excerpt(sources_, side.location, Paint::Note, style_);
  }
}

void Writer::trace(const Violation& violation) {
  if (violation.is_trace_lost) {
    line(
        "  there is not enough memory or time to tell how it comes to that (see --max-memory and "
        "--max-time)");
    line();
    return;
  }
  if (violation.trace.empty()) {
    line("  in the initial state");
    line();
    return;
  }
  const char* const what =
      violation.accesses.size() > 1 ? "how it comes to the first of these" : "how it comes to that";
  line(fmt::format("  {}: {}, {}", what, counted(violation.trace.size(), "step"),
                   context_switches(violation.trace) == 1
                       ? "1 context switch"
                       : fmt::format("{} context switches", context_switches(violation.trace))));
  if (violation.trace.size() > kLongestTrace) {
    line(fmt::format("  the last {} of them (all with --format json):", kLongestTrace));
    const std::vector<checker::TraceStep> tail(
        violation.trace.end() - static_cast<std::ptrdiff_t>(kLongestTrace), violation.trace.end());
    out_ += trace_text(sources_, tail, style_);
  } else {
    out_ += trace_text(sources_, violation.trace, style_);
  }
  line();
}

std::string fields_text(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out;
  for (const auto& [name, value] : fields)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", printable(name), printable(value));
  return out;
}

void Writer::looks_at(const Violation& violation) {
  if (violation.looks_at.empty()) return;
  for (const checker::LookedAt& item : violation.looks_at) {
    std::string text = fmt::format("it looks at {}, which ", printable(item.object));
    if (item.changed_by.empty()) text += "no other thread has code to change";
    for (std::size_t i = 0; i < item.changed_by.size(); ++i)
      text +=
          fmt::format("{}{} ({})", i == 0 ? "could be changed by " : ", ",
                      printable(item.changed_by[i].first), printable(item.changed_by[i].second));
    paragraph(text, 2);
  }
  line();
}

/// Why an execution that goes on so for ever is fair.
void Writer::execution(const Violation& violation) {
  if (!violation.execution) return;
  const checker::FairExecution& execution = *violation.execution;
  if (execution.ends) {
    paragraph("the execution is over then: no thread can move any more", 2);
    line();
    return;
  }
  std::size_t width = 0;
  for (const auto& [thread, why] : execution.threads)
    width = std::max(width, printable(thread).size());
  if (execution.fairness != Fairness::None)
    line(fmt::format("  why {} fairness does not exclude that:", spelling(execution.fairness)));
  for (const auto& [thread, why] : execution.threads)
    line(fmt::format("  {:<{}}  {}", printable(thread), width, why));
  line();
}

void Writer::orders(const Violation& violation) {
  if (!violation.before.empty())
    paragraph(fmt::format("where {}:", fields_text(violation.before)), 2);
  for (const checker::OrderOfCalls& order : violation.orders) {
    std::string text = joined(order.calls, ", then ");
    if (!order.after.empty()) text += fmt::format("; after that {}", fields_text(order.after));
    paragraph(text, 4);
  }
  line();
}

// One column for each thread, one row for each event.
void Writer::history(const checker::CallsOfObject& history) {
  std::vector<std::string> threads;
  for (const checker::RecordedCall& call : history.calls)
    if (std::find(threads.begin(), threads.end(), call.thread) == threads.end())
      threads.push_back(call.thread);
  struct Cell {
    std::string text;
    std::size_t width = 0;
  };
  std::vector<std::vector<Cell>> rows(history.events, std::vector<Cell>(threads.size()));
  std::vector<std::size_t> widths;
  for (const std::string& thread : threads)
    widths.push_back(printable(thread).size());
  for (const checker::RecordedCall& call : history.calls) {
    const auto lane = static_cast<std::size_t>(
        std::find(threads.begin(), threads.end(), call.thread) - threads.begin());
    const auto set = [&](std::size_t row, std::string text) {
      widths[lane] = std::max(widths[lane], text.size());
      const std::size_t width = text.size();
      rows[row][lane] = {std::move(text), width};
    };
    const std::size_t end = call.result ? call.ends : history.events;
    set(call.begins, printable(call.text));
    for (std::size_t row = call.begins + 1; row < end; ++row)
      rows[row][lane] = {"│", 1};
    if (call.result)
      set(call.ends, call.result->empty() ? "returns" : "returns " + printable(*call.result));
  }
  line("  the calls, from the first to the last:");
  line();
  const auto write = [&](const std::vector<Cell>& cells, std::string_view end) {
    std::string text = "  ";
    for (std::size_t lane = 0; lane < cells.size(); ++lane)
      text += "  " + cells[lane].text + std::string(widths[lane] - cells[lane].width, ' ');
    while (text.ends_with(' '))
      text.pop_back();
    line(text + std::string(end));
  };
  std::vector<Cell> head;
  for (const std::string& thread : threads)
    head.push_back({printable(thread), printable(thread).size()});
  write(head, "");
  for (std::size_t row = 0; row < rows.size(); ++row)
    write(rows[row], row == history.calls[history.last].ends ? "  ←" : "");
  line();
  const std::string others =
      history.possible.empty()
          ? "it cannot return at all"
          : fmt::format("it could have returned {}", joined(history.possible, " or "));
  paragraph(fmt::format(
                "no order of the calls, in which those that do not overlap stay as they are, has "
                "all these results; the results before the last one can be explained, and then {}",
                others),
            2);
  line();
}

void Writer::values(const Violation& violation) {
  std::string text;
  for (const auto& [name, value] : violation.values)
    text += fmt::format("{}{} = {}", text.empty() ? "where " : ", ", printable(name),
                        printable(value.text));
  if (!text.empty()) paragraph(text, 2);
}

void Writer::violation(const Violation& violation) {
  line();
  const std::string kind(checker::name(violation.kind));
  const int width = style_.fits_tables ? style_.width : INT_MAX / 2;
  const int begun = display_width(kind) + 2;
  line(style_.colours(Paint::Error, kind) + ": " +
       style_.colours(Paint::Strong, wrapped(printable(violation.message), width, 2, begun)));
  if (violation.location.file.valid() && violation.accesses.empty()) {
    line(place_text(sources_, violation.location) + ":");
    out_ += source_excerpt(sources_, violation.location, Paint::Error, style_);
  }
  values(violation);
  line();
  if (!violation.accesses.empty()) {
    for (const AccessSide& one : violation.accesses)
      side(one);
    line();
    if (!violation.almost.empty()) {
      paragraph("almost: " + joined(violation.almost), 2);
      line();
    }
    for (const std::string& sentence : order_text(sources_, violation)) {
      paragraph(sentence, 2);
      line();
    }
  }
  if (violation.history) history(*violation.history);
  threads(violation);
  looks_at(violation);
  execution(violation);
  state(violation);
  if (const std::string picture = heap_text(violation.heap, style_); !picture.empty())
    line(picture);
  if (violation.orders.empty())
    trace(violation);
  else
    orders(violation);
  paragraph(fmt::format("{} {} (`cml explain {}`)", style_.colours(Paint::Help, "try:"),
                        advice(violation), checker::name(violation.kind)),
            2);
}

void Writer::violations(const Result& result) {
  const std::vector<std::size_t> first = first_alike(result.violations);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i && !style_.lists_alike) continue;
    violation(result.violations[i]);
    const auto alike = std::count(first.begin(), first.end(), i) - 1;
    if (alike > 0 && !style_.lists_alike)
      paragraph(fmt::format("and {} more alike, which `--all=verbose` lists", alike), 2);
  }
}

void Writer::limits(const Result& result) {
  bool is_first = true;
  for (const std::string& name : result.stats.limits_hit) {
    const std::string_view advice = limit_text(name, result.stats);
    if (advice.empty()) continue;
    std::string text = style_.colours(Paint::Help, fmt::format("{}:", name)) + " ";
    for (const checker::LimitPlace& place : result.limits) {
      if (place.limit != name || !place.location.file.valid()) continue;
      text += fmt::format("{}{}: ", place.thread.empty() ? "" : printable(place.thread) + " at ",
                          place_text(sources_, place.location));
    }
    if (is_first) line();
    is_first = false;
    paragraph(text + std::string(advice), 0);
  }
}

void Writer::warnings(const Result& result) {
  if (result.warnings.empty()) return;
  line();
  for (const checker::Warning& warning : result.warnings) {
    const std::string place =
        warning.location.file.valid() ? place_text(sources_, warning.location) + ": " : "";
    paragraph(fmt::format("{}{} {}", place,
                          style_.colours(Paint::Warning, "warning[" + warning.kind + "]:"),
                          printable(warning.message)),
              0);
  }
}

void Writer::discipline(const Result& result) {
  if (result.discipline.empty()) return;
  line();
  line("what protects what" + std::string(result.discipline.front().partial ? ", so far" : "") +
       ":");
  std::size_t width = 0;
  for (const auto& entry : result.discipline)
    width = std::max(width, entry.object.size());
  for (const auto& entry : result.discipline) {
    std::string what = entry.locks.empty() ? entry.status : joined(entry.locks);
    if (entry.locks.empty() && entry.status == "protected") {
      const char* const each = entry.is_field ? "object" : "execution";
      what = entry.of_each.empty() ? fmt::format("protected, in each {} by another lock", each)
                                   : fmt::format("in each {} {}", each, joined(entry.of_each));
    }
    if (!entry.locks.empty() && entry.status != "protected") what += " (" + entry.status + ")";
    if (entry.established == "statically" && entry.status != "unshared") what += " (proved)";
    line(fmt::format("  {:<{}}  {}", printable(entry.object), width, what));
  }
}

void Writer::assumption(const Result& result) {
  if (!result.assumption_broken) return;
  line();
  paragraph(
      fmt::format("{} threads were interleaved at synchronisation only, which is enough for a "
                  "model that {}. This one does not, so there may be "
                  "more to find: cure it first, or use `--granularity access`",
                  style_.colours(Paint::Help, "note:"),
                  result.discipline_form() == checker::Discipline::Races
                      ? "has no data races"
                      : "obeys the lock discipline"),
      0);
}

void Writer::cover(const Result& result) {
  if (result.cover.empty()) return;
  line();
  line("cover:");
  for (const auto& entry : result.cover)
    line(fmt::format("  {}  {}", entry.reached ? "reached    " : "not reached",
                     printable(entry.label)));
}

void Writer::statistics(const Result& result) {
  const auto& stats = result.stats;
  if (result.unsupported) return;
  const std::string deadlocks =
      stats.deadlocked_states > 1 ? fmt::format("{} of them deadlocked, ", stats.deadlocked_states)
                                  : "";
  line();
  line(style_.colours(
      Paint::Faint,
      fmt::format("{}{}, {}{}, depth {}, {:.3f} s", result.stats.complete ? "" : "so far ",
                  counted(stats.states, "state"), deadlocks,
                  counted(stats.transitions, "transition"), stats.max_depth, stats.seconds_total)));
  if (result.verdict == Verdict::Verified)
    paragraph(style_.colours(Paint::Faint, promise_text(result)), 0);
}

std::string Writer::write(const std::string& model, const Result& result) {
  verdict(model, result);
  violations(result);
  assumption(result);
  limits(result);
  warnings(result);
  discipline(result);
  cover(result);
  statistics(result);
  return std::move(out_);
}

}  // namespace

std::string result_text(const SourceSet& sources, const std::string& model, const Result& result,
                        const TextStyle& style) {
  return Writer(sources, style).write(model, result);
}

std::string violation_text(const SourceSet& sources, const Violation& violation,
                           const TextStyle& style) {
  return Writer(sources, style).write(violation);
}

}  // namespace cml::report
