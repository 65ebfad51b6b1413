// What a step of a trace answered: what was read, what was refused, whom it woke.
#pragma once

#include <cstdint>

#include "checker/finding/text_context.h"
#include "checker/result.h"
#include "ir/exec/step.h"

namespace cml::checker {

/// Fills in the outcome of an action, from the states before and behind it.
void add_outcome(const TextContext& context, const std::uint8_t* before, const std::uint8_t* after,
                 ir::Action action, const ir::Record& record, TraceStep& step);

}  // namespace cml::checker
