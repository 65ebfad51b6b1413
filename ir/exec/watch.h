// What is asked of an execution besides its record: for the explanation of a fault, every word that
// was stored in a frame, of temporaries too, and the frame in which it came to an end; and what
// writes changed, also in objects that are garbage before the transition is over.
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
  /// Of a word of a variable, semaphore or channel.
  struct Change {
    ObjectId object;
    std::uint32_t word = 0;
    std::int32_t before = 0;
    std::int32_t after = 0;
  };
  /// Which way control went.
  struct Branched {
    ThreadId thread;
    Pc pc = 0;
    bool is_true = false;
  };
  bool only_changes = false;  // is asked for
  bool wants_branches = false;
  std::vector<Store> stores;        // in order; of very many, the last
  std::vector<Change> changes;      // in order; only then
  std::vector<Branched> branches;   // in order; only then
  std::vector<std::int32_t> frame;  // at the last fault

  void add(const Store& store) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    if (stores.size() == kMost) stores.erase(stores.begin(), stores.begin() + kMost / 2);
    stores.push_back(store);
  }
};

}  // namespace cml::ir
