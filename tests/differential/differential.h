// The differential test: one random model, several ways to explore it, one truth.
//
// What is compared are the findings that language.md fixes for a model: which violations are
// reachable, which threads get stuck together, which labels are covered, which locks are left for
// each shared object.
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
  std::string report;           // where they differ, or why refused
  std::set<std::string> kinds;  // kinds of violations in the truth
  std::uint64_t states = 0;
};

/// Compares the depth-first, the breadth-first and the brute-force search on one model.
[[nodiscard]] Comparison compare(const std::string& text, std::uint64_t max_states);

}  // namespace cml::differential
