// What is decided about a thread's code before any code is generated: where runs of local
// instructions can loop, how many touches a transition can make, how the enabled actions of each
// location are found, which of its operations are visible, and what is left to the interpreter.
//
// Left to the interpreter are atomic blocks with both loops and choices (what a choice means there
// depends on when the loop detector looks), and places whose objects are laid out irregularly,
// which the front end never makes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/analyses.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::jit {

/// How the enabled actions of a location are found.
enum class Enabledness : std::uint8_t {
  Counted,  // always `count` of them: choices 0, 1, …
  Test,     // generated: 0 or 1; an atomic block that changes only locals, too
  Count,    // generated: how many of the choices 0, 1, … there are
  List,     // generated: a list of choices
  Trial,    // an atomic block without choices: it is tried on a copy of the state
  Trials,   // an atomic block with choices: each alternative is tried
  Meets,    // whom it can meet, by where the others are (meetings.h)
  Interpreted,
};

/// How `pending` is computed.
enum class Pending : std::uint8_t { Nothing, Native, Interpreted };
enum class Visible : std::uint8_t { Never, Always, Test };

struct LocationPlan {
  ir::Pc pc = 0;
  Enabledness enabledness = Enabledness::Counted;
  Visible visible = Visible::Always;
  Pending pending = Pending::Interpreted;
  bool interpreted = false;  // its micro-transitions
  bool is_region = false;
  bool meets = false;    // at a rendezvous: its halves (meetings.h)
  bool is_rare = false;  // interpreted, with a script, or of two threads
  std::uint32_t count = 1;
};

struct ThreadPlan {
  std::vector<LocationPlan> locations;  // by Location
  std::vector<bool> in_region;          // by Pc, the Atomic excluded, its AtomicEnd included
  std::vector<bool> loop_heads;         // by Pc: backward jumps to there close a cycle
  std::vector<bool> may_loop_from;      // by Pc: local instructions from there on can loop
  std::vector<bool> region_loops;       // by Pc of an Atomic
  std::vector<bool> is_regular;         // by Pc: generated code can execute it
  bool initialises = false;             // it has objects that are `init by` it
  std::uint32_t touches = 0;            // at most, of a micro-transition that does not loop
  std::uint32_t marks = 0;
};

struct Plan {
  /// `analyses` must outlive it.
  Plan(const ir::Analyses& analyses, const ir::Layout& layout, const ir::StepConfig& config);

  IdVector<ir::ThreadId, ThreadPlan> threads;
  const ir::Visibility& visibility;
  /// False: a run without a loop can exceed the limit on invisible transitions, which only the
  /// interpreter counts one by one.
  bool is_possible = true;
  /// How many invisible transitions generated code joins to a visible one before it returns.
  std::uint32_t fuel = 0;
  /// How many backward jumps a run may make before the interpreter looks whether it diverges.
  std::uint32_t loops = 0;
};

/// The same field of all objects that a place can denote: those of object i lie `stride` bytes
/// behind those of object i - 1.
struct Cells {
  ir::Field first;
  std::int64_t stride = 0;
};
/// None: the objects are laid out irregularly.
[[nodiscard]] std::optional<Cells> cells(const ir::Layout& layout, const ir::Place& place,
                                         std::size_t field);

}  // namespace cml::jit
