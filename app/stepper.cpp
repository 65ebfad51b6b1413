#include "app/stepper.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "report/counted.h"
#include "report/trace_text.h"
#include "report/walk_text.h"

namespace cml::app {
namespace {

using report::Paint;

constexpr std::uint64_t kMostSteps = 10'000;  // of a run to a line

constexpr std::string_view kHelp =
    "  NUMBER      this one goes\n"
    "  (nothing)   the only one goes; of a trace that is followed, its next step\n"
    "  b, back N   takes back a step, or N of them\n"
    "  s, state    where all threads stand, and what has changed\n"
    "  t, trace    the steps so far\n"
    "  r, run N    goes on, chosen at random, until a thread comes to line N\n"
    "  l, list     what can happen next\n"
    "  q, quit\n";

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  return is_number ? std::optional(value) : std::nullopt;
}

std::optional<std::string> read_line() {
  std::string line;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c == '\n') return line;
    line += static_cast<char>(c);
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// "fork[0].acquire(); fork[0] = Philosopher[0]"
std::string step_text(const checker::TraceStep& step) {
  std::string text = step.operation;
  if (step.result && step.shows_result) text += " → " + step.result->text;
  if (step.woken)
    text += step.woken->empty() ? "; wakes nobody"
                                : fmt::format("; wakes {}", fmt::join(*step.woken, ", "));
  for (const auto& [name, value] : step.changes) {
    const std::string change = fmt::format("{} = {}", name, value.text);
    if (change != step.operation) text += "; " + change;
  }
  return text;
}

}  // namespace

void Stepper::say(std::string_view text) { console_.out(text); }

void Stepper::show() {
  moves_ = walker_.walk().moves();
  const report::TextStyle& style = console_.out_style();
  if (moves_.empty())
    say(report::end_text(walker_.walk().threads(), style));
  else
    say(report::moves_text(input_.sources, moves_, next_of_trace(moves_), style));
}

void Stepper::tell_step() {
  const std::vector<checker::TraceStep> trace = walker_.walk().trace();
  if (trace.empty()) return say("at the beginning\n");
  const checker::TraceStep& step = trace.back();
  const std::string head = fmt::format("step {}: {}: ", trace.size(), step.thread);
  say(report::wrapped(report::printable(head + step_text(step)), console_.out_style().width - 1,
                      4) +
      "\n");
}

void Stepper::tell_found() {
  const checker::Walk::Found found = walker_.found();
  for (const checker::Violation& violation : found.violations) {
    is_violated_ = true;
    const std::string text =
        fmt::format("{}: {}", checker::name(violation.kind), violation.message);
    if (!told_.insert(text).second) continue;
    say(report::wrapped(console_.out_style().colours(Paint::Error, report::printable(text)),
                        console_.out_style().width - 1, 4) +
        "\n");
  }
  for (const std::string& limit : found.limits_hit)
    if (told_.insert(limit).second)
      say(fmt::format("a limit of the tool ends a thread here: {}\n", limit));
}

std::optional<std::size_t> Stepper::next_of_trace(const std::vector<checker::Move>& moves) const {
  const std::size_t at = walker_.walk().path().size();
  if (!is_on_trace_ || at >= trace_.size()) return std::nullopt;
  const auto next = walker_.action(trace_[at]);
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (next && moves[i].action == *next) return i;
  return std::nullopt;
}

void Stepper::take(ir::Action action) {
  const std::size_t at = walker_.walk().path().size();
  if (at < trace_.size() && walker_.action(trace_[at]) != action) is_on_trace_ = false;
  walker_.walk().take(action);
  tell_step();
  tell_found();
  show();
}

void Stepper::take_number(std::string_view word) {
  const auto chosen = number(word);
  if (chosen && *chosen >= 1 && *chosen <= moves_.size())
    return take(moves_[static_cast<std::size_t>(*chosen) - 1].action);
  if (moves_.empty())
    say("nobody can go: `back` takes a step back, `quit` ends\n");
  else
    say(fmt::format("there is no number {}: they go from 1 to {}\n", report::printable(word),
                    moves_.size()));
}

void Stepper::take_next() {
  if (const auto next = next_of_trace(moves_)) return take(moves_[*next].action);
  if (!trace_.empty() && is_on_trace_ && walker_.walk().path().size() == trace_.size())
    say("the trace ends here\n");
  if (is_on_trace_ && walker_.walk().path().size() < trace_.size())
    say("the trace fits no longer here: its next step cannot be taken\n");
  if (moves_.size() == 1) return take(moves_[0].action);
  if (moves_.empty())
    say("nobody can go: `back` takes a step back, `quit` ends\n");
  else
    say(fmt::format("who goes? a number from 1 to {}, or `help`\n", moves_.size()));
}

void Stepper::back(std::string_view word) {
  const auto steps = word.empty() ? std::optional<std::uint64_t>(1) : number(word);
  if (!steps) return say(fmt::format("`back {}`: how many steps?\n", report::printable(word)));
  walker_.walk().back(static_cast<std::size_t>(*steps));
  const checker::Path& path = walker_.walk().path();
  is_on_trace_ = path.size() <= trace_.size();
  if (is_on_trace_ && !trace_.empty()) {
    // Whether what is left was taken from the trace is seen by taking it from there again.
    const checker::Path taken = path;
    walker_.walk().back(taken.size());
    for (std::size_t i = 0; i < taken.size(); ++i) {
      is_on_trace_ = is_on_trace_ && walker_.action(trace_[i]) == taken[i];
      walker_.walk().take(taken[i]);
    }
  }
  tell_step();
  show();
}

void Stepper::run_to(std::string_view word) {
  const auto line = number(word);
  if (!line) return say(fmt::format("`run {}`: to which line?\n", report::printable(word)));
  checker::Walk& walk = walker_.walk();
  const auto stands_there = [&](ir::ThreadId thread) {
    const SourceRange at = walk.location(thread);
    return at.file.valid() && input_.sources.file(at.file).line_column(at.begin).line == *line;
  };
  std::uint64_t steps = 0;
  bool is_there = false;
  for (; steps < kMostSteps && !is_there;) {
    const std::vector<ir::Action> actions = walk.actions();
    if (actions.empty()) break;
    const ir::Action action = actions[numbers_() % actions.size()];
    walk.take(action);
    ++steps;
    is_there = stands_there(action.thread);
    if (walk.has_stopped(action.thread)) break;
  }
  is_on_trace_ = false;
  say(is_there ? fmt::format("after {}:\n", report::counted(steps, "step"))
               : fmt::format("after {} no thread has come to line {}:\n",
                             report::counted(steps, "step"), *line));
  tell_step();
  tell_found();
  show();
}

void Stepper::show_trace() {
  const std::vector<checker::TraceStep> trace = walker_.walk().trace();
  say(trace.empty() ? "at the beginning\n"
                    : report::trace_text(input_.sources, trace, console_.out_style()));
}

bool Stepper::obey(std::string_view line) {
  const std::size_t gap = std::min(line.find(' '), line.size());
  const std::string_view command = line.substr(0, gap);
  const std::string_view word = trimmed(line.substr(gap));
  const auto is = [command](std::string_view name) {
    return command == name || command == name.substr(0, 1);
  };
  if (is("quit")) return false;
  if (line.empty())
    take_next();
  else if (is("back"))
    back(word);
  else if (is("state"))
    say(report::standing_text(input_.sources, walker_.walk().threads(), walker_.walk().changed(),
                              console_.out_style()));
  else if (is("trace"))
    show_trace();
  else if (is("run"))
    run_to(word);
  else if (is("list"))
    show();
  else if (is("help") || command == "?")
    say(kHelp);
  else if (number(command))
    take_number(command);
  else
    say(fmt::format("there is no command `{}`; `help` lists them\n", report::printable(command)));
  return true;
}

ExitStatus Stepper::run() {
  const bool echoes = ::isatty(STDIN_FILENO) == 0;
  tell_found();
  show();
  for (;;) {
    say("> ");
    console_.flush();
    const auto line = read_line();
    if (echoes || !line) say(line ? report::printable(*line) + "\n" : "\n");
    if (!line || !obey(trimmed(*line))) break;
  }
  return is_violated_ ? ExitStatus::Violated : ExitStatus::Verified;
}

}  // namespace cml::app
