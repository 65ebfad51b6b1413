// Pictures of a model: graphs that are small enough to be looked at.
//
//   states   what can be reached, breadth-first from the initial state, up to so many states
//   locks    which lock is taken while which other is held, in the states that were reached; a
//            cycle is a deadlock that is possible, unless something else excludes it
//   flow     how control goes through the code of a thread, its calls expanded
//   waits    who waits for whom in the end of a violation's trace
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/options.h"
#include "checker/result.h"
#include "frontend/source.h"
#include "ir/system.h"

namespace cml::checker {

struct Graph {
  enum class Style : std::uint8_t {
    Plain,
    Initial,
    Ended,    // all threads have
    Stuck,    // nobody can go, or on a cycle
    Stopped,  // a thread has stopped at a violation
    Open,     // not all that follows is shown
  };
  struct Node {
    std::string text;  // may have several lines
    Style style = Style::Plain;
  };
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string text;
    bool is_dashed = false;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Nothing was left out for want of room, time or patience.
  bool is_whole = true;
};

/// At the granularity of the options, without a reduction. `stop`: ends it with what is there.
[[nodiscard]] Graph state_graph(const ir::System& system, const SourceSet& sources,
                                const Options& options, const std::atomic<bool>& stop);
[[nodiscard]] Graph lock_graph(const ir::System& system, const SourceSet& sources,
                               const Options& options, const std::atomic<bool>& stop);
[[nodiscard]] Graph flow_graph(const ir::System& system, const SourceSet& sources,
                               ir::ThreadId thread);
[[nodiscard]] Graph wait_graph(const Violation& violation);

}  // namespace cml::checker
