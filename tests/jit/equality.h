// Two implementations of Step on one system: the same entries, bytes and records in every state
// that can be reached.
#pragma once

#include <cstdint>
#include <string>

#include "ir/step.h"

namespace cml::test {

struct Equality {
  std::string difference;  // empty: none
  bool complete = false;   // there was no state left to look at
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
};

/// Explores at most `max_states` states, breadth-first. Both must be configured alike.
[[nodiscard]] Equality compare_steps(ir::Step& expected, ir::Step& actual,
                                     std::uint64_t max_states);

}  // namespace cml::test
