// HeapCodec: a stored state with its heap in canonical form (ir/exec/heap.h), so that states which
// differ in the places of their objects, or in garbage, are one.
//
//   working   │ slots, objects │ places of each class      │ candidates of each object       │
//             │  n = 3         │ 1: garbage  2: b   3: a   │ of 3.next: { locks 3.m, table } │
//   stored    │  n = 1         │ 1: a        2: b   3: -   │ of 1.next: { locks 1.m, table } │
//
// What a monitor keeps with an object moves with it, and the members of its sets are renumbered;
// those of objects that are gone are dropped, as nobody can use them any more.
//
// Then the bits are packed, if that is asked for. Cost: that of Heap, and a look at each set. Not
// thread-safe: one per worker.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/kept_sets.h"
#include "checker/store/packing_codec.h"
#include "checker/store/state_codec.h"
#include "ir/exec/heap.h"
#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

class HeapCodec {
 public:
  /// `bytes`: of a working state that count. `packed`: stored as bits.
  HeapCodec(const ir::System& system, const ir::Layout& layout, std::size_t bytes,
            const KeptSets& kept, bool packed);

  static constexpr bool kIsIdentity = false;
  [[nodiscard]] std::size_t size() const { return packing_ ? packing_->size() : bytes_; }
  [[nodiscard]] std::size_t room() const { return packing_ ? packing_->room() : bytes_; }
  [[nodiscard]] const std::uint8_t* encode(const std::uint8_t* working, std::uint8_t* to);
  void decode(const std::uint8_t* stored, std::uint8_t* working);

 private:
  void add_members(const ir::System& system, const std::vector<ir::ObjectId>& members);
  void rename_kept(const std::uint8_t* from, std::uint8_t* to);
  void rename_members(std::uint8_t* set);

  struct Member {
    ir::ClassId of;           // invalid: of no object of the heap
    std::uint32_t place = 0;  // of its object
    std::uint32_t first = 0;  // the number of the same at place 0
    std::uint32_t stride = 0;
  };
  struct Moved {
    ir::ClassId of;
    ir::Heap::Bytes bytes;
  };

  std::size_t bytes_;
  std::size_t step_bytes_;
  ir::Heap heap_;
  std::vector<Member> members_;    // by number
  std::vector<Moved> moved_;       // what is kept with fields
  std::vector<std::size_t> sets_;  // where they begin
  std::size_t set_bytes_;
  std::vector<std::uint8_t> all_;   // the set of all: before the first access
  std::vector<std::uint8_t> none_;  // scratch
  std::vector<std::uint8_t> canonical_;
  std::optional<PackingCodec> packing_;
};
static_assert(StateCodec<HeapCodec>);

}  // namespace cml::checker
