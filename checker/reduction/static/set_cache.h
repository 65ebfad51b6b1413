// What a reduction chose before, for states that are the same in all that its choice depends on:
//
//   where the threads stand, how many actions each has, who owns which lock, the initialisation
//   status of objects        ──▶  the chosen threads
//
// Each of these is needed, and a model of tests/models shows it (set_chosen_….cml). Who is in which
// wait set need not be among it: a choice asks for that (Stubborn::add_enabling) of a thread at the
// second part of `wait` that cannot go though nobody owns the lock, and such a thread waits for
// being notified; where wakeups are spurious, nobody asks.
//
// The values of variables are not among it, so one choice serves many states: mostly a look-up
// takes the place of a closure. A blocked thread waits for what its location tells; where that
// depends on values (an index, what a guard reads before it knows) the choice is made anew. So it
// is when the lock discipline has ruled out another lock.
//
// A cache, not a set: a fixed number of places, and a newcomer drives out who is there. It stays
// small; with so many threads that few places would fit, there is none.
#pragma once

#include "checker/reduction/reduction.h"
#include "ir/by_location.h"

namespace cml::checker {

class SetCache final : public Reduction {
 public:
  /// `step` and `candidates` must outlive it; `candidates` may be null.
  SetCache(std::unique_ptr<Reduction> reduction, const ir::Step& step,
           const CandidateLocks* candidates);

  void select(const std::uint8_t* state, const std::vector<std::uint32_t>& actions,
              std::vector<bool>& chosen) override;

 private:
  /// Sets key_. False: the choice depends on more.
  [[nodiscard]] bool find_key(const std::uint8_t* state, const std::vector<std::uint32_t>& actions);

  std::unique_ptr<Reduction> reduction_;
  const ir::Layout& layout_;
  const CandidateLocks* candidates_;
  std::uint64_t version_ = 0;                    // of the candidates
  std::uint32_t generation_ = 1;                 // of the choices that are valid for it
  std::vector<ir::Field> fields_;                // of the state, in the key
  ir::ByLocation<std::uint8_t> waits_by_value_;  // for what a thread waits there
  std::size_t bytes_ = 0;                        // of a key
  std::vector<std::uint8_t> key_;
  std::size_t place_bytes_ = 0;
  std::size_t count_ = 0;             // of places, a power of two; or none
  std::vector<std::uint8_t> places_;  // the generation, or 0; the key; the chosen threads
};

}  // namespace cml::checker
