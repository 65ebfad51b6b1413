// Random models with a heap: small linked structures of one class, which threads hand to each other
// and change under locks, or without.
//
// The first thread makes an object and publishes it: in a channel, in an atomic or a shared
// variable, to threads that it spawns, or as part of the initial state. Then all of them work on
// what they have. In a loop nobody links an object to another that outlives the round, else the
// model would have no end.
//
// They are drawn by a generator of their own, so that the other models are as they were.
#pragma once

#include <cstdint>

#include "tests/random/model_tree.h"

namespace cml::random_models {

/// Features are called "heap: …".
[[nodiscard]] ModelTree generate_with_heap(std::uint64_t seed);

/// What the tests of the checker draw: of a hundred seeds 20, or as many as the environment
/// variable CML_HEAP says, give models with a heap.
[[nodiscard]] ModelTree draw(std::uint64_t seed);

}  // namespace cml::random_models
