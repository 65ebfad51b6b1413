// What a search visits, which decides what must count as dependent.
//
//   EveryState   with sleep sets, or sets that contain whatever may enable a blocked thread: the
//                states between transitions that commute are seen one way or the other
//   EveryTrace   one execution of each Mazurkiewicz trace (reduction/dynamic/): what depends on a
//                state that is not on it must be ordered by the trace
#pragma once

#include <cstdint>

namespace cml::checker {

enum class Visits : std::uint8_t { EveryState, EveryTrace };

}  // namespace cml::checker
