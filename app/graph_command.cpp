// `cml graph`.
#include "app/graph_command.h"

#include <array>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "app/explore.h"
#include "app/interruption.h"
#include "app/svg.h"
#include "checker/combinations.h"
#include "ir/lower/lower.h"
#include "report/counted.h"
#include "report/graph_dot.h"
#include "support/suggest.h"

namespace cml::app {
namespace {

constexpr std::uint64_t kStates = 200;             // more cannot be looked at
constexpr std::uint64_t kStatesOfLocks = 100'000;  // that are not shown

/// "Worker" is the first of "Worker[0]", "Worker[1]", …
ir::ThreadId find_thread(const ir::System& system, const std::string& name) {
  for (const ir::ThreadId id : system.threads.ids())
    if (system.threads[id].name == name) return id;
  for (const ir::ThreadId id : system.threads.ids())
    if (system.threads[id].name.starts_with(name + "[")) return id;
  return {};
}

}  // namespace

CommandHelp GraphCommand::help() const {
  return {
      .summary = "pictures of a model: states, lock order, control flow, who waits for whom",
      .arguments = "[--states|--locks|--flow THREAD|--waits] [options] MODEL.cml",
      .description =
          "Without one of these, --states. The result is DOT, the language of Graphviz; "
          "`--format svg` lets its program `dot` draw it.",
      .examples =
          {
              {"cml graph -D N=2 philosophers.cml | dot -Tsvg > states.svg",
               "all states of a small model"},
              {"cml graph --locks --format svg -o locks.svg m.cml",
               "which lock is taken while which is held"},
              {"cml graph --flow 'Philosopher[0]' philosophers.cml", "the code of a thread"},
              {"cml graph --waits philosophers.cml", "the end of the first violation"},
          },
  };
}

void GraphCommand::declare(Arguments& arguments) {
  arguments.positional("MODEL.cml", options_.model, "the model; `-` is standard input");
  arguments.section("Graphs");
  arguments.flag("--states", states_,
                 "what can be reached: where the threads stand (by line), what has changed, and "
                 "what each transition does");
  arguments.flag(
      "--locks", locks_,
      "the lock order: which lock a thread takes while it holds which; cycles are marked");
  arguments.value("--flow", "THREAD", flow_,
                  "how control goes through a thread's code, its calls expanded");
  arguments.flag("--waits", waits_,
                 "of the first violation that `cml check` finds, who waits for whom in its end");
  arguments.section("Options");
  arguments.choice(
      "--format", {{"dot", Form::Dot}, {"svg", Form::Svg}}, form_,
      "for Graphviz (the default), or drawn by its program `dot`, which must be there");
  declare_output(arguments, options_);
  declare_definitions(arguments, definitions_, options_);
  arguments.choice("--granularity", checker::values<checker::Granularity>(),
                   options_.search.granularity,
                   "of the states: transitions between synchronisation (`sync`, the default), or "
                   "each access");
  arguments.count("--max-states", max_states_,
                  "how many states are shown (200), or looked at for locks (100k)");
}

Expected<GraphCommand::Picture, ExitStatus> GraphCommand::states(const LoadedModel& input,
                                                                 Console& console) {
  const bool is_locks = locks_;
  checker::Options& search = options_.search;
  const bool is_sync = search.granularity == checker::Granularity::Sync;
  search.composition =
      is_sync && !is_locks ? checker::Composition::Composed : checker::Composition::None;
  search.limits.max_states = max_states_ != 0 ? max_states_ : is_locks ? kStatesOfLocks : kStates;
  const auto system = ir::lower(input.model, input.sources);
  if (!system) return Unexpected(refuse(input, system.error(), console));
  const Interruption interruption;
  Picture picture;
  picture.graph = (is_locks ? checker::lock_graph : checker::state_graph)(
      *system, input.sources, search, Interruption::flag());
  const std::size_t nodes = picture.graph.nodes.size();
  picture.title = fmt::format(
      "{}: {}", options_.model,
      is_locks ? "locks, and which is taken while which is held" : report::counted(nodes, "state"));
  if (!picture.graph.is_whole) {
    picture.title += is_locks ? ", so far" : ", and more";
    picture.note =
        is_locks ? fmt::format("not all states were looked at; `--max-states {}` looks at more",
                               search.limits.max_states * 10)
                 : fmt::format(
                       "there are more states (what leads to them is dashed); "
                       "`--max-states {}` shows more",
                       search.limits.max_states * 5);
  } else if (is_locks && nodes == 0) {
    picture.note = "no thread takes a lock while it holds another";
  }
  return picture;
}

Expected<GraphCommand::Picture, ExitStatus> GraphCommand::flow(const LoadedModel& input,
                                                               Console& console) const {
  const auto system = ir::lower(input.model, input.sources);
  if (!system) return Unexpected(refuse(input, system.error(), console));
  const ir::ThreadId thread = find_thread(*system, *flow_);
  if (!thread.valid()) {
    Suggestion near(*flow_);
    std::string names;
    constexpr std::size_t kMost = 12;
    std::size_t told = 0;
    for (const ir::Thread& one : system->threads) {
      near.consider(one.name);
      if (told < kMost) names += (told == 0 ? "" : ", ") + one.name;
      ++told;
    }
    if (told > kMost) names += ", …";
    console.error(fmt::format("the model has no thread `{}`", *flow_),
                  near.best() ? fmt::format("did you mean `--flow '{}'`?", *near.best())
                              : fmt::format("its threads are {}", names));
    return Unexpected(ExitStatus::Wrong);
  }
  return Picture{checker::flow_graph(*system, input.sources, thread),
                 fmt::format("{}: {}", options_.model, system->threads[thread].name)};
}

Expected<GraphCommand::Picture, ExitStatus> GraphCommand::waits(const LoadedModel& input,
                                                                Console& console) const {
  CheckOptions search = options_;
  search.search.granularity = default_search().granularity;
  (void)complete_search(search.search, search.words);
  const checker::Result result = explore(input, search, console, 0);
  if (result.internal_error) {
    console.error("internal error: " + *result.internal_error,
                  "this is a mistake of cml, not of the model; please report it with the model");
    return Unexpected(ExitStatus::Internal);
  }
  Picture picture;
  if (result.violations.empty()) {
    picture.title = options_.model + ": no violation";
    picture.note = "no violation was found, so there is nobody to show";
    return picture;
  }
  const checker::Violation& violation = result.violations.front();
  picture.graph = checker::wait_graph(violation);
  picture.title =
      fmt::format("{}: {}: {}", options_.model, checker::name(violation.kind), violation.message);
  return picture;
}

ExitStatus GraphCommand::run(Console& console) {
  if (states_ + locks_ + waits_ + (flow_ ? 1 : 0) > 1) {
    console.error("one graph at a time",
                  "choose one of `--states`, `--locks`, `--flow THREAD` and `--waits`");
    return ExitStatus::Wrong;
  }
  if (!take_definitions(definitions_, options_, console)) return ExitStatus::Wrong;
  const auto input = load(options_, console);
  if (!input) return input.error();
  const auto picture = flow_    ? flow(**input, console)
                       : waits_ ? waits(**input, console)
                                : states(**input, console);
  if (!picture) return picture.error();
  std::string text = report::graph_dot(picture->graph, picture->title);
  if (form_ == Form::Svg) {
    auto drawn = svg_of(text);
    if (!drawn) {
      console.error(drawn.error().message, drawn.error().help);
      return ExitStatus::Wrong;
    }
    text = *std::move(drawn);
  }
  if (!picture->note.empty()) console.err(fmt::format("cml: note: {}\n", picture->note));
  return deliver(text, options_, console) ? ExitStatus::Verified : ExitStatus::Wrong;
}

}  // namespace cml::app
