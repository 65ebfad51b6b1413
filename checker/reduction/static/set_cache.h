// A cache of the sets that a set algorithm has chosen, by all that its choice depends on:
//
//   key   locations of threads, owners of locks, initialisation status of objects (the state behind
//         a mask) │ enabled threads │ how many actions each thread has, where not one │ what the
//         discipline stores with the state │ who else can reach the objects that a thread is about
//         to use
//                              ──▶  the chosen threads, a bit each
//
// Each of these is needed, and a model of tests/models shows it (set_chosen_….cml); but how many
// actions a thread has only decides which of the valid sets is the smallest. The wait sets need not
// be part of the key: a choice depends on them (Stubborn::add_enabling) only for a thread at the
// second part of `wait` that is disabled though the lock is free, and such a thread has not been
// notified; with spurious wakeups they are not used.
//
// The values of variables are not part of the key, so one set serves many states: a look-up mostly
// replaces a closure. What a blocked thread waits for is known from its location; where it depends
// on values (an index, what a guard reads before it is decided) the set is computed anew. So it is
// when the lock discipline has ruled out another candidate lock.
//
// The sets that were chosen are few, and have numbers: the number is stored with a state.
//
// A new entry replaces the one in its place. There are few places at first, and more when many
// entries have been replaced, up to a number of bytes; with so many threads that few places would
// fit, there is no cache.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/reduction/static/set_algorithm.h"
#include "ir/by_location.h"

namespace cml::checker {

/// A set of threads that was chosen.
using SetNumber = Id<struct SetTag>;

class SetCache {
 public:
  /// `step` and `candidates` must outlive it; `candidates` may be null.
  SetCache(std::unique_ptr<SetAlgorithm> algorithm, const ir::Step& step,
           const CandidateLocks* candidates);

  /// `actions`: those that are enabled in the state, by thread; at least one. Bytes of the state up
  /// to its stride are read.
  [[nodiscard]] SetNumber select(const std::uint8_t* state, std::span<const ir::Action> actions);

  /// The threads of a set.
  class Threads {
   public:
    explicit Threads(const std::uint64_t* words) : words_(words) {}
    [[nodiscard]] bool contains(ir::ThreadId thread) const {
      return (words_[thread.index / 64] >> (thread.index % 64) & 1) != 0;
    }
    /// The first 64 threads, a bit each.
    [[nodiscard]] std::uint64_t first_word() const { return words_[0]; }

   private:
    const std::uint64_t* words_;
  };
  /// Until the next call of select().
  [[nodiscard]] Threads operator[](SetNumber set) const {
    return Threads(sets_.data() + set.index * words_);
  }
  /// The threads that were enabled in the last state that select() was asked about, a bit each; 0:
  /// there is more to say, since they are many or one of them chooses.
  [[nodiscard]] std::uint64_t enabled_alone() const { return enabled_alone_; }
  /// Where this changes, what select() says may change: a lock was ruled out.
  [[nodiscard]] std::uint64_t version() const {
    return candidates_ == nullptr ? 0 : candidates_->version();
  }
  [[nodiscard]] std::uint64_t memory() const;

 private:
  static constexpr std::size_t kBlock = 16;
  using Block [[gnu::vector_size(kBlock)]] = std::uint64_t;

  /// Bytes of the state that are part of the key.
  struct Masked {
    std::uint32_t offset = 0;
    Block mask;
  };

  void make_places(std::size_t count);
  void find_key_parts(const ir::System& system);
  /// Sets key_ and hash_. False: there is no cache, or the choice depends on more.
  [[nodiscard]] bool find_key(const std::uint8_t* state, std::span<const ir::Action> actions);
  /// Sets the part of key_ that says who is enabled. True: a thread has several actions.
  [[nodiscard]] bool find_enabled(std::span<const ir::Action> actions);
  /// Sets the part of key_ that says how many actions there are. False: that cannot be said.
  [[nodiscard]] bool find_counts(std::span<const ir::Action> actions, bool chooses);
  /// Whether a thread that is not enabled waits for what its location does not say.
  [[nodiscard]] bool any_waits_by_value(const std::uint8_t* state,
                                        std::span<const ir::Action> actions);
  [[nodiscard]] SetNumber compute(const std::uint8_t* state, std::span<const ir::Action> actions);

  std::unique_ptr<SetAlgorithm> algorithm_;
  const ir::Layout& layout_;
  const CandidateLocks* candidates_;
  std::size_t threads_;
  std::uint64_t version_ = 0;                     // of the candidates
  std::uint32_t generation_ = 1;                  // of the choices that are valid for it
  ir::ByLocation<std::uint8_t> waits_by_value_;   // for what a thread waits there
  std::vector<std::uint64_t> may_wait_by_value_;  // anywhere; threads
  std::vector<std::uint64_t> waiting_;            // scratch
  std::vector<Masked> masked_;
  // The key, in words: masked_, who is enabled, counts (or none), the discipline's bytes,
  // the heap's.
  std::vector<std::uint64_t> key_;
  std::uint64_t hash_ = 0;
  bool has_counts_ = false;  // the counts in key_ are not 0
  std::uint64_t enabled_alone_ = 0;
  std::size_t enabled_at_ = 0;
  std::size_t counts_at_ = 0;
  std::size_t extra_at_ = 0;
  std::size_t heap_at_ = 0;
  // A place: the key; the generation (or 0) and the number of the set.
  std::size_t place_words_ = 0;
  std::size_t most_ = 0;   // places, a power of two; or none
  std::size_t count_ = 0;  // of places
  std::vector<std::uint64_t> places_;
  std::size_t driven_out_ = 0;  // since there are so many
  // The sets, words_ each, and their numbers.
  std::size_t words_;
  std::vector<std::uint64_t> sets_;
  std::unordered_multimap<std::uint64_t, SetNumber> by_hash_;
  // Scratch of compute().
  std::vector<std::uint32_t> counts_;
  std::vector<bool> is_chosen_;
};

}  // namespace cml::checker
