// The graph of a brute-force search, and what can only be judged when it is complete: divergence,
// threads that are about to stop, and who is stuck.
//
// Partial deadlocks are enclosed from two sides, since "could enable" is a static question
// (language.md §5) and this search is not:
//
//   at least   stuck even if every thread outside that has not ended could do whatever its whole
//              body names: the checker must report these, or more threads with them
//   at most    threads that never move again, whatever happens: what the checker reports is among
//              these
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/brute/walker.h"

namespace cml::brute {

struct Node {
  struct OfThread {
    Walker::Status status = Walker::Status::Pending;
    bool blocked = false;
    std::set<std::uint32_t> waits_for;     // blocked: declarations of objects
    bool waits_for_anything = false;       // blocked: at a condition
    std::optional<int> waits_for_owner;    // blocked: at a lock that this thread owns
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
};

struct ThreadFacts {
  std::string name;
  bool daemon = false;
  std::set<std::uint32_t> names;  // declarations that its body names
};

class Graph {
 public:
  explicit Graph(std::vector<ThreadFacts> threads) : threads_(std::move(threads)) {}

  std::vector<Node> nodes;
  std::vector<Edge> edges;

  /// Comes back to where it was by invisible transitions alone.
  [[nodiscard]] bool diverges(std::size_t thread) const;
  /// Some thread has stopped, or invisible transitions alone lead it there, or nowhere.
  [[nodiscard]] bool about_to_stop(const Node& node) const;
  [[nodiscard]] std::set<std::set<std::string>> stuck_at_least() const;
  [[nodiscard]] std::set<std::set<std::string>> stuck_at_most() const;

 private:
  [[nodiscard]] bool leads_to_stop(const Node& node, std::size_t thread) const;
  [[nodiscard]] bool could_be_enabled(const Node& node, std::size_t thread,
                                      const std::vector<bool>& stuck) const;
  [[nodiscard]] std::set<std::string> names(const std::vector<bool>& stuck) const;

  std::vector<ThreadFacts> threads_;
};

}  // namespace cml::brute
