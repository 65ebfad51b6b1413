// A set of some system's threads, a bit for each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ir/system.h"

namespace cml::checker {

class ThreadSet {
 public:
  /// Empty; of so many threads.
  explicit ThreadSet(std::size_t threads)
      : words_((threads + 63) / 64),
        last_(threads % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (threads % 64)) - 1) {}

  void clear() { std::fill(words_.begin(), words_.end(), 0); }
  void insert(ir::ThreadId id) { words_[id.index / 64] |= bit(id); }
  void erase(ir::ThreadId id) { words_[id.index / 64] &= ~bit(id); }
  [[nodiscard]] bool contains(ir::ThreadId id) const {
    return (words_[id.index / 64] & bit(id)) != 0;
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }

  /// Calls `use(ThreadId)` for the threads outside, in their order, until it returns true; whether
  /// it did.
  template <class Use>
  bool any_outside(Use use) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t all = w + 1 < words_.size() ? ~std::uint64_t{0} : last_;
      for (std::uint64_t rest = ~words_[w] & all; rest != 0; rest &= rest - 1)
        if (use(ir::ThreadId::of(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)))))
          return true;
    }
    return false;
  }

 private:
  [[nodiscard]] static std::uint64_t bit(ir::ThreadId id) {
    return std::uint64_t{1} << (id.index % 64);
  }

  std::vector<std::uint64_t> words_;
  std::uint64_t last_;  // the bits that the last word may have
};

}  // namespace cml::checker
