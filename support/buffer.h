// Buffer<T>: a growing array of plain values whose three words have a fixed place, so that
// generated code can append to it.
//
//   ┌──────┬──────┬──────────┐      ┌────┬────┬────┬╌╌╌╌┬╌╌╌╌┐
//   │ data │ size │ capacity │ ───▶ │ T  │ T  │ T  │    │    │
//   └──────┴──────┴──────────┘      └────┴────┴────┴╌╌╌╌┴╌╌╌╌┘
//     0      8      12
//
// The interface is that of std::vector, as far as it is needed. `make_room` before a run of appends
// replaces the check of the capacity at each of them. At most 2^32 - 1 elements; T is trivially
// copyable, and growth is a realloc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace cml {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  Buffer() = default;
  Buffer(const Buffer& other) { append(other); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(const Buffer& other) {
    if (this == &other) return *this;
    clear();
    append(other);
    return *this;
  }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t room() const { return capacity_ - size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] const T& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("Buffer::at");
    return data_[i];
  }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }

  void clear() { size_ = 0; }
  void push_back(const T& value) {
    const T copy = value;  // it may lie in the array
    make_room(1);
    data_[size_++] = copy;
  }
  /// Values that do not lie in the array.
  void append(std::span<const T> values) {
    if (values.empty()) return;
    make_room(values.size());
    std::memcpy(static_cast<void*>(data_ + size_), values.data(), values.size_bytes());
    size_ += static_cast<std::uint32_t>(values.size());
  }
  /// New elements are zero bytes.
  void resize(std::size_t size) {
    if (size > size_) {
      make_room(size - size_);
      std::memset(static_cast<void*>(data_ + size_), 0, (size - size_) * sizeof(T));
    }
    size_ = static_cast<std::uint32_t>(size);
  }
  /// Elements behind the end have been written where there is room.
  void set_size(std::size_t size) { size_ = static_cast<std::uint32_t>(size); }
  /// Afterwards that many elements can be appended without growing.
  void make_room(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
  }

  friend bool operator==(const Buffer& a, const Buffer& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  static constexpr std::size_t kDataOffset = 0;
  static constexpr std::size_t kSizeOffset = sizeof(T*);
  static constexpr std::size_t kCapacityOffset = sizeof(T*) + sizeof(std::uint32_t);

 private:
  [[gnu::noinline, gnu::cold]] void grow(std::size_t more) {
    const std::size_t needed = size_ + more;
    const std::size_t twice = std::min<std::size_t>(std::size_t{capacity_} * 2, UINT32_MAX);
    const std::size_t wanted = std::max({std::size_t{8}, needed, twice});
    void* grown = wanted > UINT32_MAX ? nullptr : std::realloc(data_, wanted * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = static_cast<std::uint32_t>(wanted);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace cml
