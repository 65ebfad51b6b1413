// Guards and properties for random models: conditions over several objects, sizes, `held`,
// owners of locks, functions with loops, and conditions that have no value.
//
// What the generator draws is complemented, whatever it is: the objects are read off the
// declarations, and `await`, `wait … until`, blocks that look before they block, invariants and
// `finally` over them are put in at random places. Every model that comes out is one that the front
// end accepts.
#pragma once

#include <cstdint>

#include "tests/random/generator.h"

namespace cml::spin {

[[nodiscard]] random_models::ModelTree with_guards(random_models::ModelTree tree,
                                                   std::uint64_t seed);

}  // namespace cml::spin
