// What was decided on the way to a leaf of an atomic block, for who asks for its leaves one after
// the other.
//
// The choice of a block is the number of a leaf in the tree of its decisions (step.h), and the way
// to leaf n is known only by going to those before it. So the way to the leaf that was asked for
// last is kept, for a few states: the next one is a step from there. With a way from the start for
// each, a block with n leaves costs n² executions of it.
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

/// For StopToken::poll.
inline constexpr std::size_t kWorkOfLeaf = 1'000;

class ScriptCache {
 public:
  /// Of states with so many bytes.
  explicit ScriptCache(std::size_t bytes) : bytes_(bytes) {}

  /// The greatest leaf up to that of the action to which a way is known, and the way in `script`:
  /// what is decided behind its end is each time the first option. The first leaf and no decision
  /// if none is.
  std::uint32_t find(const std::uint8_t* state, Action action, Script& script) const;
  /// `script` is a way to the action's leaf.
  void keep(const std::uint8_t* state, Action action, const Script& script);

 private:
  struct Way {
    Action action;
    std::vector<std::uint8_t> state;  // empty: no way is kept here
    Script script;
  };
  // A few leaves are found faster than looked up. A search goes on from a state's other leaves when
  // it comes back to it, so as many ways are kept as its path has such states, mostly.
  static constexpr std::uint32_t kFirstKept = 4;
  static constexpr std::size_t kWays = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{1}
                                           << 16;  // of a state: kept only up to there

  [[nodiscard]] std::size_t place(const std::uint8_t* state, ThreadId thread) const;
  [[nodiscard]] bool keeps(Action action) const {
    return action.choice >= kFirstKept && bytes_ <= kMaxBytes;
  }

  std::size_t bytes_;
  std::vector<Way> ways_;  // none until the first is kept
};

}  // namespace cml::ir
