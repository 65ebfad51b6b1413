// Keeps a search within the memory that it may have.
//
//   ask      before much is allocated and touched at once: a table of twice the size, an array that
//            moves, a path. Throws std::bad_alloc if it does not fit, as the system does.
//   is_over  now and then, for all that grows little by little
//
// Both look at what the process has in memory, so all of it counts: native code, the monitors, what
// the allocator has not returned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "support/buffer.h"
#include "support/memory.h"

namespace cml::checker {

class MemoryBudget {
 public:
  /// UINT64_MAX: no limit.
  explicit MemoryBudget(std::uint64_t most = UINT64_MAX) : most_(most) {}

  void ask(std::uint64_t bytes) const {
    if (bytes >= kMuch && !fits(bytes)) throw std::bad_alloc();
  }
  [[nodiscard]] bool fits(std::uint64_t bytes) const {
    return most_ == UINT64_MAX || resident_memory() + bytes <= most_;
  }
  [[nodiscard]] bool is_over() const { return !fits(0); }
  /// How many bytes are left.
  [[nodiscard]] std::uint64_t left() const {
    if (most_ == UINT64_MAX) return most_;
    const std::uint64_t used = resident_memory();
    return used < most_ ? most_ - used : 0;
  }
  /// Makes room for so many more elements. While an array moves, it is in memory twice.
  template <class T>
  void make_room(std::vector<T>& items, std::size_t more) const {
    if (items.capacity() - items.size() >= more) return;
    ask(items.size() * sizeof(T));
    items.reserve(std::max(items.size() + more, 2 * items.capacity()));
  }
  template <class T>
  void make_room(Buffer<T>& items, std::size_t more) const {
    if (items.room() >= more) return;
    ask(items.size() * sizeof(T));
    items.make_room(more);
  }

 private:
  static constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;

  std::uint64_t most_;
};

}  // namespace cml::checker
