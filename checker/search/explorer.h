// Explorer: executes transitions for a search and shows them to the monitors. Every search owns
// one, and decides what it explores, and in which order.
//
//        state() ──enabled──▶ actions ──fire──▶ reached()
//           ▲                    └────fire_all──▶ successors, one behind the other in memory
//           └── load: from the store
//
// Both states are followed by what the monitors keep with each state, which counts, and by bytes up
// to the next ir::stride(), which do not.
//
// Where transitions are micro-transitions, a thread that diverges, by invisible operations alone,
// is a cycle of the graph. A full search finds it when a cycle closes: then the thread is executed
// alone, to see whether it returns. A reduced search need not close the cycle, so it checks after
// every transition of a thread that may diverge.
//
// Not thread-safe: one per worker.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/monitor/monitors.h"
#include "checker/options.h"
#include "checker/path.h"
#include "checker/transition.h"
#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/rendezvous.h"
#include "ir/exec/step.h"
#include "support/buffer.h"
#include "support/mutation.h"

namespace cml::checker {

class Explorer {
 public:
  /// `path`: the path of the search to the present state. All must outlive it.
  Explorer(ir::Step& step, const ir::Analyses& analyses, Monitors& monitors, const Options& options,
           const PathSource& path);

  /// Bytes of a state that count, and the distance of consecutive states in memory.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t stride() const { return state_.size(); }
  /// Bytes of a state without what the monitors keep.
  [[nodiscard]] std::size_t step_bytes() const { return step_bytes_; }

  /// The state to explore from. Any state of stride() bytes may be written there.
  [[nodiscard]] std::uint8_t* state() { return state_.data(); }
  [[nodiscard]] const std::uint8_t* state() const { return state_.data(); }
  /// The state that fire() has reached.
  [[nodiscard]] std::uint8_t* reached() { return reached_.data(); }
  [[nodiscard]] const std::uint8_t* reached() const { return reached_.data(); }
  /// Makes the state that was reached the one to explore from, or back.
  void swap() { state_.swap(reached_); }

  /// Executes the beginnings of the threads; the initial state is reached().
  void start();
  /// All actions that are enabled in state(), by thread.
  std::span<const ir::Action> enabled() { return enabled(state_.data()); }
  /// The same in another state of stride() bytes.
  std::span<const ir::Action> enabled(const std::uint8_t* state) {
    enabled_.clear();
    step_.all_enabled(state, enabled_);
    return {enabled_.data(), enabled_.size()};
  }
  /// The same in a new state, which is shown to the monitors; the transition of the thread `moved`
  /// led there (invalid: it is the initial state).
  std::span<const ir::Action> enabled_in_new(ir::ThreadId moved) {
    const std::span<const ir::Action> actions = enabled();
    show_state(state_.data(), actions, moved);
    return actions;
  }
  void show_state(const std::uint8_t* state, std::span<const ir::Action> actions,
                  ir::ThreadId moved) {
    monitors_.state(state, actions, moved, path_);
  }

  /// From state() to reached().
  void fire(ir::Action action);
  /// What fire() executed.
  [[nodiscard]] const ir::Record& record() const { return record_; }
  [[nodiscard]] Transition transition() {
    return {state_.data(), record_, reached_.data(), reached_.data() + step_bytes_};
  }
  /// Fires some actions of a state, at least one: the i-th leads to `successors` + i × stride().
  /// Returns how many; they are not shown to the monitors yet.
  std::size_t fire_all(const std::uint8_t* from, std::span<const ir::Action> actions,
                       std::uint8_t* successors) {
    return step_.successors(from, stride(), actions, successors, record_);
  }
  /// Shows to the monitors what fire_all() has just fired, until they have enough. Before each
  /// transition that they process, `now(i)` is called, so that the path is known. Returns how many.
  template <class Now>
  std::size_t show(const std::uint8_t* from, std::size_t fired, std::uint8_t* successors, Now now) {
    std::size_t shown = 0;
    // Only the last one may have observations.
    if (!monitors_.looks_at_unobserved()) {
      shown = record_.has_observations() ? fired - 1 : fired;
      transitions_ += shown;
      if (shown == fired) return shown;
      successors += shown * stride();
    }
    for (;
         shown < fired && (!monitors_.enough() || CML_MUTATION("shown-behind-the-first-violation"));
         ++shown, successors += stride()) {
      now(shown);
      ++transitions_;
      if (shown + 1 == fired &&
          (fired == 1 || !CML_MUTATION("observations-behind-others-are-silent"))) {
        monitors_.transition(from, record_, successors, successors + step_bytes_, path_);
      } else {
        monitors_.unobserved(successors, successors + step_bytes_, path_);
      }
    }
    return shown;
  }

  /// Whether a thread may diverge by transitions that a search can take one by one.
  [[nodiscard]] bool any_may_diverge() const { return any_may_diverge_; }
  /// Called where an action has just led to this state.
  void check_divergence(const std::uint8_t* state, ir::Action action) {
    check_divergence(state, action.thread);
    if (const ir::ThreadId partner = ir::partner_of(action); partner.valid())
      check_divergence(state, partner);
  }
  /// Called where the thread has just moved to this state.
  void check_divergence(const std::uint8_t* state, ir::ThreadId thread) {
    if (!any_may_diverge_) return;
    if (may_diverge_.at(thread, location(step_.layout(), state, thread)) != 0)
      run_alone(state, thread);
  }

  [[nodiscard]] std::uint64_t transitions() const { return transitions_; }
  [[nodiscard]] ir::Step& step() { return step_; }
  [[nodiscard]] Monitors& monitors() { return monitors_; }

 private:
  void run_alone(const std::uint8_t* state, ir::ThreadId thread);

  ir::Step& step_;
  Monitors& monitors_;
  const PathSource& path_;
  std::size_t step_bytes_;
  std::size_t bytes_;
  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> reached_;
  Buffer<ir::Action> enabled_;
  ir::Record record_;
  std::uint64_t transitions_ = 0;
  ir::ByLocation<std::uint8_t> may_diverge_;  // where that must be found while searching
  bool any_may_diverge_ = false;
  std::vector<std::uint8_t> alone_;
};

}  // namespace cml::checker
