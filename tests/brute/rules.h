// What a model says about its runs as a whole: which transitions are invisible, and what its
// invariants and its `finally` find in a state.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tests/brute/mentions.h"
#include "tests/brute/run.h"

namespace cml::brute {

class Rules {
 public:
  /// Both must outlive it.
  Rules(const Setup& setup, const std::vector<ThreadSeed>& seeds);

  /// Whether the thread's next operation is invisible (docs/reference.md, "Transitions").
  [[nodiscard]] bool invisible(const Run& run, int thread) const;
  /// Locks that are tried somewhere have visible releases. Which ones those are is not looked into:
  /// where any is tried, all count.
  [[nodiscard]] bool tries_locks() const { return !tried_locks_.empty(); }
  /// What the invariants say of this state; empty if they hold.
  [[nodiscard]] std::vector<Stop> invariants(const Run& run);
  /// Whether a condition holds in this state; nothing: it has no value.
  [[nodiscard]] std::optional<bool> condition(const Run& run, model::ExprId condition);
  /// What `finally` finds in it, and the labels that it covers.
  [[nodiscard]] std::vector<Stop> finals(const Run& run, std::set<std::string>& covered);

 private:
  /// By a thread that does not own it, or by a property.
  [[nodiscard]] bool looked_at(const Leaf& lock) const;
  /// Whether no operation of the block that the thread is about to run is visible, on any way.
  [[nodiscard]] bool block_invisible(const Run& run, const Walker& walker) const;
  void find_tried_locks();
  void find_watched();
  /// Shows a walker on a copy of the world to `look`, for each process that a property belongs to;
  /// adds what calls in it have violated to `soft`.
  template <class Look>
  void for_each_observer(const Run& run, const std::optional<model::ProcessId>& process,
                         std::set<std::string>& covered, std::vector<Stop>& soft, Look look);

  const Setup& setup_;
  const model::Model& model_;
  const std::vector<ThreadSeed>& seeds_;
  std::set<std::uint32_t> tried_locks_;
  bool writes_ = false;                   // some code takes a reader-writer lock for writing
  Variables watched_;                     // their writes are visible
  std::set<std::string> ignored_covers_;  // none: in invariants stands no `cover`
};

}  // namespace cml::brute
