// Pages: a block of zero bytes straight from the system, on huge pages where they are asked for and
// the system has them.
//
// A table of many megabytes that is read at random spends much of its time on address translation
// and page faults; with pages of 2 MB both are rare. A block that may stay partly unused is better
// on small pages, of which only those that are touched take memory. It begins at a multiple of its
// page size. Cost: two or three system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace cml {

class Pages {
 public:
  static constexpr std::size_t kHuge = std::size_t{1} << 21;
  enum class Size : std::uint8_t { Small, Huge };

  Pages() = default;
  /// Throws std::bad_alloc.
  Pages(std::size_t bytes, Size size);
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages();

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  /// The bytes asked for, rounded up to whole small pages.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace cml
