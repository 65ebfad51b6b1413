// The values of the objects that an invariant reads, for which it was evaluated. Its result depends
// on nothing else, so it is evaluated once for each combination of them, not for each state: mostly
// there are few, as in `head < B` with a thousand states for each head.
//
// A cache with a fixed number of places, in which a new combination replaces the one in its place.
// One that was replaced is evaluated again, which finds nothing new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

class InvariantCache {
 public:
  InvariantCache(const ir::Layout& layout, const ir::Code& code);

  /// Whether the code has to be evaluated in this state: false if these values are in the cache.
  [[nodiscard]] bool is_new(const std::uint8_t* state);

 private:
  struct Bytes {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };

  bool is_closed_ = true;  // the code reads nothing but these
  std::vector<Bytes> read_;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> key_;
  std::vector<std::uint8_t> places_;  // a byte that says whether it is taken, and the values
};

}  // namespace cml::checker
