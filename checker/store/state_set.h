// The exact store: every state visited, as bytes, each once.
//
//     table: buckets, of a cache line each              arena (chunks that never move)
//   ┌────────────────┬────────────────────┐            ┌─────────┬─────────┬───
//   │ hash × 8       │ number+1 × 8       │ ─────────▶ │ state 0 │ state 1 │ …
//   ├────────────────┼────────────────────┤            └─────────┴─────────┴───
//   │ h h h h h · · ·│ n n n n n 0 0 0    │              all of one size, in the order of insertion
//   └────────────────┴────────────────────┘
//
// A state's bucket is the one that its hash says, or where that is full the next. An action keeps
// 32 bits of the hash (XXH3), so that nearly every comparison of bytes finds an equal state, and
// the table grows without hashing again, in the order in which it lies; where the old table was,
// states will lie, since new pages are what costs the system most. Cost of an insertion: one or two
// cache misses, and `size` bytes. Who has several states to insert asks for all of them to be
// fetched first, so that the misses overlap. At most 2^32 - 2 states. Not thread-safe.
//
// A set of another kind (compressed, or one that keeps hashes only and may take two states for one)
// takes its place as the second parameter of VisitedStates (visited_states.h): then nothing is
// virtual, and the compiler sees through to the bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "checker/memory_budget.h"
#include "checker/store/state_number.h"
#include "support/pages.h"

namespace cml::checker {

class StateSet {
 public:
  /// For states of `size` bytes; the budget must outlive it.
  StateSet(std::size_t size, const MemoryBudget& budget);

  struct Inserted {
    StateNumber number = 0;
    bool is_new = false;
  };
  using Hash = std::uint32_t;
  [[nodiscard]] Hash hash(const std::uint8_t* state) const { return hash_(state, size_); }
  /// Fetches the bucket for a hash; once that is there, candidate() fetches the state that it
  /// probably means. Null: there is none yet.
  void fetch(Hash hash) const { __builtin_prefetch(buckets() + position(hash)); }
  [[nodiscard]] const std::uint8_t* candidate(Hash hash) const {
    const StateNumber number_plus_one = likely(hash);
    return number_plus_one == 0 ? nullptr : (*this)[number_plus_one - 1];
  }
  /// The same, as the state's number + 1.
  [[nodiscard]] StateNumber likely(Hash hash) const {
    const Bucket& bucket = buckets()[position(hash)];
    const std::uint32_t same = bucket.with(hash);
    if (same == 0) return 0;
    const std::uint32_t number_plus_one = bucket.numbers_plus_one[std::countr_zero(same)];
    if (number_plus_one == 0) return 0;
    const std::uint8_t* state = (*this)[number_plus_one - 1];
    __builtin_prefetch(state);
    __builtin_prefetch(state + size_ - 1);
    return number_plus_one;
  }
  [[nodiscard]] bool is_equal(const std::uint8_t* a, const std::uint8_t* b) const {
    if (size_ < kBlock) return std::memcmp(a, b, size_) == 0;
    // Equal hashes mostly mean equal states, so it does not stop at the first difference.
    const std::size_t last = size_ - kBlock;
    Block differ = block(a + last) ^ block(b + last);
    for (std::size_t at = 0; at < last; at += kBlock)
      differ |= block(a + at) ^ block(b + at);
    return (differ[0] | differ[1]) == 0;
  }
  Inserted find_or_put(const std::uint8_t* state, Hash hash) {
    const Found found = place(state, hash);
    if (*found.number_plus_one != 0) return {*found.number_plus_one - 1, false};
    return {add(state, hash, found), true};
  }
  Inserted find_or_put(const std::uint8_t* state) { return find_or_put(state, hash(state)); }
  [[nodiscard, gnu::always_inline]] std::optional<StateNumber> find(const std::uint8_t* state,
                                                                    Hash hash) const {
    const std::uint32_t number_plus_one = *place(state, hash).number_plus_one;
    if (number_plus_one == 0) return std::nullopt;
    return number_plus_one - 1;
  }
  /// The same as number + 1, or 0: one register, where an optional passes through memory.
  [[nodiscard]] StateNumber find_plus_one(const std::uint8_t* state, Hash hash) const {
    return *place(state, hash).number_plus_one;
  }
  [[nodiscard]] bool contains(const std::uint8_t* state) const {
    return find(state, hash(state)).has_value();
  }

  [[nodiscard]] const std::uint8_t* operator[](StateNumber number) const {
    const std::uint64_t chunk = chunk_of(number);
    return chunks_[chunk] + (number - chunk * per_chunk_) * size_;
  }
  void copy(StateNumber number, std::uint8_t* to) const { copy((*this)[number], to); }
  [[nodiscard]] std::uint64_t size() const { return count_; }
  [[nodiscard]] std::uint64_t memory() const;

 private:
  struct alignas(64) Bucket {
    static constexpr std::size_t kEntries = 8;
    std::uint32_t hashes[kEntries];
    std::uint32_t numbers_plus_one[kEntries];  // the free ones, 0, are the last

    /// Bit i: action i has this hash; it may be free.
    [[nodiscard]] std::uint32_t with(Hash hash) const { return equal(hashes, hash); }
    /// Bit i: action i is free.
    [[nodiscard]] std::uint32_t free() const { return equal(numbers_plus_one, 0); }

   private:
    static std::uint32_t equal(const std::uint32_t* eight, std::uint32_t value) {
#ifdef __SSE2__
      const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
      const auto half = [&](const std::uint32_t* four) {
        const __m128i found = _mm_load_si128(reinterpret_cast<const __m128i*>(four));
        const __m128i same = _mm_cmpeq_epi32(found, wanted);
        return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(same)));
      };
      return half(eight) | half(eight + kEntries / 2) << kEntries / 2;
#else
      std::uint32_t bits = 0;
      for (std::size_t i = 0; i < kEntries; ++i)
        bits |= static_cast<std::uint32_t>(eight[i] == value) << i;
      return bits;
#endif
    }
  };
  /// The action of a state, or the free one where it belongs.
  struct Found {
    Hash* hash;
    std::uint32_t* number_plus_one;
  };
  [[nodiscard]] Bucket* buckets() const { return reinterpret_cast<Bucket*>(table_.data()); }
  [[nodiscard]] std::size_t position(Hash hash) const {
    return (std::uint64_t{hash} * 0x9E3779B97F4A7C15U) >> shift_;
  }
  [[nodiscard, gnu::always_inline]] Found place(const std::uint8_t* state, Hash hash) const {
    for (std::size_t at = position(hash);; at = (at + 1) & mask_) {
      Bucket& bucket = buckets()[at];
      const std::uint32_t free = bucket.free();
      for (std::uint32_t same = bucket.with(hash) & ~free; same != 0; same &= same - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(same));
        std::uint32_t& number_plus_one = bucket.numbers_plus_one[i];
        if (is_equal((*this)[number_plus_one - 1], state))
          return {&bucket.hashes[i], &number_plus_one};
      }
      if (free == 0) continue;
      const auto i = static_cast<std::size_t>(std::countr_zero(free));
      return {&bucket.hashes[i], &bucket.numbers_plus_one[i]};
    }
  }
  /// number / per_chunk_, by the multiplication that compilers make of a division by a constant.
  [[nodiscard]] std::uint64_t chunk_of(StateNumber number) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{inverse_} * number) >> 64);
  }
  // States are short: a call of memcmp or memcpy costs more than what it does. The last block may
  // overlap the one before.
  static constexpr std::size_t kBlock = 16;
  using Block [[gnu::vector_size(kBlock)]] = std::uint64_t;
  static Block block(const std::uint8_t* at) {
    Block result;
    std::memcpy(&result, at, kBlock);
    return result;
  }
  void copy(const std::uint8_t* from, std::uint8_t* to) const {
    if (size_ < kBlock) {
      std::memcpy(to, from, size_);
      return;
    }
    const std::size_t last = size_ - kBlock;
    for (std::size_t at = 0; at < last; at += kBlock)
      std::memcpy(to + at, from + at, kBlock);
    std::memcpy(to + last, from + last, kBlock);
  }
  StateNumber add(const std::uint8_t* state, Hash hash, Found free);
  void grow();
  void add_chunk();

  const MemoryBudget& budget_;
  std::size_t size_;
  Hash (*hash_)(const std::uint8_t* state, std::size_t size);
  std::uint64_t per_chunk_;
  std::uint64_t inverse_;  // ⌈2^64 / per_chunk_⌉
  std::uint32_t count_ = 0;
  std::uint8_t* next_ = nullptr;  // where the next state goes,
  std::uint64_t left_ = 0;        // and how many go behind it
  unsigned shift_;
  std::size_t mask_;  // number of buckets - 1
  Pages table_;
  std::vector<std::uint8_t*> chunks_;
  std::vector<Pages> pages_;                    // in which they lie
  std::vector<std::span<std::uint8_t>> spare_;  // where more of them can lie
};

}  // namespace cml::checker
