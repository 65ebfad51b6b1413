// Log<T>: an array that grows at its end and can be cut there, and whose elements never move.
//
//   chunks ──▶ │ 0 … n-1 │ n … 2n-1 │ 2n …          n: a power of two, about 1 MB
//
// Growing takes one more chunk: there is never an old array beside a new one of twice its size, and
// the index has 64 bits. Memory that was not used yet is not touched. Chunks that were cut off are
// kept for reuse. T is trivially copyable; an access costs a load more than that of an array.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/pages.h"

namespace cml {

template <class T>
class Log {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::uint64_t i) { return chunk(i)[i % kPerChunk]; }
  [[nodiscard]] const T& operator[](std::uint64_t i) const { return chunk(i)[i % kPerChunk]; }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

  /// Throws std::bad_alloc, and nothing has changed then.
  void push_back(const T& value) {
    if (next_ == end_) [[unlikely]]
      go_to_chunk_of_end();
    *next_++ = value;
    ++size_;
  }
  template <class Values>
  void append(const Values& values) {
    for (const T& value : values)
      push_back(value);
  }
  /// To a size that it has had.
  void cut(std::uint64_t size) {
    size_ = size;
    end_ = size % kPerChunk == 0 ? nullptr : chunk(size) + kPerChunk;
    next_ = size % kPerChunk == 0 ? nullptr : chunk(size) + size % kPerChunk;
  }
  void pop_back() { cut(size_ - 1); }

  /// Bytes that its elements take.
  [[nodiscard]] std::uint64_t memory() const { return size_ * sizeof(T); }

 private:
  static constexpr std::uint64_t kPerChunk = std::bit_floor((std::uint64_t{1} << 20) / sizeof(T));

  [[nodiscard]] T* chunk(std::uint64_t i) const {
    return reinterpret_cast<T*>(chunks_[i / kPerChunk].data());
  }

  [[gnu::noinline, gnu::cold]] void go_to_chunk_of_end() {
    if (size_ / kPerChunk == chunks_.size())
      chunks_.emplace_back(kPerChunk * sizeof(T), Pages::Size::Small);
    next_ = chunk(size_);
    end_ = next_ + kPerChunk;
  }

  std::vector<Pages> chunks_;
  std::uint64_t size_ = 0;
  T* next_ = nullptr;  // where the next element goes, and the end of its chunk
  T* end_ = nullptr;
};

}  // namespace cml
