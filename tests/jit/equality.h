// Two implementations of Step on one system: the same actions, bytes and records in every state
// that can be reached.
#pragma once

#include <cstdint>
#include <string>

#include "ir/exec/observations.h"
#include "ir/exec/step.h"

namespace cml::test {

struct Equality {
  std::string difference;  // empty: none
  bool complete = false;   // there was no state left to look at
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t left_out = 0;  // touches and marks
};

/// Explores at most `max_states` states, breadth-first. Both must be configured alike. With
/// `observations`, `actual` may leave out of what it executes what was recorded, and only that;
/// the observations of each transition are recorded as the monitors do it.
[[nodiscard]] Equality compare_steps(ir::Step& expected, ir::Step& actual, std::uint64_t max_states,
                                     ir::Observations* observations = nullptr);

}  // namespace cml::test
