// The working state: one block of bytes with fixed offsets, which only `Step` touches.
//
//     all threads   thread 0                 thread 1 …   objects, in the order of the System
//   ┌─────────────┬──────┬───────┬────────┬──────────…──┬────────────────────────────…─┐
//   │ locations   │ wait │ depth │ slots… │             │ fields of object 0, 1, 2 …   │
//   └─────────────┴──────┴───────┴────────┴──────────…──┴────────────────────────────…─┘
//                   └ only threads that wait
//
// The locations lie together, since they are what reductions look at in each state.
//
//   Shared     word, and its initialisation status if it is `init by` (virgin, open, initialised)
//   Atomic     word…
//   Lock       owner (0: nobody, else 1 + thread), depth (how often the owner took it)
//   Condition  nothing
//   Semaphore  value
//   Channel    count, plus `capacity` + 1 if it is closed; then `capacity` elements of `words`
//              each, the oldest first; unused ones are 0
//   Life       the location of its thread, which is also there; what it is spawned with, until it
//              has begun, else 0
//   Instance   where its class is claimed: 0, 1 + the thread that alone may use it, or one more
//              than the last thread, which says that the first one that comes may
//
// Shared fields of a class have one thing more: 0, or 1 + the thread in whose initialisation window
// the object is (heap.h); and so has a thread that allocates: whether it has a window.
//
// A field takes 1, 2 or 4 bytes, the fewest that hold its range, and stores its value minus the low
// end of the range, little-endian and unaligned; one that can have a single value takes none.
// Ranges are what is known, not what is declared: the values that a slot can get (value_ranges.h),
// the initial value of an object that no thread changes, and for a lock that no thread takes twice
// (held_locks.h) the depth 1, which has a meaning only while the lock is owned. Two states are
// equal iff their bytes are: what has no meaning any more (the slots of a thread that has ended,
// the depth of a free lock) is kept at a fixed value. In a model without heap and spawning the
// stored state has the same content as the working state.
//
// The waiter's lock, and its condition, are not stored: a waiting thread is at its `Rewait`, or the
// `TimeOut` before that, whose places name them.
//
// Cost: a load or store is a copy of at most four bytes and an addition. Immutable once built.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/system.h"

namespace cml::ir {

/// A number in [lo, hi] at a fixed place of the state.
struct Field {
  std::uint32_t offset = 0;
  std::uint8_t width = 1;  // 0, 1, 2 or 4 bytes
  std::int32_t lo = 0;
  std::int32_t hi = 0;

  [[nodiscard]] std::int32_t load(const std::uint8_t* state) const {
    std::uint32_t raw = 0;
    switch (width) {
      case 0:
        break;
      case 1:
        raw = state[offset];
        break;
      case 2: {
        std::uint16_t half = 0;
        std::memcpy(&half, state + offset, sizeof half);
        raw = half;
        break;
      }
      default:
        std::memcpy(&raw, state + offset, sizeof raw);
    }
    return static_cast<std::int32_t>(raw + static_cast<std::uint32_t>(lo));
  }
  void store(std::uint8_t* state, std::int32_t value) const {
    const std::uint32_t raw = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(lo);
    switch (width) {
      case 0:
        break;
      case 1:
        state[offset] = static_cast<std::uint8_t>(raw);
        break;
      case 2: {
        const auto half = static_cast<std::uint16_t>(raw);
        std::memcpy(state + offset, &half, sizeof half);
        break;
      }
      default:
        std::memcpy(state + offset, &raw, sizeof raw);
    }
  }
  [[nodiscard]] bool holds(std::int32_t value) const { return lo <= value && value <= hi; }
};

enum class WaitStatus : std::uint8_t { None, Waiting, Notified };
enum class InitStatus : std::uint8_t { Virgin, Open, Initialised };

/// The largest depth of a lock, and that a waiter remembers; more is a limit of the tool.
inline constexpr std::int32_t kMaxLockDepth = 255;

struct ThreadFields {
  Field location;
  std::optional<Field> wait;   // WaitStatus
  std::optional<Field> depth;  // remembered while waiting; else 0
  std::optional<Field> opens;  // of one that allocates: 1 while it has an open window
  std::vector<Field> slots;
};

struct ObjectFields {
  // Shared, Atomic: the words. Lock: owner, depth. Semaphore: value. Channel: count, then the
  // elements. Life: the location, then the arguments.
  std::vector<Field> fields;
  std::optional<Field> init;    // InitStatus, of `init by` objects
  std::optional<Field> window;  // of shared fields: 0, or 1 + the thread that initialises them
};

/// What the first field of a channel says. A receive can go unless it is 0, a send unless it is the
/// capacity: where the channel is closed, both can.
struct ChannelContent {
  std::int32_t count = 0;
  bool is_closed = false;
};
[[nodiscard]] constexpr ChannelContent channel_content(std::uint32_t capacity, std::int32_t field) {
  const auto room = static_cast<std::int32_t>(capacity);
  return field > room ? ChannelContent{field - room - 1, true} : ChannelContent{field, false};
}
[[nodiscard]] inline ChannelContent channel_content(const Object& object, std::int32_t field) {
  return channel_content(object.capacity, field);
}

class Layout {
 public:
  /// Nothing is known but the types.
  explicit Layout(const System& system) : Layout(system, nullptr) {}
  explicit Layout(const Analyses& analyses) : Layout(analyses.system(), &analyses) {}

  /// Bytes of a state.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t threads() const { return threads_.size(); }
  [[nodiscard]] const ThreadFields& thread(ThreadId id) const { return threads_[id]; }
  [[nodiscard]] const ObjectFields& object(ObjectId id) const { return objects_[id]; }

  /// Makes the state in which objects have their initial values and no thread has begun: locations
  /// are those of Pc 0, if it has one.
  void initial(const System& system, std::uint8_t* state) const;

  [[nodiscard]] Location location(const std::uint8_t* state, ThreadId id) const {
    return static_cast<Location>(locations_[id].load(state));
  }

  // Locks. The owner is invalid if the lock is free.
  [[nodiscard]] ThreadId owner(const std::uint8_t* state, ObjectId lock) const {
    const std::int32_t raw = owners_[lock_numbers_[lock]].load(state);
    return raw == 0 ? ThreadId() : ThreadId(static_cast<std::uint32_t>(raw - 1));
  }
  /// The depth of a lock that is owned.
  [[nodiscard]] std::int32_t lock_depth(const std::uint8_t* state, ObjectId lock) const {
    return objects_[lock].fields[1].load(state);
  }
  void set_owner(std::uint8_t* state, ObjectId lock, ThreadId owner, std::int32_t depth) const {
    objects_[lock].fields[0].store(state, static_cast<std::int32_t>(owner.index + 1));
    objects_[lock].fields[1].store(state, depth);
  }
  void set_free(std::uint8_t* state, ObjectId lock) const {
    objects_[lock].fields[0].store(state, 0);
    objects_[lock].fields[1].store(state, 0);
  }

  [[nodiscard]] WaitStatus wait_status(const std::uint8_t* state, ThreadId id) const {
    const auto& field = threads_[id].wait;
    return field ? static_cast<WaitStatus>(field->load(state)) : WaitStatus::None;
  }

  /// All locks, and the number of each among them: the bit that stands for it in a set of locks.
  [[nodiscard]] const std::vector<ObjectId>& locks() const { return locks_; }
  [[nodiscard]] std::uint32_t lock_number(ObjectId lock) const { return lock_numbers_[lock]; }
  [[nodiscard]] std::size_t lock_set_words() const { return (locks_.size() + 63) / 64; }
  /// Sets the bits of the locks that the thread owns; `set` has lock_set_words() words.
  void held(const std::uint8_t* state, ThreadId id, std::uint64_t* set) const;
  /// What the locks of a set protect against, as far as a read or a write is concerned: one that is
  /// held for reading counts for reads, as if it were held.
  void protecting(const std::uint64_t* held, bool writes, std::uint64_t* out) const;
  [[nodiscard]] bool has_read_locks() const { return !readers_.empty(); }
  /// Owns it, or at least for reading.
  [[nodiscard]] bool owns_for(const std::uint8_t* state, ThreadId thread, ObjectId lock,
                              bool writes) const;
  /// Appends the locks of a set, ascending.
  void add_locks(const std::uint64_t* set, std::vector<ObjectId>& out) const;

 private:
  Layout(const System& system, const Analyses* analyses);

  std::size_t size_ = 0;
  IdVector<ThreadId, ThreadFields> threads_;
  IdVector<ObjectId, ObjectFields> objects_;
  std::vector<ObjectId> locks_;
  IdVector<ObjectId, std::uint32_t> lock_numbers_;
  // Copies of the fields that are used most.
  IdVector<ThreadId, Field> locations_;
  std::vector<Field> owners_;  // by lock number
  struct Reader {
    std::uint32_t lock = 0;  // the numbers of what is owned for reading, and of the lock itself
    std::uint32_t of = 0;
  };
  std::vector<Reader> readers_;
};

// ---- values for people -------------------------------------------------------------------------

/// A word as the model writes it: `true`, `red`, `42`.
[[nodiscard]] std::string word_text(const System& system, const WordType& type, std::int32_t value);
/// How the values of an object are written (value_text.h).
[[nodiscard]] std::string pattern_of(const System& system, const Object& object);
/// An object's value: `3`, `(1, red)`, `Philosopher[0]` or `free`, `Main (2 deep)`, `[1, 2]`.
[[nodiscard]] std::string object_text(const System& system, const Layout& layout,
                                      const std::uint8_t* state, ObjectId object);

}  // namespace cml::ir
