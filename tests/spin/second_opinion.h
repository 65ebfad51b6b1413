// A second opinion: the full search of the reference interpreter against SPIN, on one model.
//
// Compared are whether a deadlock is reachable, the set of violations that stop a thread or break a
// property (kind and place), and, where the export says that the graphs are equal, the number of
// states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cml::spin {

enum class Outcome : std::uint8_t {
  Agree,
  Differ,
  Wrong,        // the front end refuses the model
  Unsupported,  // it cannot be run, or not exported
  Discarded,    // more states than the limit, or a limit of the checker
};

struct Opinion {
  Outcome outcome = Outcome::Agree;
  std::string report;  // where they differ, or why there is nothing to compare
  std::uint64_t states = 0;
  bool states_compared = false;
};

/// The text imports as a file at `path` does. `spoil` changes what SPIN is given: whether a
/// difference is seen at all is a question, too.
[[nodiscard]] Opinion second_opinion(const std::string& path, const std::string& text,
                                     std::uint64_t max_states,
                                     const std::function<void(std::string&)>& spoil = {});

}  // namespace cml::spin
