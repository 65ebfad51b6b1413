// The second opinion on the meaning of a model: a search that walks the checked `Model` itself and
// shares no code with the IR, its interpreter or the checker's search.
//
// Each thread is a coroutine that walks its statements as a textbook interpreter would, and stops
// at every operation (language.md §7, granularity `access`). A state is reached by running all
// threads from the start along a path of (thread, choices); its key is what every thread has on its
// stack of unfinished statements and expressions, its variables, and the objects. Slow (every
// transition replays its path) and simple; for models of at most some thousand states.
//
// Left out: heap, spawn, recursion beyond the C++ stack, function calls in invariants and (beside
// daemons) in `finally`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "frontend/model.h"

namespace cml::brute {

struct Findings {
  bool complete = true;      // false: more states than the limit
  bool unsupported = false;  // uses what is left out
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::set<std::string> violations;  // "assertion A0 @123", "range A1", … see violation_key()
  /// The fewest transitions to a violation: "assertion @123", "semaphore-max s", "range",
  /// "divergence A0", "deadlock". A thread diverges from the first state on from which invisible
  /// transitions alone go on for ever; not known where locks are tried (rules.h).
  std::map<std::string, std::size_t> distances;
  bool tries_locks = false;
  std::set<std::string> deadlocks;  // "A0:m0.acquire A1:m1.acquire", all stuck threads
  std::set<std::set<std::string>> stuck_at_least;  // threads; see graph.h
  std::set<std::set<std::string>> stuck_at_most;
  std::set<std::string> covered;                            // labels
  std::map<std::string, std::set<std::string>> candidates;  // checked objects: locks left
  std::set<std::string> shared;  // checked objects that two threads or more access
  std::set<std::string> broken;  // objects that violate the discipline (global form)
};

struct Limits {
  std::uint64_t max_states = 5000;
};

[[nodiscard]] Findings explore(const model::Model& model, const Limits& limits);

}  // namespace cml::brute
