// What the explanation of a fault wants to know of an execution, besides its record: every word
// that was stored in a frame, of temporaries too, and the frame in which it came to an end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/system.h"

namespace cml::ir {

struct Watch {
  struct Store {
    ThreadId thread;  // invalid: of a property
    Pc pc = 0;        // of the instruction
    Slot slot = 0;
    std::int32_t value = 0;
  };
  std::vector<Store> stores;        // in order; of very many, the last
  std::vector<std::int32_t> frame;  // at the last fault

  void add(const Store& store) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    if (stores.size() == kMost) stores.erase(stores.begin(), stores.begin() + kMost / 2);
    stores.push_back(store);
  }
};

}  // namespace cml::ir
