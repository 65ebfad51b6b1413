// A shorter way to a state of a path, or to where it leads: a small breadth-first search from the
// beginning, over all micro-transitions, that looks for states of the path which it comes to by
// fewer of them, and for the goal. So a way round that a depth-first search has taken is found even
// where no part of it can be left out.
#pragma once

#include <cstdint>
#include <functional>

#include "checker/finding/replay.h"
#include "checker/path.h"

namespace cml::checker {

/// Whether a transition, or a state in which nothing moves, is what the path leads to; or no such
/// function: that is not seen from one transition. The record of the latter is empty.
using Goal =
    std::function<bool(const ir::Record& record, const std::uint8_t* state, bool nothing_moves)>;

/// The path, or one that is shorter. Of the budget, the transitions that were executed are taken
/// away.
[[nodiscard]] Path with_shortcut(Replayer& replayer, const Path& path, const Goal& goal,
                                 std::uint64_t& budget);

}  // namespace cml::checker
