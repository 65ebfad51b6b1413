#include "checker/store/heap_codec.h"

#include <algorithm>
#include <cstring>

#include "support/mutation.h"

namespace cml::checker {

HeapCodec::HeapCodec(const ir::System& system, const ir::Layout& layout, std::size_t bytes,
                     const KeptSets& kept, bool packed)
    : bytes_(bytes),
      step_bytes_(layout.size()),
      heap_(system, layout),
      set_bytes_(kept.set_bytes),
      all_(kept.set_bytes, 0),
      none_(kept.set_bytes, 0),
      canonical_(bytes + 2 * sizeof(std::uint64_t), 0) {
  add_members(system, kept.members);
  for (const std::size_t set : kept.sets)
    sets_.push_back(step_bytes_ + set);
  // The same fields are kept of all objects of a class.
  IdVector<ir::ObjectId, std::size_t> begins(system.objects.size(), 0);
  for (const KeptSets::Part& part : kept.parts)
    begins[part.object] = part.begin;
  for (const KeptSets::Part& part : kept.parts) {
    const ir::Object& object = system.objects[part.object];
    if (!object.owner.valid() || object.position != 0) continue;
    if (system.classes[object.owner].places == 1) continue;
    const ir::Group& group = system.groups[object.group];
    const std::uint32_t each = group.count / system.classes[object.owner].places;
    const std::size_t next = begins[ir::ObjectId(part.object.index + each)];
    moved_.push_back(
        {object.owner,
         {static_cast<std::uint32_t>(step_bytes_ + part.begin),
          static_cast<std::uint32_t>(part.bytes), static_cast<std::uint32_t>(next - part.begin)}});
  }
  if (packed) packing_.emplace(system, layout, bytes);
}

// The members of one declaration are consecutive, and as many for each place.
void HeapCodec::add_members(const ir::System& system, const std::vector<ir::ObjectId>& members) {
  IdVector<ir::GroupId, std::uint32_t> of_group(system.groups.size(), 0);
  for (const ir::ObjectId member : members)
    if (member.valid()) ++of_group[system.objects[member].group];
  for (std::uint32_t number = 0; number < members.size(); ++number) {
    all_[number / 8] |= static_cast<std::uint8_t>(1U << (number % 8));
    Member& member = members_.emplace_back();
    if (!members[number].valid()) continue;
    const ir::Object& object = system.objects[members[number]];
    if (!object.owner.valid()) continue;
    member.of = object.owner;
    member.place = object.position;
    member.stride = of_group[object.group] / system.classes[object.owner].places;
    member.first = number - object.position * member.stride;
  }
}

const std::uint8_t* HeapCodec::encode(const std::uint8_t* working, std::uint8_t* to) {
  std::uint8_t* const canonical = packing_ ? canonical_.data() : to;
  heap_.number(working);
  heap_.rename(working, canonical);
  std::memcpy(canonical + step_bytes_, working + step_bytes_, bytes_ - step_bytes_);
  rename_kept(working, canonical);
  if (packing_) (void)packing_->encode(canonical, to);
  return to;
}

void HeapCodec::decode(const std::uint8_t* stored, std::uint8_t* working) {
  if (packing_)
    packing_->decode(stored, working);
  else
    std::memcpy(working, stored, bytes_);
}

void HeapCodec::rename_kept(const std::uint8_t* from, std::uint8_t* to) {
  if (CML_MUTATION("candidates-stay-where-the-object-was")) return;
  for (const Moved& moved : moved_)
    heap_.move(moved.of, moved.bytes, from, to);
  for (const std::size_t set : sets_)
    rename_members(to + set);
}

void HeapCodec::rename_members(std::uint8_t* set) {
  if (std::equal(all_.begin(), all_.end(), set)) return;
  std::fill(none_.begin(), none_.end(), 0);
  for (std::size_t byte = 0; byte < set_bytes_; ++byte)
    for (unsigned left = set[byte], bit = 0; left != 0; left >>= 1, ++bit) {
      if ((left & 1) == 0) continue;
      auto number = static_cast<std::uint32_t>(byte * 8 + bit);
      const Member& member = members_[number];
      if (member.of.valid()) {
        const std::uint32_t place = heap_.number_of(member.of, member.place);
        if (place == 0) continue;
        number = member.first + place * member.stride;
      }
      none_[number / 8] |= static_cast<std::uint8_t>(1U << (number % 8));
    }
  std::memcpy(set, none_.data(), set_bytes_);
}

}  // namespace cml::checker
