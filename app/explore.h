// Lowers a model and explores it: what `cml check` does once, and `cml compare` several times.
//
// A search begins with little room, and begins again with more where that was not enough (room.h).
// Signals end a search (interruption.h): the first one lets it report what it has found.
#pragma once

#include <functional>

#include "app/check_options.h"
#include "app/console.h"
#include "app/model_input.h"
#include "checker/check.h"
#include "checker/result.h"

namespace cml::app {

/// What is done with a System: a search, or what gives a result as one does.
using Run = std::function<checker::Result(const ir::System&, const SourceSet&,
                                          const checker::Options&, const checker::Context&)>;

/// The search that is asked for: what the command line leaves open, the model may say.
[[nodiscard]] checker::Options search_of(const LoadedModel& input, const CheckOptions& options);

/// What cannot be run is a result, too: an inconclusive one that says so. `front_seconds`: what
/// reading the model has taken.
[[nodiscard]] checker::Result explore(const LoadedModel& input, const CheckOptions& options,
                                      const Console& console, double front_seconds,
                                      const Run& run = checker::check);

/// Says on standard error that there was no native code, and why, if that is so.
void warn_of_interpreter(const checker::Result& result, Console& console);

}  // namespace cml::app
