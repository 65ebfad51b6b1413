// The options of the search, as they stand on the command line.
#include "app/check_options.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "checker/combinations.h"
#include "support/memory.h"

namespace cml::app {
namespace {

constexpr std::uint64_t kStatelessDepth = 10'000;

constexpr std::pair<std::string_view, Fairness> kFairness[] = {
    {"weak", Fairness::Weak}, {"strong", Fairness::Strong}, {"none", Fairness::None}};

std::uint64_t three_quarters_of_memory() {
  const std::uint64_t available = available_memory();
  return available == UINT64_MAX ? available : available / 4 * 3;
}

}  // namespace

checker::Options default_search() {
  checker::Options search;
  search.granularity = checker::Granularity::Sync;
  search.limits.max_memory = three_quarters_of_memory();
  return search;
}

void declare_format(Arguments& arguments, CheckOptions& options) {
  arguments.choice("--format",
                   {{"text", Format::Text},
                    {"json", Format::Json},
                    {"html", Format::Html},
                    {"sarif", Format::Sarif}},
                   options.format, "as in `cml check`");
}

void declare_report(Arguments& arguments, CheckOptions& options) {
  arguments.value("-o,--output", "FILE", options.output,
                  "write the result to FILE instead of standard output");
  arguments.flag(
      "-q,--quiet", options.quiet,
      "no report for people; the exit status tells the verdict (what `--format` asks for is "
      "written all the same)");
  arguments.choice(
      "--progress",
      {{"auto", ProgressMode::Auto}, {"never", ProgressMode::Never}, {"json", ProgressMode::Json}},
      options.progress,
      "how the progress of a long search is shown: a line on a terminal (the default), nothing, or "
      "lines of JSON on standard error");
  arguments.count("--width", options.width,
                  "columns of the report, in which the rows of its tables fit (those of the "
                  "terminal; in files and pipes 100 for sentences, and a row is a line)");
}

void declare_search(Arguments& arguments, CheckOptions& options) {
  using namespace checker;
  checker::Options& search = options.search;
  SearchWords& words = options.words;
  arguments.section("What is explored");
  arguments.flag_with_word(
      "--all", search.all, "verbose", options.lists_alike,
      "continue after the first violation and report all of them; those that differ in indices "
      "alone are told once, and each with `--all=verbose`");
  arguments.choice("--granularity", values<Granularity>(), search.granularity,
                   "where threads can be interleaved: at synchronisation (`sync`, the default), "
                   "which is enough for models that obey the lock discipline, as is checked on "
                   "the way; or at every access");
  arguments.choice("--composition", values<Composition>(), words.composition,
                   "at granularity `sync`: invisible transitions are separate, are executed at "
                   "once, or are part "
                   "of the visible transition before them (the default)");
  arguments.choice(
      "--reduction", values<ReductionOptions>(), words.reduction,
      "which interleavings of independent transitions are left out (`stubborn`); the guide to "
      "reductions explains each");
  arguments.choice(
      "--store", values<StoreKind>(), words.store,
      "store the visited states (the default), the same in fewer bytes and somewhat more time, or "
      "follow every execution with the memory of one");
  arguments.choice("--undo", values<Undo>(), search.undo,
                   "how a stateless search backtracks: to a copy of the state (the default), by "
                   "executing the path again, or by a log of what changed");
  arguments.choice("--order", values<Order>(), words.order,
                   "breadth-first, for short traces (the default), or depth-first: one thread "
                   "after the other, or "
                   "in an order that is drawn in each state");
  arguments.count("--seed", search.seed,
                  "of the order `random`; of `sequential`, which permutation of the threads (0)");
  arguments.flag(
      "--shortest", search.shortest,
      "the trace with the fewest transitions, whatever the order (the fewest steps of all: "
      "with `--granularity access --reduction none`)");
  arguments.choice("--discipline", values<Discipline>(), words.discipline,
                   "locks must protect shared objects over all executions together (the default), "
                   "within each, or not at all; or no two accesses may race, whatever orders them "
                   "(`races`, which a model can ask for, too)");
  arguments.flag("--spurious-wakeups", search.spurious_wakeups,
                 "a `wait` may end without a notify, as in Java and POSIX; whether a thread waits "
                 "for ever is decided as if that did not happen any more");
  arguments.flag("--no-hang-check", words.no_hang_check,
                 "do not look, after a complete search, for threads that are lost: that spin, or "
                 "are blocked, for ever");

  arguments.choice("--fairness", std::span<const std::pair<std::string_view, Fairness>>(kFairness),
                   search.fairness,
                   "which executions count for properties that do not say so themselves: a thread "
                   "that can go from some point on without pause goes (`weak`, the default), one "
                   "that can go again and again does (`strong`), or all (`none`)");

  arguments.section("How transitions are executed");
  arguments.choice(
      "--engine", values<Engine>(), search.engine,
      "native code, compiled during the search (the default), or the interpreter alone; the "
      "results are the same");
  arguments.count("--jit-after", search.jit_after,
                  "transitions before native code is compiled (4k); 0: before the first");
  arguments.flag("--perf-map", search.perf_map,
                 "write where the native code of each thread lies, for `perf`");

  arguments.section("Limits");
  arguments.count("--max-states", search.limits.max_states, "states; `10k`, `2M` will do");
  arguments.count("--max-depth", search.limits.max_depth,
                  "transitions in a row (10M; 10k for a stateless search)");
  declare_limits(arguments, search.limits);
}

void declare_limits(Arguments& arguments, checker::Limits& limits) {
  arguments.count(
      "--max-memory", limits.max_memory,
      "bytes, such as 4G (three quarters of what there is: the machine's memory, or what "
      "`ulimit` or a container leaves of it)");
  arguments.seconds("--max-time", limits.max_seconds, "seconds; `90`, `1.5m` and `2h` will do");
  arguments.count("--max-invisible", limits.max_invisible,
                  "invisible steps of a thread in a row (1M)");
  arguments.count("--max-threads", limits.max_threads,
                  "spawned threads that are alive or referred to at a time (64; at most 1000)");
  arguments.count("--max-heap", limits.max_heap,
                  "objects of a class that can be reached at a time (64)");
  arguments.count(
      "--max-stack", limits.max_stack,
      "calls that a thread may be in at a time, of functions that call themselves; more "
      "is a violation (500)");
}

Expected<void, UsageError> complete_search(checker::Options& search, const SearchWords& words) {
  using namespace checker;
  const bool is_sync = search.granularity == Granularity::Sync;
  search.hang_check = !words.no_hang_check;
  search.discipline = words.discipline.value_or(Discipline::Global);
  search.store = words.store.store;
  search.state_form = words.store.form;
  const bool is_stateless = search.store == Store::Stateless;
  search.composition =
      words.composition.value_or(is_sync ? Composition::Composed : Composition::None);
  search.reduction = words.reduction.value_or(ReductionOptions{Sets::Stubborn, is_stateless});
  const bool is_depth_first = is_stateless || search.reduction.is_stateful();
  search.order = words.order.value_or(is_depth_first ? Order::DepthFirst : Order::BreadthFirst);
  if (is_stateless && search.limits.max_depth == Limits().max_depth)
    search.limits.max_depth = kStatelessDepth;
  if (is_stateless && !search.undo) search.undo = Undo::Checkpoint;
  if (const Refusal* refusal = refused(search))
    return Unexpected(UsageError{std::string(refusal->reason), std::string(refusal->help)});
  return {};
}

}  // namespace cml::app
