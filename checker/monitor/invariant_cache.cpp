// Which bytes an invariant reads, and the cache of their values.
#include "checker/monitor/invariant_cache.h"

#include <algorithm>
#include <cstring>

#include "ir/describe.h"
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
  for (const ir::Instruction& instruction : code.instructions) {
    if (!ir::is_operation(instruction.opcode())) continue;
    is_closed_ = is_closed_ && ir::only_looks(instruction);
    ir::for_each_place(instruction, [&](const ir::Place& place, ir::Effects effects) {
      ir::for_each_object(place, [&](ir::ObjectId id) {
        const ir::ObjectFields& object = layout.object(id);
        // Of a lock, who owns it.
        const bool is_lock = ir::uses(effects).contains(ir::Use::Look);
        const auto end = is_lock ? object.fields.begin() + 1 : object.fields.end();
        fields.insert(fields.end(), object.fields.begin(), end);
        if (object.init) fields.push_back(*object.init);
      });
    });
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
