// The heap in a state: which objects can be reached, which places are free, and the canonical form.
//
//   slots of threads, objects       ─┐                       places of Node        stored
//   that are no fields, arguments,   ├─▶ 3 ─next─▶ 1          1 │ b │ ◀─ second     1 │ a │
//   elements of channels            ─┘                        2 │ - │    garbage    2 │ b │
//                                                             3 │ a │ ◀─ first      3 │ - │
//
// What can be reached is visited breadth-first from the roots, in the order in which they stand in
// the state, and each object gets the next number of its class. Two states that differ in the
// places of their objects, or in garbage, alone are the same once objects are at the places of
// their numbers and all other places are like place 0: that is the canonical form (Iosif, "Symmetry
// reductions for model checking of concurrent dynamic software", 2004, calls it so, too).
//
// An object with a lock that a thread owns is kept, even if nothing refers to it.
//
// Cost: linear in the references of what can be reached, and in the bytes of all places. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/system.h"

namespace cml::ir {

class Heap {
 public:
  /// Both must outlive it.
  Heap(const System& system, const Layout& layout);

  /// There are no classes.
  [[nodiscard]] bool is_empty() const { return classes_.empty(); }

  /// Takes a free place for an object of the class: its number, or 0 if there is none. The window
  /// of its initialisation by the thread begins. Places that cannot be reached become like place 0.
  /// `held`: references that are not in the state.
  struct Held {
    ClassId to;
    std::int32_t place = 0;
  };
  std::uint32_t allocate(std::uint8_t* state, ClassId of, ThreadId thread,
                         std::span<const Held> held = {});
  /// Places that cannot be reached become like place 0, so what garbage refers to is gone, too.
  void collect(std::uint8_t* state, std::span<const Held> held = {});
  /// Ends the windows of a thread.
  void close_windows(std::uint8_t* state, ThreadId thread) const;

  /// Numbers all that can be reached; the rest has the number 0.
  void number(const std::uint8_t* state, std::span<const Held> held = {});
  [[nodiscard]] std::uint32_t number_of(ClassId of, std::uint32_t place) const {
    return numbers_[classes_[of].first + place];
  }
  /// The canonical form of a state; `number` has numbered it.
  void rename(const std::uint8_t* from, std::uint8_t* to) const;

  /// Bytes that belong to each place: those of place i begin at offset + i × stride.
  struct Bytes {
    std::uint32_t offset = 0;
    std::uint32_t count = 0;
    std::uint32_t stride = 0;
  };
  /// Moves the bytes of each place to the place of its number; all other places become like
  /// place 0.
  void move(ClassId of, const Bytes& bytes, const std::uint8_t* from, std::uint8_t* to) const;

 private:
  struct Reference {
    Field field;  // of a root; or of place 0
    std::uint32_t stride = 0;
    ClassId to;
  };
  struct Owner {  // of a lock
    Field field;
    std::uint32_t stride = 0;
  };
  struct Places {
    std::uint32_t count = 1;
    std::uint32_t first = 0;  // in numbers_
    std::vector<Bytes> bytes;
    std::vector<Reference> references;
    std::vector<Owner> owners;
    std::vector<Owner> windows;
  };
  struct Visited {
    ClassId of;
    std::uint32_t place = 0;
  };

  void add_roots(const System& system, const Layout& layout);
  void add_field(const System& system, const Layout& layout, const Group& group, Places& places);
  [[nodiscard]] static Field at(const Field& field, std::uint32_t stride, std::uint32_t place) {
    Field result = field;
    result.offset += stride * place;
    return result;
  }
  void visit(ClassId of, std::int32_t place);
  /// Whether an object at one of the used places is in a window of the thread with this number.
  [[nodiscard]] bool has_window(const std::uint8_t* state, std::int32_t mine) const;

  const Layout& layout_;
  std::vector<Reference> roots_;
  IdVector<ClassId, Places> classes_;
  std::vector<std::pair<ThreadId, Field>> opens_;  // of the threads that allocate
  std::vector<std::uint32_t> numbers_;
  IdVector<ClassId, std::uint32_t> used_;  // the last number
  std::vector<Visited> queue_;
};

}  // namespace cml::ir
