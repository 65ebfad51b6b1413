// Whether a transition stops its thread (checker/stopped.h), or leads to a state from which the
// thread stops by invisible transitions alone: the monitors take it for stopped from there on.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/by_location.h"
#include "ir/exec/step.h"

namespace cml::checker {

class Stops {
 public:
  /// `by_micros`: transitions are micro-transitions. The step must outlive it.
  Stops(ir::Step& step, const ir::Analyses& analyses, bool by_micros);

  /// `thread` has just moved, to the state `after`.
  [[nodiscard]] bool operator()(const std::uint8_t* after, ir::ThreadId thread) {
    const ir::Location at = location(step_.layout(), after, thread);
    if (at >= ir::kFirstLocation && (!by_micros_ || is_visible_.at(thread, at) != 0)) return false;
    return stops_at(after, thread, at);
  }

 private:
  [[nodiscard]] bool stops_at(const std::uint8_t* after, ir::ThreadId thread, ir::Location at);

  ir::Step& step_;
  bool by_micros_;
  ir::ByLocation<std::uint8_t> is_visible_;  // in every state
  std::vector<std::uint8_t> alone_;
  ir::Record record_;
};

}  // namespace cml::checker
