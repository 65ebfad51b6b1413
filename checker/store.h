// The exact store: every state visited, as bytes, each once.
//
//     table (open addressing, linear probing)        arena (chunks that never move)
//   ┌──────┬─────────┐                              ┌─────────┬─────────┬───
//   │ hash │ number+1│ ───────────────────────────▶ │ state 0 │ state 1 │ …
//   ├──────┼─────────┤                              └─────────┴─────────┴───
//   │  …   │    0    │  (free)                       all of one size, in the order of insertion
//   └──────┴─────────┘
//
// An entry keeps 32 bits of the hash (XXH3), so that nearly every comparison of bytes finds an
// equal state, and the table grows without hashing again. Cost of an insertion: one or two cache
// misses, and `size` bytes. Who has several states to insert asks for all of them to be fetched
// first, so that the misses overlap. At most 2^32 - 2 states. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace cml::checker {

using StateNumber = std::uint32_t;

class StateStore {
 public:
  /// For states of `size` bytes.
  explicit StateStore(std::size_t size);

  struct Inserted {
    StateNumber number = 0;
    bool is_new = false;
  };
  using Hash = std::uint32_t;
  [[nodiscard]] Hash hash(const std::uint8_t* state) const;
  /// Fetches the entry for a hash; once that is there, fetch_state() the state it may mean.
  void fetch(Hash hash) const { __builtin_prefetch(&table_[position(hash)]); }
  void fetch_state(Hash hash) const;
  Inserted insert(const std::uint8_t* state, Hash hash);
  Inserted insert(const std::uint8_t* state) { return insert(state, hash(state)); }
  [[nodiscard]] bool contains(const std::uint8_t* state) const;

  [[nodiscard]] const std::uint8_t* operator[](StateNumber number) const {
    return chunks_[number / per_chunk_].get() + std::size_t{number % per_chunk_} * size_;
  }
  [[nodiscard]] std::uint64_t size() const { return count_; }
  [[nodiscard]] std::uint64_t memory() const;

 private:
  struct Slot {
    Hash hash = 0;
    std::uint32_t number_plus_one = 0;
  };
  void grow();
  [[nodiscard]] std::size_t position(Hash hash) const {
    return (std::uint64_t{hash} * 0x9E3779B97F4A7C15U) >> shift_;
  }

  std::size_t size_;
  std::uint32_t per_chunk_;
  std::uint32_t count_ = 0;
  unsigned shift_;
  std::vector<Slot> table_;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
};

}  // namespace cml::checker
