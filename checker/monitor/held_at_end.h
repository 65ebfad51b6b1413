// Which threads end while they hold a lock (the warning `lock-held`).
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "checker/monitor/monitor.h"

namespace cml::checker {

class HeldAtEnd {
 public:
  using Pairs = std::set<std::pair<ir::ThreadId, ir::ObjectId>>;

  explicit HeldAtEnd(const ir::Layout& layout) : layout_(layout) {}

  /// The thread has ended.
  void ended(const std::uint8_t* state, ir::ThreadId thread) {
    for (const ir::ObjectId lock : layout_.locks())
      if (layout_.owner(state, lock) == thread) pairs_.insert({thread, lock});
  }
  void join(const HeldAtEnd& other) { pairs_.insert(other.pairs_.begin(), other.pairs_.end()); }

  [[nodiscard]] const Pairs& pairs() const { return pairs_; }

 private:
  const ir::Layout& layout_;
  Pairs pairs_;
};
static_assert(Monitor<HeldAtEnd>);

}  // namespace cml::checker
