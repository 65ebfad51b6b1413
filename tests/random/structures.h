// Small random objects with overlapping calls, and what they are to implement.
//
// A specification has two fields and methods that compute with them. An implementation computes the
// same, with each access a transition of its own: under the monitor, in a block, or with a part of
// it outside, which is what goes wrong now and then. Two or three threads make a call or two each,
// some of them depending on a result, of an object that is there from the beginning or is made by
// one of them.
#pragma once

#include <cstdint>
#include <string>

namespace cml::random_models {

[[nodiscard]] std::string structure(std::uint64_t seed);

}  // namespace cml::random_models
