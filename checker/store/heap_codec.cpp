#include "checker/store/heap_codec.h"

#include <algorithm>
#include <cstring>

#include "support/mutation.h"

namespace cml::checker {

HeapCodec::HeapCodec(const ir::System& system, const ir::Layout& layout, std::size_t bytes,
                     const KeptCandidates& kept, bool packed)
    : bytes_(bytes),
      step_bytes_(layout.size()),
      heap_(system, layout),
      set_bytes_(kept.lock_bytes),
      all_(kept.lock_bytes, 0),
      none_(kept.lock_bytes, 0),
      canonical_(bytes + 2 * sizeof(std::uint64_t), 0) {
  const std::vector<ir::ObjectId>& locks = layout.locks();
  for (std::size_t number = 0; number < locks.size(); ++number) {
    if (number / 8 < all_.size()) all_[number / 8] |= static_cast<std::uint8_t>(1U << (number % 8));
    const ir::Object& lock = system.objects[locks[number]];
    LockOfHeap of_heap;
    if (lock.owner.valid()) {
      const ir::Group& group = system.groups[lock.group];
      const std::uint32_t each = group.count / system.classes[lock.owner].places;
      of_heap.of = lock.owner;
      of_heap.place = lock.position;
      of_heap.first = static_cast<std::uint32_t>(number) - lock.position * each;
      of_heap.stride = each;
    }
    locks_.push_back(of_heap);
  }
  // The same fields are kept of all objects of a class.
  IdVector<ir::ObjectId, std::size_t> offsets(system.objects.size(), 0);
  for (const auto& [id, offset] : kept.objects)
    offsets[id] = offset;
  for (const auto& [id, offset] : kept.objects) {
    const ir::Object& object = system.objects[id];
    sets_.push_back(step_bytes_ + offset + 1);
    if (!object.owner.valid() || object.position != 0) continue;
    const ir::Group& group = system.groups[object.group];
    const std::uint32_t each = group.count / system.classes[object.owner].places;
    if (system.classes[object.owner].places == 1) continue;
    const std::size_t next = offsets[ir::ObjectId(id.index + each)];
    moved_.push_back(
        {object.owner,
         {static_cast<std::uint32_t>(step_bytes_ + offset),
          static_cast<std::uint32_t>(1 + set_bytes_), static_cast<std::uint32_t>(next - offset)}});
  }
  if (packed) packing_.emplace(system, layout, bytes);
}

const std::uint8_t* HeapCodec::encode(const std::uint8_t* working, std::uint8_t* to) {
  std::uint8_t* const canonical = packing_ ? canonical_.data() : to;
  heap_.number(working);
  heap_.rename(working, canonical);
  std::memcpy(canonical + step_bytes_, working + step_bytes_, bytes_ - step_bytes_);
  rename_candidates(working, canonical);
  if (packing_) (void)packing_->encode(canonical, to);
  return to;
}

void HeapCodec::decode(const std::uint8_t* stored, std::uint8_t* working) {
  if (packing_)
    packing_->decode(stored, working);
  else
    std::memcpy(working, stored, bytes_);
}

void HeapCodec::rename_candidates(const std::uint8_t* from, std::uint8_t* to) {
  if (CML_MUTATION("candidates-stay-where-the-object-was")) return;
  for (const Moved& moved : moved_)
    heap_.move(moved.of, moved.bytes, from, to);
  for (const std::size_t set : sets_)
    rename_locks(to + set);
}

void HeapCodec::rename_locks(std::uint8_t* set) {
  if (std::equal(all_.begin(), all_.end(), set)) return;
  std::fill(none_.begin(), none_.end(), 0);
  for (std::size_t byte = 0; byte < set_bytes_; ++byte)
    for (unsigned left = set[byte], bit = 0; left != 0; left >>= 1, ++bit) {
      if ((left & 1) == 0) continue;
      auto number = static_cast<std::uint32_t>(byte * 8 + bit);
      const LockOfHeap& lock = locks_[number];
      if (lock.of.valid()) {
        const std::uint32_t place = heap_.number_of(lock.of, lock.place);
        if (place == 0) continue;
        number =
            lock.first + place * lock.stride + (number - lock.first) % std::max(lock.stride, 1U);
      }
      none_[number / 8] |= static_cast<std::uint8_t>(1U << (number % 8));
    }
  std::memcpy(set, none_.data(), set_bytes_);
}

}  // namespace cml::checker
