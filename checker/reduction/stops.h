// Whether a transition stops its thread (checker/stopped.h), or leads to a state from which the
// thread stops by invisible transitions alone: the monitors take it for stopped from there on.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/exec/step.h"

namespace cml::checker {

class Stops {
 public:
  /// `by_micros`: transitions are micro-transitions. The step must outlive it.
  Stops(ir::Step& step, bool by_micros)
      : step_(step), by_micros_(by_micros), alone_(step.layout().size()) {}

  /// `thread` has just moved, to the state `after`.
  [[nodiscard]] bool operator()(const std::uint8_t* after, ir::ThreadId thread) {
    const ir::Location at = location(step_.layout(), after, thread);
    if (at >= ir::kFirstLocation && !by_micros_) return false;
    return stops_at(after, thread, at);
  }

 private:
  [[nodiscard]] bool stops_at(const std::uint8_t* after, ir::ThreadId thread, ir::Location at);

  ir::Step& step_;
  bool by_micros_;
  std::vector<std::uint8_t> alone_;
  ir::Record record_;
};

}  // namespace cml::checker
