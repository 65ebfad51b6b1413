// Random walks (checker/simulate.h) as a search: it keeps the states that it has met, to count
// them and to show each to the monitors once; and the present walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/search/search.h"
#include "checker/simulate.h"
#include "checker/store/distinct_states.h"

namespace cml::checker {

/// Numbers that are the same on every machine: SplitMix64 (Steele, Lea and Flood, 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// Below `count`.
  std::uint64_t below(std::uint64_t count) { return (*this)() % count; }

 private:
  std::uint64_t state_;
};

class RandomWalks final : public Search {
 public:
  /// `told` is filled in while it runs; both must outlive it.
  RandomWalks(const SearchInput& input, const WalkOptions& walks, WalkStatistics& told);

  void run() override;
  [[nodiscard]] Path path() const override { return path_; }
  [[nodiscard]] Statistics statistics() const override;

  [[nodiscard]] std::uint64_t states() const override { return met_.size(); }
  [[nodiscard]] std::uint64_t waiting() const override { return path_.size(); }
  [[nodiscard]] std::uint64_t memory() const override;

 private:
  void walk(std::uint64_t seed);
  /// The actions of one thread.
  [[nodiscard]] std::span<const ir::Action> of_a_thread(std::span<const ir::Action> enabled,
                                                        RandomNumbers& numbers);
  void draw_priorities(RandomNumbers& numbers);
  /// Counts a walk that has come to an end of this kind.
  void count(std::uint64_t& kind);
  [[nodiscard]] std::uint64_t& kind_of_end();
  void count_statements();

  const WalkOptions& walks_;
  WalkStatistics& told_;
  DistinctStates met_;
  std::vector<std::uint8_t> initial_;
  Path path_;
  // pct
  IdVector<ir::ThreadId, std::uint64_t> priorities_;
  std::vector<std::uint64_t> changes_;  // the steps before which a thread falls behind
  std::uint64_t lowest_ = 0;
  ir::ThreadId last_;
  std::uint64_t in_a_row_ = 0;
};

}  // namespace cml::checker
