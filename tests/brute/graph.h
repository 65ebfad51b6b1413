// The graph of a brute-force search, and what can only be judged when it is complete: divergence,
// threads that are about to stop, and who is stuck.
//
// Who is stuck is decided three times, since the definition (docs/reference.md, "Deadlock") asks
// what may happen by the code, and this search knows what does happen:
//
//   deadlocks  no thread is enabled: all that have not ended are stuck. The definitions agree here,
//              so the checker must report exactly these
//   exactly    a blocked thread that moves in no continuation. What the checker reports is among
//              these, else it is wrong. The reverse does not hold: code that is never reached
//              again, or a thread that will stop before it releases its lock, "may" still enable
//   at least   stuck even if every other thread that has not ended could do whatever its whole body
//              names. Weaker than the definition, so the checker must report these, perhaps with
//              more threads
//
// A state in which a thread has stopped, or is about to by invisible transitions alone, has neither
// deadlock nor partial deadlock (docs/reference.md, "Violations"); nor has one in which only
// daemons are stuck.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/brute/walker.h"

namespace cml::brute {

[[nodiscard]] bool has_stopped(Walker::Status status);

struct Node {
  struct OfThread {
    Walker::Status status = Walker::Status::Pending;
    bool blocked = false;
    std::string operation;                 // blocked: "m0.acquire"
    std::set<std::uint32_t> waits_for;     // blocked: declarations of objects
    bool waits_for_anything = false;       // blocked: at a condition
    std::optional<int> waits_for_owner;    // blocked: at a lock that this thread owns
    std::optional<int> waits_for_end;      // blocked: of this thread
    std::optional<std::size_t> invisible;  // the node that its invisible transition leads to
  };
  std::vector<OfThread> threads;
  std::vector<Stop> finals;            // what `finally` finds, if all have ended,
  std::set<std::string> final_covers;  // and the labels that it covers

  [[nodiscard]] bool moves() const;
};

struct Edge {
  std::size_t from = 0, to = 0;
  int thread = 0;
  bool changes = false;  // an object
  int partner = -1;      // a thread that it moves besides
};

struct ThreadFacts {
  std::string name;
  bool daemon = false;
  std::set<std::uint32_t> names;  // declarations that its body names
};

/// Who is stuck where: "A0:m0.acquire". Conditions and atomic blocks are "A0:block @17", whatever
/// they say, where 17 is their place in the text.
using StuckVector = std::set<std::string>;

class Graph {
 public:
  explicit Graph(std::vector<ThreadFacts> threads) : threads_(std::move(threads)) {}

  /// Threads that were met later are in all nodes afterwards; where they were not, they have ended.
  void set_threads(std::vector<ThreadFacts> threads);

  std::vector<Node> nodes;
  std::vector<Edge> edges;

  /// Comes back to where it was by invisible transitions alone.
  [[nodiscard]] bool diverges(std::size_t thread) const;
  /// Some thread has stopped, or invisible transitions alone lead it there, or nowhere.
  [[nodiscard]] bool about_to_stop(const Node& node) const;
  [[nodiscard]] std::set<StuckVector> deadlocks() const;
  [[nodiscard]] std::set<StuckVector> stuck_exactly() const;
  [[nodiscard]] std::set<StuckVector> stuck_at_least() const;
  /// The threads that are lost and not stuck (docs/liveness.md): from a node on, in which nobody
  /// stops, they never change an object, never end or stop, and behind it they go on for ever.
  [[nodiscard]] std::set<std::string> spinning() const;

 private:
  [[nodiscard]] bool leads_to_stop(const Node& node, std::size_t thread) const;
  /// The nodes from which one of these can be reached, these included.
  void add_all_before(std::vector<bool>& nodes) const;
  /// The nodes from which a transition of the thread can be reached of which this is true.
  template <class Is>
  [[nodiscard]] std::vector<bool> before_transition(std::size_t thread, Is is) const;
  [[nodiscard]] bool could_be_enabled(const Node& node, std::size_t thread,
                                      const std::vector<bool>& stuck) const;
  /// Puts who is stuck in the node into the set, if somebody is who counts, and nobody stops.
  void add(const Node& node, const std::vector<bool>& stuck, std::set<StuckVector>& out) const;

  std::vector<ThreadFacts> threads_;
};

}  // namespace cml::brute
