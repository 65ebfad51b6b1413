// Shorter traces. The path on which a search has found a violation has more in it than what leads
// there: threads that go round, steps that nothing in the end depends on, switches between threads
// that need not be. What is left out is found by trying: each attempt is executed in the
// interpreter, and kept if the same violation is at its end. So a shorter trace is as true as the
// first, whatever is tried.
//
//   what happens behind the violation goes
//   cycles     from a state, or at least from where all threads stand, to where it is met last
//   shortcuts  to a state on the path, or to the violation (shortcut.h)
//   threads    the last steps of a thread, as many as can be spared; rounds of a thread by itself
//   switches   each thread goes on for as long as it can; parts of a thread are joined
//
// The steps of a thread that are left are an execution of the thread from its beginning, so nothing
// in the middle can be left out but rounds, from a state of the thread to the same state. In the
// manner of delta debugging (Zeller and Hildebrandt, 2002), with parts that make sense here.
//
// What is left out: ways to another state with the same violation. Cost: some
// thousand executions of short traces, and few of long ones: there is a budget of transitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "checker/finding/replay.h"
#include "checker/finding/shortcut.h"
#include "checker/path.h"

namespace cml::checker {

/// How many micro-transitions of a path lead to what is to be explained; none: it is not there.
using Leads = std::function<std::optional<std::size_t>(const Path&)>;

/// `path`, which leads to it, or a shorter one that does, with no more switches between threads.
/// Of the budget, the transitions that were executed are taken away.
[[nodiscard]] Path shortened(Replayer& replayer, Path path, const Leads& leads, const Goal& goal,
                             std::uint64_t& budget);

/// How often another thread goes on.
[[nodiscard]] std::size_t switches(const Path& path);

}  // namespace cml::checker
