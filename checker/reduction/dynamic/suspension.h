// What the parsimonious reduction keeps of the part of the path that it has gone back over to
// explore something else from a state before: enough to come back to where it was.
//
//   path       ●──e──●──────●──e′──●         e and e′ are in a race: v reverses it
//              target
//   at once    ●──v──●──…                    all that begins with v
//   then       ●──e──●──────●──e′──●──…      along the tail, and on from there
//
// Suspensions lie on a stack: while v is explored, more of the path can be suspended, from the
// target on or from a state before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checker/reduction/dynamic/sleep_sequences.h"
#include "checker/reduction/sleep.h"

namespace cml::checker {

/// What is to be explored from a state of the path, and what sleeps there meanwhile.
struct Schedule {
  Depth at = 0;
  Sequence sequence;
  std::vector<Sequence> asleep;
  bool is_expansion = false;  // not for a race: all that is enabled must be explored
};

/// Of a state of the path, and of the event that leads on from there.
struct PathNote {
  ir::Action taken;               // none: invalid
  bool is_scheduled = false;      // that event belongs to a schedule,
  bool is_head = false;           // and is its last one
  bool is_closed = false;         // nothing else is taken from here
  bool is_expanded = false;       // but all of it is, as schedules
  bool is_possible = false;       // where the event is in a race: in front of what it races with,
  SummaryId summary;              // and all that it may do
  std::size_t inherited = 0;      // how many of those who sleep here slept when it was entered
  std::vector<Sleeper> expanded;  // sleep here once the event is done
  std::vector<Sequence> asleep;   // for a schedule that is explored from here
  std::vector<std::vector<EventNumber>> reversed;  // races of a thread that has several choices
};

struct Suspension {
  /// A state that was gone back over.
  struct Frame {
    PathNote note;
    bool leads_on = false;            // the next frame is entered by what was taken
    std::vector<std::uint8_t> items;  // their states
    std::vector<Sleeper> sleepers;    // that were added
  };
  enum class Phase : std::uint8_t { GoesBack, Explores };

  std::vector<Schedule> schedules;  // the last is the next one, or the one that is explored
  Phase phase = Phase::GoesBack;
  bool leads_on = false;    // something is left to do further on
  std::vector<Frame> tail;  // the last is the nearest to the target
  // Of the target, while a schedule is explored from it.
  PathNote note;
  std::vector<std::uint8_t> items;
  std::size_t sleepers = 0;
  std::size_t sequences = 0;

  [[nodiscard]] Depth target() const { return schedules.back().at; }
};

}  // namespace cml::checker
