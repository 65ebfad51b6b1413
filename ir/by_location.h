// A value for each location of each thread, in one block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/system.h"

namespace cml::ir {

template <class T>
class ByLocation {
 public:
  ByLocation() = default;
  explicit ByLocation(const System& system) {
    std::uint32_t size = 0;
    for (const Thread& thread : system.threads) {
      first_.push(size);
      size += std::max(static_cast<Location>(thread.code.location_pc.size()), kFirstLocation);
    }
    values_.resize(size);
  }

  [[nodiscard]] T& at(ThreadId thread, Location location) {
    return values_[first_[thread] + location];
  }
  [[nodiscard]] const T& at(ThreadId thread, Location location) const {
    return values_[first_[thread] + location];
  }
  /// The position of a location's value, the same in all ByLocation of a system.
  [[nodiscard]] std::uint32_t place(ThreadId thread, Location location) const {
    return first_[thread] + location;
  }
  [[nodiscard]] T& operator[](std::uint32_t place) { return values_[place]; }
  [[nodiscard]] const T& operator[](std::uint32_t place) const { return values_[place]; }

 private:
  IdVector<ThreadId, std::uint32_t> first_;
  std::vector<T> values_;
};

}  // namespace cml::ir
