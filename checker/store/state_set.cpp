// Insertion and growth of the exact store.
#include "checker/store/state_set.h"

#include <algorithm>
#include <array>
#include <utility>

#define XXH_INLINE_ALL  // a state is hashed in fewer instructions than a call takes
#include <xxhash.h>

#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr unsigned kFirstBits = 9;  // of the number of buckets

Pages table_of(std::size_t bytes) {
  return {bytes, bytes < Pages::kHuge ? Pages::Size::Small : Pages::Size::Huge};
}

// For each size a function of its own, since a size that the compiler knows leaves half of the
// instructions. XXH3 has another algorithm for more than 128 bytes.
constexpr std::size_t kKnownSizes = 129;
using HashFunction = StateSet::Hash (*)(const std::uint8_t* state, std::size_t size);

template <std::size_t kSize>
[[gnu::flatten]] StateSet::Hash hash_of(const std::uint8_t* state, std::size_t size) {
  return static_cast<StateSet::Hash>(XXH3_64bits(state, kSize < kKnownSizes ? kSize : size) >> 16);
}

template <std::size_t... kSizes>
constexpr std::array<HashFunction, sizeof...(kSizes)> hashes(std::index_sequence<kSizes...>) {
  return {&hash_of<kSizes>...};
}
constexpr auto kHashes = hashes(std::make_index_sequence<kKnownSizes + 1>());

}  // namespace

// A chunk is a huge page, but for the first, so that a small search touches little. Two states in
// it, at least, keep the inverse below 2^64.
StateSet::StateSet(std::size_t size, const MemoryBudget& budget)
    : budget_(budget),
      size_(std::max<std::size_t>(size, 1)),
      hash_(kHashes[std::min(size_, kKnownSizes)]),
      per_chunk_(std::max<std::size_t>(Pages::kHuge / size_, 2)),
      inverse_(UINT64_MAX / per_chunk_ + 1),
      shift_(64 - kFirstBits),
      mask_((std::size_t{1} << kFirstBits) - 1),
      table_(table_of((mask_ + 1) * sizeof(Bucket))) {}

StateNumber StateSet::add(const std::uint8_t* state, Hash hash, Found free) {
  if (left_ == 0) [[unlikely]]
    add_chunk();
  const StateNumber number = count_++;
  *free.hash = hash;
  *free.number_plus_one = number + 1;
  copy(state, next_);
  next_ += size_;
  --left_;
  if (std::uint64_t{count_} * 4 > (mask_ + 1) * Bucket::kEntries * 3) grow();
  return number;
}

void StateSet::add_chunk() {
  const std::size_t bytes = per_chunk_ * size_;
  const auto room = std::find_if(spare_.begin(), spare_.end(),
                                 [bytes](const auto& spare) { return spare.size() >= bytes; });
  if (room == spare_.end()) {
    pages_.emplace_back(bytes, pages_.empty() ? Pages::Size::Small : Pages::Size::Huge);
    chunks_.push_back(pages_.back().data());
  } else {
    chunks_.push_back(room->data());
    *room = room->subspan(bytes);
  }
  next_ = chunks_.back();
  left_ = per_chunk_;
}

void StateSet::grow() {
  const std::size_t size = mask_ + 1;
  budget_.ask(2 * size * sizeof(Bucket));  // the old one stays
  Pages old = std::exchange(table_, table_of(2 * size * sizeof(Bucket)));
  --shift_;
  mask_ = 2 * size - 1;
  const auto* const first = reinterpret_cast<const Bucket*>(old.data());
  const std::size_t moved = CML_MUTATED("a-grown-table-forgets-its-last-bucket", size, size - 1);
  for (const Bucket* bucket = first; bucket != first + moved; ++bucket) {
    for (std::size_t i = 0; i < Bucket::kEntries && bucket->numbers_plus_one[i] != 0; ++i) {
      std::size_t at = position(bucket->hashes[i]);
      std::size_t to = 0;
      while (buckets()[at].numbers_plus_one[to] != 0) {
        if (++to < Bucket::kEntries) continue;
        to = 0;
        at = (at + 1) & mask_;
      }
      buckets()[at].hashes[to] = bucket->hashes[i];
      buckets()[at].numbers_plus_one[to] = bucket->numbers_plus_one[i];
    }
  }
  if (old.bytes() < Pages::kHuge) return;
  spare_.emplace_back(old.data(), old.bytes());
  pages_.push_back(std::move(old));
}

std::uint64_t StateSet::memory() const {
  std::uint64_t result = table_.bytes() + std::uint64_t{count_} * size_;
  for (const auto& spare : spare_)
    result += spare.size();
  return result;
}

}  // namespace cml::checker
