// Which atoms of a formula hold in which states of the graph. Conditions are evaluated in the
// interpreter, `ended` and `at` are read off the locations of threads.
#pragma once

#include <optional>
#include <vector>

#include "checker/liveness/graph.h"
#include "ir/exec/interpreter.h"

namespace cml::checker {

class Valuations {
 public:
  /// A condition that has no value in a state.
  struct Fault {
    StateNumber state = 0;
    std::uint32_t condition = 0;
    ir::Event event;
  };

  /// All must outlive it.
  Valuations(ir::Interpreter& step, const ir::Property& property, const StopToken& stop);

  /// Of all states. A limit is noted, and ends it; and so does a fault.
  [[nodiscard]] std::optional<Fault> evaluate(LivenessGraph& graph, LivenessLimits& limits);

  /// Whether these atoms hold, and those do not. `holds` and `fails` are bits by atom.
  [[nodiscard]] bool matches(StateNumber state, const std::vector<std::uint64_t>& holds,
                             const std::vector<std::uint64_t>& fails) const {
    const std::uint64_t at = std::uint64_t{state} * words_;
    for (std::size_t i = 0; i < holds.size(); ++i)
      if ((holds[i] & ~bits_[at + i]) != 0) return false;
    for (std::size_t i = 0; i < fails.size(); ++i)
      if ((fails[i] & bits_[at + i]) != 0) return false;
    return true;
  }

 private:
  [[nodiscard]] bool has_ended(const ir::Formula& atom) const;
  [[nodiscard]] bool is_at(const ir::Formula& atom) const;

  ir::Interpreter& step_;
  const ir::Property& property_;
  const StopToken& stop_;
  std::vector<const ir::Formula*> atoms_;
  std::size_t words_;
  Log<std::uint64_t> bits_;
  std::vector<std::uint8_t> state_;
  ir::Record record_;
};

}  // namespace cml::checker
