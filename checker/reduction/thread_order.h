// In which order a depth-first search tries the threads of a state (Cirisci, Enea, Farzan,
// Mutluergil, "A Pragmatic Approach to Stateful Partial Order Reduction", §5: "sequential" and
// "random"). What comes first decides what a dynamic reduction learns first, and how soon a
// violation is met.
//
//   sequential   the same everywhere: the threads as they are declared; with a seed, the
//                permutation of this number, in lexicographic order: of A B C, 5 is C B A
//   random       drawn anew in each state; the same seed, the same search
//
// Cost: nothing for the order of the declarations; else one of sorting few actions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "checker/options.h"
#include "ir/exec/step.h"

namespace cml::checker {

class ThreadOrder {
 public:
  ThreadOrder(const Options& options, std::size_t threads)
      : is_random_(options.order == Order::Random),
        changes_nothing_(!is_random_ && options.seed == 0),
        drawn_(options.seed),
        rank_(changes_nothing_ ? 0 : threads) {
    std::iota(rank_.begin(), rank_.end(), 0);
    if (!is_random_) permute(options.seed);
  }

  /// Of actions that lie in the order of their threads, those of one thread stay together.
  void arrange(std::span<ir::Action> actions) {
    if (changes_nothing_ || actions.size() < 2) return;
    if (is_random_)
      for (std::size_t left = rank_.size(); left > 1; --left)
        std::swap(rank_[left - 1], rank_[draw() % left]);
    std::stable_sort(actions.begin(), actions.end(), [this](ir::Action a, ir::Action b) {
      return rank_[a.thread.index] < rank_[b.thread.index];
    });
  }

 private:
  /// The permutation of this number, modulo how many there are: the digits of the number in the
  /// factorial system say who of those that are left is next.
  void permute(std::uint64_t number) {
    std::vector<std::size_t> digits(rank_.size());
    for (std::size_t base = 1; base <= digits.size(); ++base) {
      digits[digits.size() - base] = number % base;
      number /= base;
    }
    std::vector<std::uint32_t> left = rank_;
    for (std::uint32_t place = 0; place < digits.size(); ++place) {
      const auto chosen = left.begin() + static_cast<std::ptrdiff_t>(digits[place]);
      rank_[*chosen] = place;
      left.erase(chosen);
    }
  }
  /// The next number of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
  [[nodiscard]] std::uint64_t draw() {
    std::uint64_t z = (drawn_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  bool is_random_;
  bool changes_nothing_;
  std::uint64_t drawn_;
  std::vector<std::uint32_t> rank_;  // by thread
};

}  // namespace cml::checker
