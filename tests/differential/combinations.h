// Every combination of granularity, composition, store, order and reduction against the truth of a
// model: the full search at granularity `access` in the reference interpreter (subject.h).
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

/// What a model of tests/models is searched under: every granularity with every reduction, order
/// and store, and some of them in native code. `discipline` and `spurious` wakeups are those of
/// all.
[[nodiscard]] std::vector<Combination> combinations(checker::Discipline discipline, bool spurious);

/// What a random model is searched under, chosen by its seed: every two values of
///
///   granularity and composition, sets, sleep sets, search (depth-first, breadth-first, without a
///   store), engine, giving up, form of the discipline, spurious wakeups, static proofs
///
/// stand together in one of them (covering.h). How a search without a store goes back belongs to
/// few of these: it meets every value of the others among any so many seeds in a row. Of dynamic
/// reductions, each array has one.
[[nodiscard]] const std::vector<Combination>& covering_combinations(std::uint64_t seed);
inline constexpr std::uint64_t kCoveringArrays = 12;

/// A search with a store in the interpreter, a fraction of a millisecond for a small model;
/// compiling takes ten times as long, and a search without a store sees the same states again and
/// again.
[[nodiscard]] bool is_cheap(const Combination& combination);

struct Report {
  enum class Kind : std::uint8_t { Agree, Differ, Refused, Discarded };
  Kind kind = Kind::Agree;
  std::string text;             // where they differ
  std::uint64_t compared = 0;   // combinations that said something
  std::uint64_t truncated = 0;  // stateless ones whose executions were too many or too long
};

/// Runs those of the combinations on a model that the environment wants:
/// CML_COMBINATIONS="sleep -stateless" stands for those whose names contain the first word and not
/// the second.
[[nodiscard]] Report compare_combinations(const std::string& text, std::uint64_t max_states,
                                          const std::vector<Combination>& combinations);

}  // namespace cml::differential
