// `cml replay`.
#include "app/replay_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <variant>

#include "app/model_input.h"
#include "app/replay.h"
#include "app/stepper.h"
#include "report/counted.h"
#include "report/result_text.h"
#include "report/trace_text.h"
#include "report/walk_text.h"

namespace cml::app {
namespace {

using report::Paint;

/// As a definition is written.
std::string value_text(const model::Constant& constant) {
  return std::visit(
      [](const auto& value) {
        return report::Json(value).is_string() ? report::Json(value).get<std::string>()
                                               : report::Json(value).dump();
      },
      constant.value);
}

}  // namespace

CommandHelp ReplayCommand::help() const {
  return {
      .summary = "follow a saved trace, at once or step by step",
      .arguments = "[options] MODEL.cml TRACE.json",
      .description =
          "TRACE.json is what `cml check --format json` has written. The constants are those of "
          "the "
          "trace, unless -D says otherwise. If the model has changed, the trace may fit no longer: "
          "then it is said from which step on, and why.",
      .examples =
          {
              {"cml replay m.cml trace.json", "is the violation still there?"},
              {"cml replay --interactive m.cml trace.json", "step by step, and off the path"},
              {"cml replay --violation 2 m.cml all.json", "the second one of `cml check --all`"},
          },
      .notes =
          "Exit status:\n"
          "  0   the trace fits, and ends in no violation (any more)\n"
          "  1   it fits, and ends in a violation\n"
          "  2   the model, the trace or the command line is wrong\n"
          "  3   it fits; whether threads are lost in its end, a trace alone does not show\n"
          "  4   internal error (please report)\n"
          "  5   it fits no longer\n",
  };
}

void ReplayCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model");
  arguments.positional("TRACE.json", trace_, "a result with a violation");
  arguments.section("Options");
  arguments.flag("-i,--interactive", is_interactive_,
                 "step by step: an empty line takes the next step of the trace; `help` tells more");
  arguments.count("--violation", violation_, "which of several, by its `id` (1)");
  declare_definitions(arguments, definitions_, options_);
}

Expected<std::unique_ptr<LoadedModel>, ExitStatus> ReplayCommand::load_as_saved(
    const SavedTrace& saved, Console& console) {
  if (!take_definitions(definitions_, options_, console)) return Unexpected(ExitStatus::Wrong);
  options_.quiet = true;  // but for errors: what the model was warned of is known
  auto input = load(options_, console);
  if (!input) return input;
  bool is_other = false;
  for (const model::Constant& constant : (*input)->model.constants) {
    const auto was = saved.constants.find(constant.name);
    if (was == saved.constants.end() || was->second == value_text(constant)) continue;
    is_other = options_.definitions.emplace(constant.name, was->second).second || is_other;
  }
  return is_other ? load(options_, console) : std::move(input);
}

ExitStatus ReplayCommand::run(Console& console) {
  if (options_.model == "-") {
    console.error("a trace is followed in a file", "write the model to a file, and name that");
    return ExitStatus::Wrong;
  }
  const auto saved = read_saved_trace(trace_, options_.model, violation_);
  if (!saved) {
    console.error(saved.error().message, saved.error().help);
    return ExitStatus::Wrong;
  }
  const auto input = load_as_saved(*saved, console);
  if (!input) return input.error();
  options_.search.spurious_wakeups = saved->spurious_wakeups;
  Walker walker(**input, options_.search);
  if (const auto begun = walker.begin(); !begun) return refuse(**input, begun.error(), console);
  if (!is_interactive_) return tell(**input, walker, *saved, console);
  Stepper stepper(**input, walker, console, 1);
  std::vector<NamedStep> steps;
  for (const SavedStep& one : saved->steps)
    steps.push_back(one.step);
  stepper.follow(std::move(steps));
  return stepper.run();
}

ExitStatus ReplayCommand::tell(const LoadedModel& input, Walker& walker, const SavedTrace& saved,
                               Console& console) const {
  const report::TextStyle& style = console.out_style();
  const Followed followed = follow(walker, saved);
  const auto head = [&](Paint paint, std::string_view verdict) {
    console.out(
        fmt::format("{}: {}\n", report::printable(options_.model), style.colours(paint, verdict)));
  };
  const auto trace = [&] {
    const std::vector<checker::TraceStep> steps = walker.walk().trace();
    if (!steps.empty()) console.out("\n" + report::trace_text(input.sources, steps, style));
  };
  const auto sentence = [&](const std::string& text) {
    console.out("\n" + report::wrapped(report::printable(text), style.width) + "\n");
  };
  if (!followed.why.empty()) {
    head(Paint::Warning, "the trace fits no longer");
    trace();
    sentence(fmt::format("step {} of {} does not fit: {}", followed.steps + 1, saved.steps.size(),
                         followed.why));
    console.out("what can happen there:\n");
    const auto moves = walker.walk().moves();
    console.out(moves.empty() ? report::end_text(walker.walk().threads(), style)
                              : report::moves_text(input.sources, moves, std::nullopt, style));
    return ExitStatus::NoFit;
  }
  const auto& found = followed.found.violations;
  const auto find = [&](bool by_message) {
    return std::find_if(found.begin(), found.end(), [&](const checker::Violation& one) {
      return checker::name(one.kind) == saved.kind && (!by_message || one.message == saved.message);
    });
  };
  const auto same = find(true) != found.end() ? find(true) : find(false);
  if (same != found.end() || !found.empty()) {
    const checker::Violation& violation = same != found.end() ? *same : found.front();
    head(Paint::Error, "violated");
    if (same == found.end())
      sentence(fmt::format(
          "the trace is that of another violation, {}, which is not there any more", saved.kind));
    console.out(report::violation_text(input.sources, violation, style));
    return ExitStatus::Violated;
  }
  const bool is_of_graph = saved.kind == "livelock" || saved.kind == "deadlock" ||
                           saved.kind == "partial-deadlock" || saved.kind == "liveness";
  head(is_of_graph ? Paint::Warning : Paint::Help,
       is_of_graph ? "the trace fits" : "the trace fits, and ends in no violation");
  trace();
  console.out("\nin the end:\n" + report::standing_text(input.sources, walker.walk().threads(),
                                                        walker.walk().changed(), style));
  if (!is_of_graph) return ExitStatus::Verified;
  sentence(
      fmt::format("{}: {}. Whether that is still so depends on all that can happen from there, "
                  "which a trace does not show: `cml check` does",
                  saved.kind, saved.message));
  return ExitStatus::Inconclusive;
}

}  // namespace cml::app
