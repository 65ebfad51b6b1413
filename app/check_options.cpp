// The options of the search, as they stand on the command line.
#include "app/check_options.h"

#include <unistd.h>

namespace cml::app {
namespace {

std::uint64_t three_quarters_of_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4 * 3;
}

}  // namespace

checker::Options default_search() {
  checker::Options search;
  search.order = checker::Order::BreadthFirst;
  search.limits.max_memory = three_quarters_of_memory();
  return search;
}

void declare_search(Arguments& arguments, checker::Options& search) {
  using checker::Discipline;
  using checker::Granularity;
  using checker::Order;
  arguments.section("What is explored");
  arguments.flag("--all", search.all, "go on after the first violation and report all of them");
  arguments.choice("--granularity", {{"access", Granularity::Access}, {"sync", Granularity::Sync}},
                   search.granularity,
                   "where threads can be interleaved: at every access (the default), or at "
                   "synchronisation only, which needs far fewer states and reports where that is "
                   "not enough as a lock-discipline violation");
  arguments.choice("--order", {{"bfs", Order::BreadthFirst}, {"sequential", Order::DepthFirst}},
                   search.order,
                   "breadth-first, for short traces (the default), or depth-first, one thread "
                   "after the other");
  arguments.flag("--shortest", search.shortest,
                 "the trace with the fewest steps, whatever the order");
  arguments.choice("--discipline",
                   {{"global", Discipline::Global},
                    {"per-execution", Discipline::PerExecution},
                    {"off", Discipline::Off}},
                   search.discipline,
                   "locks must protect shared objects over all executions together (the default), "
                   "within each, or not at all");
  arguments.flag("--spurious-wakeups", search.spurious_wakeups,
                 "a `wait` may end without a notify, as in Java and POSIX");

  arguments.section("How transitions are executed");
  arguments.choice(
      "--engine", {{"jit", checker::Engine::Jit}, {"interpreter", checker::Engine::Interpreter}},
      search.engine,
      "native code, made while a search lasts (the default), or the interpreter alone; "
      "what is found is the same");
  arguments.count("--jit-after", search.jit_after,
                  "transitions before native code is made (4k); 0 makes it before the first");
  arguments.flag("--perf-map", search.perf_map,
                 "tell `perf` where the native code of which thread lies");

  arguments.section("Limits");
  arguments.count("--max-states", search.limits.max_states, "states; `10k`, `2M` will do");
  arguments.count("--max-depth", search.limits.max_depth, "transitions in a row (10M)");
  arguments.count("--max-memory", search.limits.max_memory,
                  "bytes, such as 4G (three quarters of the machine's memory)");
  arguments.seconds("--max-time", search.limits.max_seconds,
                    "seconds; `90`, `1.5m` and `2h` will do");
  arguments.count("--max-invisible", search.limits.max_invisible,
                  "invisible steps of a thread in a row (1M)");
}

void complete_search(checker::Options& search) {
  const bool composes = search.granularity == checker::Granularity::Sync;
  search.composition = composes ? checker::Composition::Composed : checker::Composition::None;
}

}  // namespace cml::app
