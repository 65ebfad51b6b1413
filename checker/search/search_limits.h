// When a search ends early: at a violation, if one is enough, at an interrupt, and at the limits of
// time, memory and numbers. Asked before every state that is expanded; mostly that is a counter and
// a comparison, and rarely a look at the clock and at the memory of the process. Progress is
// reported from here, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/context.h"
#include "checker/memory_budget.h"
#include "checker/monitor/monitors.h"
#include "checker/options.h"
#include "ir/exec/histories.h"

namespace cml::checker {

/// What grows while a search runs.
class Measured {
 public:
  Measured() = default;
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;
  virtual ~Measured() = default;

  [[nodiscard]] virtual std::uint64_t states() const = 0;
  [[nodiscard]] virtual std::uint64_t transitions() const = 0;
  /// States in the queue, or on the stack.
  [[nodiscard]] virtual std::uint64_t waiting() const = 0;
  /// Bytes that are known to be used.
  [[nodiscard]] virtual std::uint64_t memory() const = 0;
  /// Sleep sets and the like, which have numbers of 32 bits.
  [[nodiscard]] virtual std::uint64_t numbers() const = 0;
};

class SearchLimits {
 public:
  /// All must outlive it. `histories`: of the system that is searched; null: it has none.
  SearchLimits(const Measured& measured, const ir::Histories* histories, const Monitors& monitors,
               const Options& options, const Context& context, const MemoryBudget& budget);

  /// Whether the search ends here.
  [[nodiscard]] bool stopped() {
    if (!ended_early_ && monitors_.enough()) ended_early_ = true;
    return ended_early_ || (++ticks_ >= next_look_ && look());
  }
  /// What follows is left out at this limit, and the search continues.
  void leave_out(const char* limit);
  /// The search ends at this limit.
  void end_at(const char* limit) {
    leave_out(limit);
    ended_early_ = true;
  }
  /// As many states as are allowed have been found, and there is one more.
  void end_at_states() { end_at("max-states"); }
  void reached_depth(std::uint64_t depth) {
    depth_ = depth;
    if (depth > max_depth_) max_depth_ = depth;
  }

  [[nodiscard]] bool complete() const { return limits_.empty() && !ended_early_; }
  [[nodiscard]] const std::vector<std::string>& hit() const { return limits_; }
  [[nodiscard]] std::uint64_t max_depth() const { return max_depth_; }
  [[nodiscard]] double seconds() const;
  /// Bytes that are known to be used: by the search, and for what numbers in the states mean.
  [[nodiscard]] std::uint64_t memory() const {
    return measured_.memory() + (histories_ == nullptr ? 0 : histories_->memory());
  }

 private:
  [[nodiscard]] bool look();
  [[nodiscard]] bool has_too_much_memory(double seconds);
  void report_progress();

  const Measured& measured_;
  const ir::Histories* histories_;
  const Monitors& monitors_;
  const Options& options_;
  const Context& context_;
  const MemoryBudget& budget_;
  std::vector<std::string> limits_;
  bool ended_early_ = false;
  std::uint64_t most_states_;  // that have numbers
  std::uint64_t depth_ = 0;
  std::uint64_t max_depth_ = 0;
  std::uint64_t ticks_ = 0;  // calls of stopped()
  std::uint64_t next_look_ = 1;
  std::uint64_t ticks_between_looks_ = 1;
  double looked_ = 0;  // seconds from the start
  double measured_at_ = -1;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point reported_;
};

}  // namespace cml::checker
