// A cache of micro-transitions that were executed before: nearly all of them do little that depends
// on little. A transition whose dependencies (location_dependencies.h) are a few small fields is
// executed once for each combination of their values; from then on it is a copy of the state
// through a mask. LTSmin's pins2pins-cache caches transitions by their dependencies, too.
//
//   keys of a thread's location         index: a place for each       cached effect
//   ┌────────────────────────┐          combination                   ┌──────────────────────┐
//   │ where the fields lie,  │ ──v,w──▶ ┌───┬───┬───┬───┐ ──────────▶ │ up to four blocks of  │
//   │ which values they have │          │ 7 │ · │ 9 │ – │             │ 16 bytes: keep, set   │
//   └────────────────────────┘          └───┴───┴───┴───┘             └──────────────────────┘
//        after = (before & keep) | set        · not yet, – never
//
// No branch depends on what the thread does, and every store is as wide as the loads that follow
// it.
//
// How an effect is found: the transition was executed (`before`, `after`). It is executed again in
// a state in which every field that it may change has another value, except those that it depends
// on (`perturb`). A field that has the same value after both executions was written; one that has
// the value it had before each was not. Any other outcome, or a change of another byte, means that
// the dependencies are wrong for this transition: then nothing is inserted. So the code is the only
// description of what a transition does.
//
// Only transitions with an empty record are cached: those that made no new observation
// (ir/exec/observations.h), and will make none again.
//
// Cost: 144 bytes for each location and combination of values that occurs, up to a limit. Not
// thread-safe: one per worker.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "jit/location_dependencies.h"

namespace cml::jit {

class TransitionCache {
 public:
  static constexpr std::size_t kBlock = 16;
  using Block [[gnu::vector_size(kBlock)]] = std::uint8_t;

  /// What a transition does to the blocks at `at`; where a state has no more blocks than that,
  /// patch i is that of block i.
  struct CachedEffect {
    struct Patch {
      Block keep;
      Block set;
    };
    static constexpr std::size_t kPatches = 4;
    std::array<Patch, kPatches> patches;
    std::array<std::uint32_t, kPatches> at;  // offset
  };

  /// A small field that a transition depends on: its value is (word >> shift & mask) - base.
  struct Key {
    std::uint32_t offset = 0;
    std::uint32_t shift = 0;
    std::uint32_t mask = 0;
    std::uint32_t base = 0;
    std::uint32_t limit = 1;  // values below this are distinguished

    [[nodiscard]] std::uint32_t value(const std::uint8_t* state, std::int64_t distance = 0) const {
      std::uint32_t word = 0;
      std::memcpy(&word, state + offset + distance, sizeof word);
      return (word >> shift & mask) - base;
    }
  };
  /// One of several fields: a byte selects it, which is itself a key before this one.
  struct ElementCacheKey {
    Key key;
    std::uint32_t index = 0;  // offset of the byte
    std::int64_t stride = 0;  // of elements

    [[nodiscard]] std::uint32_t value(const std::uint8_t* state) const {
      return key.value(state, state[index] * stride);
    }
  };
  /// For states that are `stride` bytes apart. `location_dependencies`: by thread and location.
  TransitionCache(
      const ir::Layout& layout, std::size_t stride,
      const IdVector<ir::ThreadId, std::vector<LocationDependencies>>& location_dependencies);
  TransitionCache(const TransitionCache&) = delete;  // it points into itself
  TransitionCache& operator=(const TransitionCache&) = delete;
  ~TransitionCache() = default;

  [[nodiscard]] std::size_t size() const { return effects_.size() - 1; }
  /// Null: not yet, or never.
  [[nodiscard]] const CachedEffect* find(ir::Action action, const std::uint8_t* state) const {
    const Found found = look_up(action, state);
    return is_cached(found) ? &effect(found) : nullptr;
  }
  /// The same, with what was inserted beside the effect.
  enum class Found : std::uint32_t {};
  [[nodiscard]] Found look_up(ir::Action action, const std::uint8_t* state) const {
    return static_cast<Found>(index_[place(action, state)]);
  }
  [[nodiscard]] static bool is_cached(Found found) {
    return static_cast<std::uint32_t>(found) >= kFirstEffect;
  }
  [[nodiscard]] const CachedEffect& effect(Found found) const {
    const std::uint32_t blocks = static_cast<std::uint32_t>(found) & ~kEndsAlways;
    return *reinterpret_cast<const CachedEffect*>(reinterpret_cast<const Block*>(effects_.data()) +
                                                  blocks);
  }
  /// Whether it leads to where a composed transition ends, whatever the state is.
  [[nodiscard]] static bool ends_always(Found found) {
    return (static_cast<std::uint32_t>(found) & kEndsAlways) != 0;
  }
  /// `kBlocks`: how many blocks a state has; 0: so many that the compiler need not know.
  template <std::size_t kBlocks>
  static void apply(const CachedEffect& effect, const std::uint8_t* state, std::size_t stride,
                    std::uint8_t* out);

  /// Whether this transition may be inserted: it was not tried before with these keys.
  [[nodiscard]] bool may_insert(ir::Action action, const std::uint8_t* state) const;
  /// Makes `other`: this state, with other values in the fields that the transition may change
  /// without reading them.
  void perturb(ir::Action action, const std::uint8_t* state, std::uint8_t* other) const;
  /// Inserts the effect, given what the transition made of both states, and whether a composed
  /// transition always ends where the thread is then: with these keys, that is one location.
  void insert(ir::Action action, const std::uint8_t* state, const std::uint8_t* after,
              const std::uint8_t* other, const std::uint8_t* other_after, bool ends_always);
  /// The transition cannot be inserted with these keys.
  void give_up(ir::Action action, const std::uint8_t* state) {
    index_[place(action, state)] = kNever;
  }

 private:
  // An effect is referred to by its distance from the beginning of effects_, in blocks; the first
  // effect is not used.
  static constexpr std::uint32_t kUnknown = 0;
  static constexpr std::uint32_t kNever = 1;
  static constexpr std::uint32_t kFirstEffect = sizeof(CachedEffect) / kBlock;
  static constexpr std::uint32_t kEndsAlways = std::uint32_t{1} << 31;
  static_assert(sizeof(CachedEffect) % kBlock == 0);

  struct LocationKeys {
    Key key;
    std::uint32_t first = 0;  // of index_
    // Mostly there is one key, or none; further ones are in more_keys_.
    std::uint32_t more = 0;
    std::uint32_t first_more = 0;
  };
  static_assert(sizeof(LocationKeys) == 32);
  /// Where a thread's location lies, and the keys of its locations.
  struct ThreadKeys {
    const LocationKeys* first = nullptr;
    std::uint32_t location = 0;
  };

  void add_keys(const LocationDependencies& dependencies);
  [[nodiscard]] Key key(const ir::Field& field) const;
  /// None if the elements cannot be loaded.
  [[nodiscard]] std::optional<ElementCacheKey> key(
      const LocationDependencies::Element& element) const;
  /// Empty: transitions from there are not cached.
  [[nodiscard]] std::vector<ElementCacheKey> keys(const LocationDependencies& dependencies) const;
  /// The position in index_; 0: it has none.
  [[nodiscard]] std::uint32_t place(ir::Action action, const std::uint8_t* state) const {
    const ThreadKeys& thread = keys_of_[action.thread];
    const LocationKeys& location = thread.first[state[thread.location]];
    std::uint32_t at = location.key.value(state);
    // Where there are choices, no value is below the limit.
    if (at >= location.key.limit) [[unlikely]]
      return 0;
    if (location.more == 0) return location.first + at;
    const ElementCacheKey* more = more_keys_.data() + location.first_more;
    const ElementCacheKey* const end = more + location.more;
    do {
      const std::uint32_t value = more->value(state);
      if (value >= more->key.limit) [[unlikely]]
        return 0;
      at = at * more->key.limit + value;
    } while (++more != end);
    return location.first + at;
  }
  [[nodiscard]] const LocationDependencies& dependencies(ir::Action action,
                                                         const std::uint8_t* state) const {
    return dependencies_[action.thread][state[keys_of_[action.thread].location]];
  }
  [[nodiscard]] bool make_effect(const LocationDependencies& dependencies,
                                 std::span<const std::uint8_t> state,
                                 std::span<const std::uint8_t> after,
                                 std::span<const std::uint8_t> other,
                                 std::span<const std::uint8_t> other_after,
                                 CachedEffect& effect) const;
  [[nodiscard]] bool applies(const CachedEffect& effect, std::span<const std::uint8_t> before,
                             std::span<const std::uint8_t> after) const;

  const ir::Layout& layout_;
  std::size_t stride_;
  const IdVector<ir::ThreadId, std::vector<LocationDependencies>>& dependencies_;
  IdVector<ir::ThreadId, ThreadKeys> keys_of_;
  std::vector<LocationKeys> location_keys_;  // by thread and location
  std::vector<ElementCacheKey> more_keys_;
  std::vector<std::uint32_t> index_;   // the first is that of what has no place
  std::vector<CachedEffect> effects_;  // but for the first
};

template <std::size_t kBlocks>
[[gnu::always_inline]] inline void TransitionCache::apply(const CachedEffect& effect,
                                                          const std::uint8_t* state,
                                                          std::size_t stride, std::uint8_t* out) {
  const auto patch = [&](std::size_t i, std::size_t at) {
    Block block;
    std::memcpy(&block, state + at, kBlock);
    block = (block & effect.patches[i].keep) | effect.patches[i].set;
    std::memcpy(out + at, &block, kBlock);
  };
  if constexpr (kBlocks > 0 && kBlocks <= CachedEffect::kPatches) {
    for (std::size_t i = 0; i < kBlocks; ++i)
      patch(i, i * kBlock);
  } else {
    const std::size_t bytes = kBlocks == 0 ? stride : kBlocks * kBlock;
    for (std::size_t at = 0; at < bytes; at += kBlock)
      std::memcpy(out + at, state + at, kBlock);
    for (std::size_t i = 0; i < CachedEffect::kPatches; ++i)
      patch(i, effect.at[i]);
  }
}

}  // namespace cml::jit
