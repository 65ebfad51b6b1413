// What a thread waits for at each location, as far as the location alone tells. Most operations
// wait for nothing, or for one object that is known before the search, and have nothing to choose:
// whether such a thread is enabled is seen in the state, without unpacking its frame. Made once
// from the descriptions of the instructions (ir/describe.h).
#pragma once

#include <vector>

#include "ir/describe.h"
#include "ir/system.h"

namespace cml::ir {

struct LocationWait {
  bool is_known = false;     // else it depends on locals, or there is something to choose
  ObjectId object;           // invalid: it waits for nothing
  std::vector<Awaited> all;  // there, if it is enabled
};

/// By Location.
[[nodiscard]] std::vector<LocationWait> location_waits(const Code& code);

}  // namespace cml::ir
