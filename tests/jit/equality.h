// Two implementations of Step on one system: the same entries, bytes and records in every state
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

/// Explores at most `max_states` states, breadth-first. Both must be configured alike. With `news`,
/// `actual` may leave out of what it executes what was heard, and only that; what transitions told
/// is heard as the monitors hear it.
[[nodiscard]] Equality compare_steps(ir::Step& expected, ir::Step& actual, std::uint64_t max_states,
                                     ir::News* news = nullptr);

}  // namespace cml::test
