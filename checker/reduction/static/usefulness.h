// Whether persistent or stubborn sets leave out enough to be worth their computation.
//
// A state without a set is expanded fully, which is always sound, and many times as fast: so where
// sets have left out next to nothing for a while, they are computed for a few states only, to see
// whether that changes, and for fewer each time it has not: a look comes after about as many states
// as there were before it, until that is very many. What decides is counted, not timed: the search
// of a model is the same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cml::checker {

class Usefulness {
 public:
  /// `sets`: how many are computed before they are given up.
  explicit Usefulness(std::uint64_t sets)
      : to_give_up_(sets),
        to_resume_(std::max<std::uint64_t>(sets / 32, 1)),
        first_stride_(std::max<std::uint64_t>(sets / 16, 2)),
        stride_(first_stride_) {}

  /// Whether to compute a set for the next state.
  [[nodiscard]] bool wants_set() {
    if (!is_useful_ && ++skipped_ < stride_) return false;
    skipped_ = 0;
    return true;
  }
  /// Sets are computed to see whether they are useful again.
  [[nodiscard]] bool is_trying() const { return !is_useful_; }
  /// A set of `chosen` of the `enabled` transitions was computed.
  void computed(std::size_t chosen, std::size_t enabled) {
    left_out_ += enabled - chosen;
    enabled_ += enabled;
    if (++sets_ < (is_useful_ ? to_give_up_ : to_resume_)) return;
    const bool was_useful = is_useful_;
    is_useful_ = left_out_ * kShare >= enabled_;
    if (was_useful) {
      stride_ = first_stride_;
    } else if (stride_ < kMostStrides * first_stride_) {
      stride_ *= 2;
    }
    sets_ = left_out_ = enabled_ = 0;
  }

 private:
  static constexpr std::uint64_t kShare = 64;  // less than one in so many left out is too little
  static constexpr std::uint64_t kMostStrides = 16;

  std::uint64_t to_give_up_;
  std::uint64_t to_resume_;
  std::uint64_t first_stride_;
  std::uint64_t stride_;  // states between two sets that are tried
  bool is_useful_ = true;
  std::uint64_t skipped_ = 0;
  std::uint64_t sets_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t enabled_ = 0;
};

}  // namespace cml::checker
