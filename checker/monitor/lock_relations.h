// How the locks that protect a shared object are related to it, where no lock protects all objects
// of its class.
//
//   candidates of 3.next  { 1.m }          the m of one List
//   candidates of 5.next  { 2.m, 5.mine }  the m of one List, its own mine
//                                          ─────────────────
//   of every Node's next                   the m of one List
//
// A relation is a declaration of locks, and whether the lock belongs to the object itself. What
// holds for an object in a state is read off its candidates; what holds for all objects, in all
// states, is the intersection. Nothing is guessed: each object has one lock of that declaration
// which was held at all of its accesses.
//
// Cost: linear in the locks of the set. Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::checker {

class LockRelations {
 public:
  /// `system` must outlive it.
  LockRelations(const ir::System& system, const ir::Layout& layout);

  /// Words of a set of relations.
  [[nodiscard]] std::size_t words() const { return (2 * groups_.size() + 63) / 64; }
  /// Adds those that some lock of the set (a bit for each, in bytes) has to the object.
  void add(const std::uint8_t* locks, std::size_t bytes, const ir::Object& object,
           std::uint64_t* to) const;
  /// "the m of one List", "its own mine", "one of fork[0..3]".
  [[nodiscard]] std::vector<std::string> texts(const std::uint64_t* relations) const;

 private:
  struct Lock {
    std::uint32_t group = 0;  // in groups_
    ir::ClassId of;           // invalid: no lock of the heap
    std::uint32_t place = 0;
  };

  const ir::System& system_;
  std::vector<Lock> locks_;  // by lock number
  std::vector<ir::GroupId> groups_;
};

/// A lock of this declaration, of some object: "the m of one List", "one of fork[0..3]".
[[nodiscard]] std::string one_lock_of(const ir::System& system, ir::GroupId group);

}  // namespace cml::checker
