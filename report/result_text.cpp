// Results as text.
#include "report/result_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/counted.h"
#include "report/limit_text.h"
#include "report/source_excerpt.h"
#include "report/trace_text.h"

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

/// What to try first, for a reader of the trace.
std::string_view advice(const Violation& violation) {
  switch (violation.kind) {
    case ViolationKind::Deadlock:
      return "take the locks in one order everywhere, or make sure that whoever is waited for will "
             "come";
    case ViolationKind::PartialDeadlock:
      return "find what these threads wait for: no other thread will ever do it";
    case ViolationKind::LockDiscipline:
      return "hold one lock at every access, or declare the object `atomic` if the race is meant";
    case ViolationKind::Assertion:
      return "look at the last context switch before the assertion: what changed behind the "
             "thread's back?";
    case ViolationKind::IllegalMonitor:
      return "acquire the lock first, or use `with`";
    case ViolationKind::Range:
    case ViolationKind::Overflow:
    case ViolationKind::DivisionByZero:
    case ViolationKind::Index:
    case ViolationKind::Null:
      return "check the value before it is used, or widen the range that it is declared with";
    case ViolationKind::Divergence:
      if (!violation.thread)
        return "let the loop come to an end: nobody changes anything while an invariant or a "
               "`finally` is evaluated";
      return "wait with `await`, a condition (`m.wait() until …`) or a semaphore instead of "
             "turning";
    case ViolationKind::SemaphoreMax:
      return "let `up` follow a `down`, or raise `max`";
    case ViolationKind::Guard:
      return "hold the declared lock at this access, or declare the lock that is held";
    case ViolationKind::InitOrder:
      return "let the declared thread go first, for example behind a semaphore";
    case ViolationKind::StackOverflow:
      return "bound the recursion, or raise --max-stack";
    case ViolationKind::Linearizability:
      return "find where the call takes effect, in one step between its beginning and its end, and "
             "what others can do before and behind it";
    case ViolationKind::Unshared:
    case ViolationKind::FalseCommute:
      return "drop the promise, or make it true";
  }
  return "";
}

class Writer {
 public:
  Writer(const SourceSet& sources, const TextStyle& style) : sources_(sources), style_(style) {}

  std::string write(const std::string& model, const Result& result);

 private:
  void line(std::string_view text = {}) { out_ += fmt::format("{}\n", text); }
  void paragraph(std::string_view text, int indent) {
    out_ += std::string(static_cast<std::size_t>(indent), ' ') +
            wrapped(text, style_.width - indent, indent, indent) + "\n";
  }
  void verdict(const std::string& model, const Result& result);
  void violation(const Violation& violation);
  void threads(const Violation& violation);
  void trace(const Violation& violation);
  void side(const AccessSide& side);
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

void Writer::threads(const Violation& violation) {
  const bool stuck =
      violation.kind == ViolationKind::Deadlock || violation.kind == ViolationKind::PartialDeadlock;
  std::size_t width = 0;
  for (const ThreadStatus& thread : violation.threads)
    width = std::max(width, thread.thread.size());
  bool any = false;
  for (const ThreadStatus& thread : violation.threads) {
    if (!stuck && thread.holds.empty() && !thread.blocked_on) continue;
    std::string text = fmt::format("  {:<{}}  ", printable(thread.thread), width);
    if (!thread.holds.empty()) text += "holds " + joined(thread.holds) + ", ";
    if (thread.blocked_on) {
      text += "waits at " + printable(*thread.blocked_on);
      if (thread.waits_for) text += ", which " + printable(*thread.waits_for) + " holds";
    } else {
      text += thread.state;
    }
    if (thread.is_daemon) text += " (daemon)";
    line(text);
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
  line(fmt::format("  how it comes to that: {}, {}", counted(violation.trace.size(), "step"),
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

void Writer::violation(const Violation& violation) {
  line();
  line(fmt::format("{}: {}",
                   style_.colours(Paint::Error, std::string(checker::name(violation.kind))),
                   style_.colours(Paint::Strong, printable(violation.message))));
  if (violation.location.file.valid() && violation.accesses.empty()) {
    line(place_text(sources_, violation.location) + ":");
    out_ += source_excerpt(sources_, violation.location, Paint::Error, style_);
  }
  line();
  if (!violation.accesses.empty()) {
    for (const AccessSide& one : violation.accesses)
      side(one);
    line();
    if (!violation.almost.empty()) {
      paragraph("almost: " + joined(violation.almost), 2);
      line();
    }
  }
  if (violation.history) history(*violation.history);
  threads(violation);
  if (violation.orders.empty())
    trace(violation);
  else
    orders(violation);
  paragraph(fmt::format("{} {} (`cml explain {}`)", style_.colours(Paint::Help, "try:"),
                        advice(violation), checker::name(violation.kind)),
            2);
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
                  "model that obeys the lock discipline. This one does not, so there may be "
                  "more to find: cure it first, or use `--granularity access`",
                  style_.colours(Paint::Help, "note:")),
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
  line();
  line(style_.colours(
      Paint::Faint,
      fmt::format("{}{}, {}, depth {}, {:.3f} s", result.stats.complete ? "" : "so far ",
                  counted(stats.states, "state"), counted(stats.transitions, "transition"),
                  stats.max_depth, stats.seconds_total)));
}

std::string Writer::write(const std::string& model, const Result& result) {
  verdict(model, result);
  for (const Violation& one : result.violations)
    violation(one);
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

}  // namespace cml::report
