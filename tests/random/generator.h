// Small random models, the same for the same seed on every machine.
//
// Each model draws a *shape* first: which kinds of objects it has, whether it loops, whether its
// threads keep to the lock discipline, how often they do something illegal. Then each thread draws
// statements that suit the shape. Most operations are made to succeed (locks are released, counters
// stay in range), since a model whose threads all stop at once tests nothing; the share of mishaps
// is set so that every kind of violation occurs in more than one model of a hundred (which the test
// of the generator counts).
#pragma once

#include <cstdint>

#include "tests/random/model_tree.h"

namespace cml::random_models {

/// Deterministic and portable: splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) {}
  std::uint64_t next();
  /// In [0, n); n > 0.
  unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

[[nodiscard]] ModelTree generate(std::uint64_t seed);

/// Puts labels "l0", "l1", … into the code of threads.
void add_labels(ModelTree& tree, Random& random);

}  // namespace cml::random_models
