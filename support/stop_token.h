// When a long computation is to end early: a signal has asked for it, or the time is over.
//
//   for (const Thing& thing : very_many) { stop.poll(); look_at(thing); }
//
// A computation without a partial result worth keeping (static analyses, sets, the layout) polls:
// `poll` throws Stopped, which the phase catches where it begins, so that no exception leaves it.
// One with a partial result (a search, an explanation) asks `is_asked`, and returns that.
//
// Cost of a poll: an addition; the clock is looked at now and then. For one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

namespace cml {

/// Thrown by StopToken::poll.
struct Stopped {};

class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never requested.
  StopToken() = default;
  /// `signal` may be null, and is set by a signal handler.
  StopToken(const std::atomic<bool>* signal, std::optional<Clock::time_point> until)
      : signal_(signal), until_(until) {}

  [[nodiscard]] bool is_interrupted() const {
    return signal_ != nullptr && signal_->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_late() const { return until_ && Clock::now() >= *until_; }
  [[nodiscard]] bool is_asked() const { return is_interrupted() || is_late(); }

  /// `work`: how many items were looked at since the last call.
  void poll(std::size_t work = 1) const {
    done_ += work;
    if (done_ < kWorkBetweenLooks) return;
    done_ = 0;
    if (is_asked()) throw Stopped();
  }

 private:
  static constexpr std::size_t kWorkBetweenLooks = 10'000;
  const std::atomic<bool>* signal_ = nullptr;
  std::optional<Clock::time_point> until_;
  mutable std::size_t done_ = 0;
};

}  // namespace cml
