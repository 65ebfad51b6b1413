// The second opinion on the meaning of a model: a search that walks the checked `Model` itself and
// shares no code with the IR, its interpreter or the checker's search.
//
// Each thread is a coroutine that walks its statements as a textbook interpreter would, and stops
// at every operation (docs/reference.md, "Transitions", granularity `access`). A state is reached
// by running all threads from the start along a path of (thread, choices); its key is what every
// thread has on its stack of unfinished statements and expressions, its variables, and the objects.
// Slow (every transition replays its path) and simple; for models of at most some thousand states.
//
// Left out: `commutes` declarations, which are not verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/model.h"
#include "tests/brute/graph.h"

namespace cml::brute {

struct Violation {
  std::string kind;
  std::string object;        // where it is about one
  std::string thread;        // empty: of an invariant or of `finally`
  bool in_function = false;  // not in the text of the thread, or of the property
  std::uint32_t place = 0;   // of an assertion
  auto operator<=>(const Violation&) const = default;
};

/// Of a property of executions. Fault: a condition has no value in some state.
enum class PropertyVerdict : std::uint8_t { Holds, Fails, Fault, TooLarge };

struct Findings {
  bool complete = true;      // false: more states than the limit
  bool unsupported = false;  // uses what is left out
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::set<Violation> violations;
  /// The fewest transitions to a violation: "assertion @123", "semaphore-max s", "range",
  /// "divergence A0", "deadlock". A thread diverges from the first state on from which invisible
  /// transitions alone go on for ever; not known where locks are tried (rules.h).
  std::map<std::string, std::size_t> distances;
  bool tries_locks = false;
  std::set<StuckVector> deadlocks;  // see graph.h
  std::set<StuckVector> stuck_exactly;
  std::set<StuckVector> stuck_at_least;
  std::set<std::string> spinning;                           // see graph.h
  std::set<std::string> covered;                            // labels
  std::vector<PropertyVerdict> properties;                  // of executions, as in the model
  std::map<std::string, std::set<std::string>> candidates;  // checked objects: locks left
  std::set<std::string> shared;  // checked objects that two threads or more access
  std::set<std::string> broken;  // objects that violate the discipline (global form)
  /// Objects to which two threads make accesses one right behind the other, of which one writes.
  /// Whoever learns by a look that fails (`tryAcquire`, `size`) what others did is ordered by
  /// nothing, and yet comes later: then there may be more races than these.
  std::set<std::string> racing;
  bool learns_by_looks = false;
  /// "guard x", "init-order x": accesses that were made, not those that a condition waits to make.
  std::set<std::string> undeclared;
  /// Objects whose candidates belong to the state: of the heap, or used under a lock of the heap.
  std::set<std::string> in_state;
  /// Of these: the locks that protect every one in every execution, and otherwise how the locks are
  /// related to it that protect each one that is written (lock_relations.h).
  std::map<std::string, std::set<std::string>> lasting;
  std::map<std::string, std::set<std::string>> of_each;
};

struct Limits {
  std::uint64_t max_states = 5000;
  std::size_t max_stack = kMaxStack;
};

[[nodiscard]] Findings explore(const model::Model& model, const Limits& limits);

}  // namespace cml::brute
