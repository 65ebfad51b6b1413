// Lowers a model and explores it: what `cml check` does once, and `cml compare` several times.
//
// The places of objects and the stacks are part of each state, so a search begins with room for few
// and begins again with more where that was not enough. Signals end a search (interruption.h): the
// first one lets it report what it has found.
#pragma once

#include "app/check_options.h"
#include "app/console.h"
#include "app/model_input.h"
#include "checker/result.h"

namespace cml::app {

/// What cannot be run is a result, too: an inconclusive one that says so. `front_seconds`: what
/// reading the model has taken.
[[nodiscard]] checker::Result explore(const LoadedModel& input, const CheckOptions& options,
                                      const Console& console, double front_seconds);

/// Says on standard error that there was no native code, and why, if that is so.
void warn_of_interpreter(const checker::Result& result, Console& console);

}  // namespace cml::app
