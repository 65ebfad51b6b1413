// Insertion and growth of the exact store.
#include "checker/store.h"

#include <algorithm>
#include <cstring>
#include <xxhash.h>

namespace cml::checker {
namespace {

constexpr unsigned kFirstBits = 12;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

}  // namespace

StateStore::StateStore(std::size_t size)
    : size_(std::max<std::size_t>(size, 1)),
      per_chunk_(static_cast<std::uint32_t>(std::max<std::size_t>(kChunkBytes / size_, 1))),
      shift_(64 - kFirstBits),
      table_(std::size_t{1} << kFirstBits) {}

StateStore::Hash StateStore::hash(const std::uint8_t* state) const {
  return static_cast<Hash>(XXH3_64bits(state, size_) >> 16);
}

void StateStore::fetch_state(Hash hash) const {
  const Slot& slot = table_[position(hash)];
  if (slot.number_plus_one == 0 || slot.hash != hash) return;
  const std::uint8_t* state = (*this)[slot.number_plus_one - 1];
  __builtin_prefetch(state);
  __builtin_prefetch(state + size_ - 1);
}

StateStore::Inserted StateStore::insert(const std::uint8_t* state, Hash hash) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = position(hash);
  for (; table_[at].number_plus_one != 0; at = (at + 1) & mask) {
    const StateNumber number = table_[at].number_plus_one - 1;
    if (table_[at].hash == hash && std::memcmp((*this)[number], state, size_) == 0)
      return {number, false};
  }
  const StateNumber number = count_++;
  table_[at] = {hash, number + 1};
  if (number / per_chunk_ == chunks_.size())
    chunks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(per_chunk_ * size_));
  std::memcpy(chunks_.back().get() + std::size_t{number % per_chunk_} * size_, state, size_);
  if (std::uint64_t{count_} * 4 > std::uint64_t{table_.size()} * 3) grow();
  return {number, true};
}

bool StateStore::contains(const std::uint8_t* state) const {
  const Hash hash = this->hash(state);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = position(hash); table_[at].number_plus_one != 0; at = (at + 1) & mask)
    if (table_[at].hash == hash &&
        std::memcmp((*this)[table_[at].number_plus_one - 1], state, size_) == 0)
      return true;
  return false;
}

void StateStore::grow() {
  --shift_;
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number_plus_one == 0) continue;
    std::size_t at = position(slot.hash);
    while (table_[at].number_plus_one != 0)
      at = (at + 1) & mask;
    table_[at] = slot;
  }
}

std::uint64_t StateStore::memory() const {
  return table_.size() * sizeof(Slot) + chunks_.size() * per_chunk_ * size_;
}

}  // namespace cml::checker
