#include "app/explore.h"

#include <algorithm>

#include "app/interruption.h"
#include "app/progress.h"
#include "app/room.h"
#include "ir/lower/lower.h"

namespace cml::app {
namespace {

bool has_hit(const checker::Result& result, std::string_view limit) {
  const std::vector<std::string>& hit = result.stats.limits_hit;
  return std::find(hit.begin(), hit.end(), limit) != hit.end();
}

checker::Result explore_with_room(const LoadedModel& input, checker::Options options,
                                  const Run& run, const checker::Context& context) {
  Room room(options.limits);
  double seconds = 0;
  for (;;) {
    const auto system = ir::lower(input.model, input.sources, room.lowering());
    options.limits.can_have_more_room = room.can_grow();
    checker::Result result = system ? run(*system, input.sources, options, context)
                                    : checker::check_nothing(system.error(), input.sources);
    seconds += result.stats.seconds_total;
    result.stats.seconds_total = seconds;
    const bool is_found = !options.all && !result.violations.empty();
    if (is_found || has_hit(result, "interrupted") || has_hit(result, "max-time") ||
        !room.grow(result.stats.limits_hit))
      return result;
  }
}

}  // namespace

checker::Options search_of(const LoadedModel& input, const CheckOptions& options) {
  checker::Options search = options.search;
  if (!options.words.discipline && input.model.discipline == model::Discipline::Races)
    search.discipline = checker::Discipline::Races;
  return search;
}

checker::Result explore(const LoadedModel& input, const CheckOptions& options,
                        const Console& console, double front_seconds, const Run& run) {
  const Interruption interruption;
  checker::Context context;
  context.stop = &Interruption::flag();
  ProgressLine progress(options, console.err_is_terminal());
  context.progress = progress.listener();
  checker::Result result = explore_with_room(input, search_of(input, options), run, context);
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
