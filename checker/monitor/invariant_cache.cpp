// Which bytes an invariant reads, and the cache of their values.
#include "checker/monitor/invariant_cache.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "ir/analysis/visibility.h"
#include "support/mutation.h"

namespace cml::checker {
namespace {

constexpr std::size_t kPlaces = 1024;

std::uint64_t hash(const std::vector<std::uint8_t>& bytes) {  // FNV-1a
  std::uint64_t result = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes)
    result = (result ^ byte) * 0x100000001b3;
  return result ^ (result >> 32);
}

}  // namespace

InvariantCache::InvariantCache(const ir::Layout& layout, const ir::Code& code) {
  std::vector<ir::Field> fields;
  const auto reads = [&](const ir::Place& place) {
    ir::for_each_object(place, [&](ir::ObjectId id) {
      const ir::ObjectFields& object = layout.object(id);
      fields.insert(fields.end(), object.fields.begin(), object.fields.end());
      if (object.init) fields.push_back(*object.init);
    });
  };
  for (const ir::Instruction& instruction : code.instructions) {
    if (const auto* read = std::get_if<ir::Read>(&instruction.node)) {
      reads(read->place);
    } else if (const auto* size = std::get_if<ir::Size>(&instruction.node)) {
      reads(size->channel);
    } else if (const auto* owner = std::get_if<ir::Owner>(&instruction.node)) {
      ir::for_each_object(owner->lock,
                          [&](ir::ObjectId id) { fields.push_back(layout.object(id).fields[0]); });
    } else {
      is_closed_ = is_closed_ && !ir::is_operation(instruction.opcode());
    }
  }
  std::ranges::sort(fields, {}, &ir::Field::offset);
  for (const ir::Field& field : fields) {
    if (field.width == 0) continue;  // it has one value
    const std::uint32_t end = field.offset + field.width;
    if (read_.empty() || read_.back().offset + read_.back().size < field.offset) {
      read_.push_back({field.offset, field.width});
    } else {
      Bytes& last = read_.back();
      last.size = std::max(last.offset + last.size, end) - last.offset;
    }
  }
  for (const Bytes& bytes : read_)
    size_ += bytes.size;
  is_closed_ = is_closed_ && size_ < layout.size();
  if (!is_closed_) return;
  key_.resize(size_);
  places_.resize(kPlaces * (size_ + 1));
}

bool InvariantCache::is_new(const std::uint8_t* state) {
  if (!is_closed_) return true;
  std::uint8_t* to = key_.data();
  for (const Bytes& bytes : read_) {
    const std::size_t size = CML_MUTATED("invariants-by-the-first-byte-they-read", bytes.size, 1);
    std::memcpy(to, state + bytes.offset, size);
    to += bytes.size;
  }
  std::uint8_t* place = places_.data() + hash(key_) % kPlaces * (size_ + 1);
  if (*place != 0 && std::equal(key_.begin(), key_.end(), place + 1)) return false;
  *place = 1;
  std::copy(key_.begin(), key_.end(), place + 1);
  return true;
}

}  // namespace cml::checker
