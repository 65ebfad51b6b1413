// What is decided about a thread's code before any code is generated: where runs of local
// instructions can turn, how many touches a transition can make, how the actions of each location
// are found, which of its operations are visible, and which few are left to the interpreter.
//
// Left to the interpreter are atomic blocks that turn and decide at once (what a decision is
// depends on where the loop detector looks), and places whose objects are laid out irregularly,
// which the front end never makes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/visibility.h"
#include "ir/exec/state_layout.h"
#include "ir/exec/step.h"
#include "ir/system.h"

namespace cml::jit {

/// How the enabled actions of a location are found.
enum class Enabledness : std::uint8_t {
  Counted,  // always `count` of them: choices 0, 1, …
  Test,     // generated: 0 or 1; an atomic block that changes only locals, too
  Count,    // generated: how many, choices 0, 1, …
  List,     // generated: a list of choices
  Trial,    // an atomic block without decisions: it is tried on a copy of the state
  Trials,   // an atomic block with decisions: each way is tried
  Interpreted,
};

/// What to do about `pending`.
enum class Pending : std::uint8_t { Nothing, Native, Interpreted };
enum class Visible : std::uint8_t { Never, Always, Test };

struct LocationPlan {
  ir::Pc pc = 0;
  Enabledness enabledness = Enabledness::Counted;
  Visible visible = Visible::Always;
  Pending pending = Pending::Interpreted;
  bool interpreted = false;  // its micro-transitions
  bool is_region = false;
  bool is_rare = false;  // interpreted, or with a script
  std::uint32_t count = 1;
};

struct ThreadPlan {
  std::vector<LocationPlan> locations;  // by Location
  std::vector<bool> in_region;          // by Pc, the Atomic excluded, its AtomicEnd included
  std::vector<bool> turns;              // by Pc: backward jumps to there close a cycle
  std::vector<bool> turns_from;         // by Pc: local instructions from there on can turn
  std::vector<bool> region_turns;       // by Pc of an Atomic
  bool initialises = false;             // it has objects that are `init by` it
  std::uint32_t touches = 0;            // at most, of a micro-transition that does not turn
  std::uint32_t marks = 0;
};

struct Plan {
  Plan(const ir::System& system, const ir::Layout& layout, const ir::StepConfig& config);

  IdVector<ir::ThreadId, ThreadPlan> threads;
  ir::Visibility visibility;
  /// False: a run without a turn can exceed the limit on invisible steps, which only the
  /// interpreter counts one by one.
  bool is_possible = true;
  /// How many invisible transitions generated code joins to a visible one before it asks.
  std::uint32_t fuel = 0;
  /// How often a run may turn before the interpreter looks whether it comes back.
  std::uint32_t turns = 0;
};

/// The same field of all objects that a place can mean: those of object i lie `stride` bytes behind
/// those of object i - 1.
struct Cells {
  ir::Field first;
  std::int64_t stride = 0;
};
/// None: the objects are laid out irregularly.
[[nodiscard]] std::optional<Cells> cells(const ir::Layout& layout, const ir::Place& place,
                                         std::size_t field);

}  // namespace cml::jit
