// A breadth-first search in the reference interpreter that shows each state and each transition:
// for pictures, and for what must see all interleavings. It explores at the granularity of the
// options, without a reduction; limits are states, memory, time and a flag.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/memory_budget.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/step_config.h"
#include "checker/store/distinct_states.h"
#include "ir/exec/interpreter.h"
#include "support/buffer.h"

namespace cml::checker {

class SmallSearch {
 public:
  SmallSearch(const ir::System& system, const Options& options, const std::atomic<bool>& stop)
      : config(step_config(options)),
        analyses(system),
        layout(analyses),
        step(analyses, layout, config),
        most_(options.limits.max_states),
        max_seconds_(options.limits.max_seconds),
        budget_(options.limits.max_memory),
        stop_(stop),
        met_(system, layout, budget_),
        state_(ir::stride(layout.size())),
        next_(ir::stride(layout.size())) {}

  /// `node` is called for each state with its actions, and `edge` for each transition to a state
  /// that there is room for. False: something
  /// was left out.
  template <class Node, class Edge>
  bool run(Node node, Edge edge) {
    step.initial(state_.data(), record_);
    (void)number(state_.data());
    came_from_.push_back({});
    bool is_whole = true;
    for (std::size_t at = 0; at < came_from_.size(); ++at) {
      if (stop_ || budget_.is_over() || is_late(at)) return false;
      met_.load(static_cast<StateNumber>(at), state_.data());
      actions_.clear();
      step.all_enabled(state_.data(), actions_);
      bool is_open = false;
      for (const ir::Action action : actions_) {
        std::copy(state_.begin(), state_.end(), next_.begin());
        record_.clear();
        step.execute(next_.data(), action, record_);
        for (const ir::Event& event : record_.events)
          is_whole = is_whole && event.kind != ir::FaultKind::Limit;
        const std::optional<std::size_t> to = number(next_.data());
        is_open = is_open || !to;
        if (!to) continue;
        if (*to == came_from_.size()) came_from_.push_back({at, action});
        edge(at, action, *to);
      }
      is_whole = is_whole && !is_open;
      node(at, state_.data(), actions_, is_open);
    }
    return is_whole;
  }

  [[nodiscard]] Path path(std::size_t state) const {
    Path result;
    for (; state != 0; state = came_from_[state].from)
      result.push_back(came_from_[state].action);
    std::reverse(result.begin(), result.end());
    return result;
  }

  [[nodiscard]] std::uint64_t states() const { return came_from_.size(); }
  /// Of the transition that `edge` is called for.
  [[nodiscard]] const ir::Record& record() const { return record_; }

  const ir::StepConfig config;
  const ir::Analyses analyses;
  const ir::Layout layout;
  ir::Interpreter step;

 private:
  struct CameFrom {
    std::size_t from = 0;
    ir::Action action = {};
  };

  [[nodiscard]] bool is_late(std::size_t at) const {
    constexpr std::size_t kStatesBetweenLooks = 256;
    return max_seconds_ > 0 && at % kStatesBetweenLooks == 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() >
               max_seconds_;
  }

  /// None: it is new, and there is no room for it.
  std::optional<std::size_t> number(const std::uint8_t* state) {
    if (met_.size() < most_) return met_.find_or_put(state).number;
    const auto known = met_.find(state);
    return known ? std::optional<std::size_t>(*known) : std::nullopt;
  }

  std::uint64_t most_;
  double max_seconds_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  MemoryBudget budget_;
  const std::atomic<bool>& stop_;
  DistinctStates met_;
  std::vector<CameFrom> came_from_;
  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> next_;
  Buffer<ir::Action> actions_;
  ir::Record record_;
};

}  // namespace cml::checker
