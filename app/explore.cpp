#include "app/explore.h"

#include <algorithm>

#include "app/interruption.h"
#include "app/progress.h"
#include "checker/check.h"
#include "ir/lower/lower.h"

namespace cml::app {
namespace {

std::uint32_t at_most(std::uint64_t limit, std::uint64_t room) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>({limit, room, UINT32_MAX}));
}

bool has_hit(const checker::Result& result, std::string_view limit) {
  const std::vector<std::string>& hit = result.stats.limits_hit;
  return std::find(hit.begin(), hit.end(), limit) != hit.end();
}

// The places of objects and threads and the stacks are part of each state, so there are few at
// first, and more where that turns out not to be enough.
constexpr std::uint64_t kRoomAtFirst = 8;
constexpr std::uint64_t kRoomGrows = 4;    // times
constexpr std::uint64_t kMostPools = 128;  // of places that threads have in common

checker::Result explore_with_room(const LoadedModel& input, checker::Options options,
                                  const checker::Context& context) {
  checker::Result result;
  ir::LowerOptions lowering;
  const checker::Limits& limits = options.limits;
  lowering.max_threads = at_most(limits.max_threads, UINT32_MAX);
  lowering.max_stack = at_most(limits.max_stack, UINT32_MAX);
  double seconds = 0;
  std::uint64_t objects = kRoomAtFirst;
  std::uint64_t calls = kRoomAtFirst;
  std::uint64_t threads = kRoomAtFirst;
  for (;;) {
    lowering.max_heap = at_most(limits.max_heap, objects);
    lowering.stack_room = at_most(limits.max_stack, calls);
    const bool all_objects = lowering.max_heap == limits.max_heap;
    const bool all_calls = lowering.stack_room == limits.max_stack;
    lowering.thread_share = at_most(limits.max_threads, threads);
    lowering.common_pools = at_most(kMostPools, threads);
    const bool all_threads =
        lowering.thread_share == limits.max_threads && lowering.common_pools == kMostPools;
    const auto system = ir::lower(input.model, input.sources, lowering);
    options.limits.can_have_more_room = !all_objects || !all_calls || !all_threads;
    result = system ? checker::check(*system, input.sources, options, context)
                    : checker::check_nothing(system.error(), input.sources);
    seconds += result.stats.seconds_total;
    result.stats.seconds_total = seconds;
    const bool more_objects = has_hit(result, "max-heap") && !all_objects;
    const bool more_calls = has_hit(result, "max-stack") && !all_calls;
    const bool more_threads = has_hit(result, "thread-places") && !all_threads;
    const bool is_found = !options.all && !result.violations.empty();
    if ((!more_objects && !more_calls && !more_threads) || is_found ||
        has_hit(result, "interrupted") || has_hit(result, "max-time"))
      return result;
    if (more_objects) objects *= kRoomGrows;
    if (more_calls) calls *= kRoomGrows;
    if (more_threads) threads *= kRoomGrows;
  }
}

}  // namespace

checker::Result explore(const LoadedModel& input, const CheckOptions& options,
                        const Console& console, double front_seconds) {
  const Interruption interruption;
  checker::Context context;
  context.stop = &Interruption::flag();
  ProgressLine progress(options, console.err_is_terminal());
  context.progress = progress.listener();
  checker::Options search = options.search;
  if (!options.words.discipline && input.model.discipline == model::Discipline::Races)
    search.discipline = checker::Discipline::Races;
  checker::Result result = explore_with_room(input, search, context);
  result.stats.seconds_front = front_seconds;
  result.stats.seconds_total += front_seconds;
  return result;
}

void warn_of_interpreter(const checker::Result& result, Console& console) {
  if (!result.stats.jit_failure.empty())
    console.warning("no native code: " + result.stats.jit_failure,
                    "the interpreter has done the work, more slowly");
}

}  // namespace cml::app
