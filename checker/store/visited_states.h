// VisitedStates: the states that a search has visited. It is given working states, and gives them
// back; what it stores is what the codec makes of them.
//
//   reached ──prepare──▶ slot: stored form, hash, bucket fetched       several, side by side,
//                          │                                           so that cache misses overlap
//                          ├─ candidate: the state that is probably the same is fetched
//                          └─ find_or_put ──▶ its number, new or not
//   number ──load──▶ state to expand
//
// A slot is a place for a stored state. Where the codec is the identity the working state itself is
// what is stored, and there are no slots: then all of this is StateSet, inlined.
//
//   VisitedStates<IdentityCodec>             exact
//   VisitedStates<PackingCodec>              exact, with fewer bytes
//   VisitedStates<Codec, Set>                Set: what has the functions of StateSet
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/store/state_codec.h"
#include "checker/store/state_set.h"

namespace cml::checker {

template <StateCodec Codec, class Set = StateSet>
class VisitedStates {
 public:
  using Hash = typename Set::Hash;
  using Inserted = typename Set::Inserted;

  /// `slots`: how many states are looked up side by side. The budget must outlive it.
  VisitedStates(Codec codec, std::size_t slots, const MemoryBudget& budget)
      : codec_(std::move(codec)),
        set_(codec_.size(), budget),
        room_(codec_.room()),
        alone_(slots),
        slots_((slots + 1) * room_) {}

  /// What is asked of a slot until it is prepared again is asked of this working state, which stays
  /// as it is.
  Hash prepare(std::size_t slot, const std::uint8_t* working) {
    const Hash hash = set_.hash(codec_.encode(working, slots_.data() + slot * room_));
    set_.fetch(hash);
    return hash;
  }
  /// Fetches the state that it probably is, once its bucket is there; null: there is none yet.
  [[nodiscard]] const std::uint8_t* candidate(Hash hash) const { return set_.candidate(hash); }
  /// Whether it is the state that likely() said.
  [[nodiscard]] bool is_state(StateNumber likely, std::size_t slot,
                              const std::uint8_t* working) const {
    return likely != 0 && set_.is_equal(set_[likely - 1], stored(slot, working));
  }
  [[nodiscard]] std::optional<StateNumber> find(std::size_t slot, const std::uint8_t* working,
                                                Hash hash) const {
    return set_.find(stored(slot, working), hash);
  }
  /// The number of the state that candidate() is, + 1; 0: there is none yet. And the look-up of a
  /// state for which it was asked, whatever was inserted since: its number + 1; 0: it is new.
  [[nodiscard]] StateNumber likely(Hash hash) const { return set_.likely(hash); }
  [[nodiscard]] StateNumber find(std::size_t slot, const std::uint8_t* working, Hash hash,
                                 StateNumber likely) const {
    if (likely != 0 && set_.is_equal(set_[likely - 1], stored(slot, working))) return likely;
    return set_.find_plus_one(stored(slot, working), hash);
  }
  Inserted find_or_put(std::size_t slot, const std::uint8_t* working, Hash hash) {
    return set_.find_or_put(stored(slot, working), hash);
  }
  // For one alone, whatever is in the slots.
  Inserted find_or_put(const std::uint8_t* working) {
    return find_or_put(alone_, working, prepare(alone_, working));
  }
  [[nodiscard]] std::optional<StateNumber> find(const std::uint8_t* working) {
    return find(alone_, working, prepare(alone_, working));
  }
  [[nodiscard]] bool contains(const std::uint8_t* working) { return find(working).has_value(); }

  void load(StateNumber state, std::uint8_t* working) {
    if constexpr (Codec::kIsIdentity) {
      set_.copy(state, working);
    } else {
      codec_.decode(set_[state], working);
    }
  }

  [[nodiscard]] std::uint64_t size() const { return set_.size(); }
  [[nodiscard]] std::uint64_t memory() const { return set_.memory(); }
  /// Of a stored state.
  [[nodiscard]] std::size_t state_bytes() const { return codec_.size(); }

 private:
  [[nodiscard]] const std::uint8_t* stored(std::size_t slot, const std::uint8_t* working) const {
    if constexpr (Codec::kIsIdentity) {
      return working;
    } else {
      return slots_.data() + slot * room_;
    }
  }

  Codec codec_;
  Set set_;
  std::size_t room_;
  std::size_t alone_;  // a slot more
  std::vector<std::uint8_t> slots_;
};

}  // namespace cml::checker
