// An independent look at what the checker tells: every trace is walked in the brute force, which
// works on the checked model and shares no code with the IR.
//
//   trace   step   step   …   step   what is told       each step: the thread, its operation, the
//             │      │           │       │              place in the text, the choice, and what
//   brute   state  state  …    state   is there         changes; at the end: the violation, and
//                                                       where all threads stand
//
// And where the shortest trace was asked for, its length is the breadth-first distance.
#pragma once

#include <string>

#include "checker/result.h"
#include "frontend/model.h"
#include "tests/brute/brute_force.h"

namespace cml::differential {

/// Where the brute force cannot follow the traces of a result; empty if it can. The brute force
/// must support the model.
[[nodiscard]] std::string follow_traces(const model::Model& model, const checker::Result& result);

/// What is wrong with the lengths of the traces of a full breadth-first search at granularity
/// `access`. `all`: that told all violations; else the first, without a lock discipline.
[[nodiscard]] std::string compare_lengths(const model::Model& model, const checker::Result& result,
                                          const brute::Findings& findings, bool all);

}  // namespace cml::differential
