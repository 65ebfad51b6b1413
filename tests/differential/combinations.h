// Every combination of granularity, composition, store, order and reduction against the truth of a
// model (checker.md §2): the full search at granularity `access` in the reference interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/options.h"

namespace cml::differential {

struct Combination {
  std::string name;  // "sync/composed stubborn+sleep bfs"
  checker::Options options;
};

/// All that are sound, each with all violations.
[[nodiscard]] const std::vector<Combination>& combinations();

struct Report {
  enum class Kind : std::uint8_t { Agree, Differ, Refused, Discarded };
  Kind kind = Kind::Agree;
  std::string text;             // where they differ
  std::uint64_t compared = 0;   // combinations that said something
  std::uint64_t truncated = 0;  // stateless ones whose executions were too many or too long
};

/// Runs the combinations `first`, `first` + `stride`, … on one model, with `discipline` and
/// `spurious` wakeups.
[[nodiscard]] Report compare_combinations(const std::string& text, std::uint64_t max_states,
                                          std::size_t first, std::size_t stride,
                                          checker::Discipline discipline, bool spurious);

}  // namespace cml::differential
