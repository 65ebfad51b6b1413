// From the futures of states to findings: which threads are stuck or spin in a state, how one gets
// there, and the loop in which a thread spins.
//
//   initial ──path──▶ a state from which it is lost ──▶ ○ ──its transition──▶ ○ ──▶ … back
//                                                       └────────── loop ──────────┘
//
// The loop lies in a component that is never left; if the thread alone comes back, nobody else
// moves in it.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "checker/monitor/finding.h"
#include "checker/monitor/stuck.h"
#include "checker/path.h"
#include "checker/search/futures.h"

namespace cml::checker {

class LostFindings {
 public:
  /// All must outlive it.
  LostFindings(Futures& futures, StuckMonitor& stuck, const ir::Step& step)
      : futures_(futures),
        stuck_(stuck),
        system_(step.system()),
        layout_(step.layout()),
        found_(true, false) {}

  using MakePath = std::function<Path()>;
  /// Adds those of a state of `futures` in which no thread has stopped; `path` leads there.
  void add(StateNumber at, const std::uint8_t* state, const MakePath& path);
  [[nodiscard]] const Findings& found() const { return found_; }

 private:
  using Takes = std::function<bool(StateNumber from, const Futures::Successor&)>;

  void add_stuck(StateNumber at, const std::uint8_t* state, const MakePath& path);
  void add_spinning(StateNumber at, ir::ThreadId thread, const MakePath& path);
  /// The objects whose values change in the component of a state.
  [[nodiscard]] std::vector<ir::ObjectId> changing(StateNumber inside);
  /// The shortest path by transitions that `takes` allows, to a transition that `ends` it: that is
  /// the last of the path. And where it ends.
  struct Found {
    Path path;
    StateNumber from = 0;  // of the last transition
    StateNumber to = 0;
  };
  [[nodiscard]] std::optional<Found> find(StateNumber from, const Takes& takes, const Takes& ends);

  Futures& futures_;
  StuckMonitor& stuck_;
  const ir::System& system_;
  const ir::Layout& layout_;
  Findings found_;
};

}  // namespace cml::checker
