// The differential test: one random model, several ways to explore it, one truth.
//
// What is compared are the findings that docs/reference.md fixes for a model: which violations are
// reachable, which threads get stuck together, which labels are covered, what protects each shared
// object. The searches: depth-first and breadth-first, with and without static proofs, in both
// forms of the lock discipline, and the brute force, which shares no code with them.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tests/random/model_tree.h"

namespace cml::differential {

enum class Outcome : std::uint8_t {
  Agree,
  Differ,
  Refused,      // the front end has errors: a mistake of the generator
  Discarded,    // more states than the limit
  Unsupported,  // the brute force leaves out what the model uses
};

struct Comparison {
  Outcome outcome = Outcome::Agree;
  std::string report;  // where they differ, or why refused
  std::uint64_t states = 0;
  bool untold = false;  // some thread never moves again, and the checker cannot know
};

/// Kinds of violations that a model contains by its full search: what the generator is judged by.
/// `assertion` is split by where it stands: "assertion", "invariant", "finally".
struct Truth {
  Outcome outcome = Outcome::Agree;  // Refused, Discarded, or Agree
  std::string report;
  std::set<std::string> kinds;
  std::uint64_t states = 0;
};
[[nodiscard]] Truth truth_of(const std::string& text, std::uint64_t max_states);

/// Compares all of them on one model.
[[nodiscard]] Comparison compare(const std::string& text, std::uint64_t max_states);

}  // namespace cml::differential
