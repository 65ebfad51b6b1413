// The scripts of leaves of atomic blocks (execution.h), for callers that ask for the leaves of a
// block one after the other.
//
// The choice of a block is the number of a leaf in the tree of its decisions (step.h), and the path
// to leaf n is found only by visiting those before it. So the script of the leaf that was asked for
// last is kept, for a few states: from there, the next leaf is one step. Without that, a block with
// n leaves costs n² executions of it.
//
// Exact: states are compared. Cost: a hash of the state, and a copy of it and the script.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/exec/execution.h"
#include "ir/exec/step.h"

namespace cml::ir {

/// What visiting a leaf counts for StopToken::poll.
inline constexpr std::size_t kWorkOfLeaf = 1'000;

class ScriptCache {
 public:
  /// For states of so many bytes.
  explicit ScriptCache(std::size_t bytes) : bytes_(bytes) {}

  /// The greatest leaf up to that of the action whose script is kept, and that in `script`; behind
  /// the end of a script, each decision is for the first option. Where none is kept, the first leaf
  /// and no decisions.
  std::uint32_t find(const std::uint8_t* state, Action action, Script& script) const;
  /// `script` leads to the action's leaf.
  void keep(const std::uint8_t* state, Action action, const Script& script);

 private:
  struct Kept {
    Action action;
    std::vector<std::uint8_t> state;  // empty: nothing is kept here
    Script script;
  };
  // The first few leaves are found faster than looked up. A depth-first search continues with the
  // next leaf of a state when it backtracks to it, so the scripts are kept of as many states as its
  // path mostly has.
  static constexpr std::uint32_t kFirstKept = 4;
  static constexpr std::size_t kPlaces = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 16;  // larger states are not kept

  [[nodiscard]] std::size_t place(const std::uint8_t* state, ThreadId thread) const;
  [[nodiscard]] bool keeps(Action action) const {
    return action.choice >= kFirstKept && bytes_ <= kMaxBytes;
  }

  std::size_t bytes_;
  std::vector<Kept> kept_;  // by hash; empty until the first is kept
};

}  // namespace cml::ir
