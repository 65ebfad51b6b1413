// A run of the brute force: the objects and the threads of a model, somewhere along a path.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/brute/call_log.h"
#include "tests/brute/state_key.h"
#include "tests/brute/walker.h"
#include "tests/brute/world.h"

namespace cml::brute {

/// A thread, and what is picked where its operation has alternatives.
struct Move {
  int thread = 0;
  std::vector<unsigned> script;
};
using Path = std::vector<Move>;

struct ThreadSeed {
  const model::Thread* decl = nullptr;
  std::string name;
  std::int32_t index = 0, process = 0;
  bool is_spawned = false;
};
/// All threads that run from the start, in their order.
[[nodiscard]] std::vector<ThreadSeed> seeds_of(const model::Model& model);

/// What all runs of a search have in common.
struct Setup {
  explicit Setup(const model::Model& m, std::size_t stack = kMaxStack)
      : model(m), kinds(m), max_stack(stack) {}
  const model::Model& model;
  Kinds kinds;
  std::size_t max_stack;
  std::set<Leaf> in_state;  // see World
  mutable Explanations explanations;
};

template <class Body>
void for_each_instance(const std::optional<model::IndexRange>& range, Body body) {
  if (!range) return body(0);
  for (std::int32_t i = range->lo; i <= range->hi; ++i)
    body(i);
}

/// A world and its threads, somewhere along a path.
///
/// A spawned thread is called by its spawner and the least number that no other thread has which
/// that one has spawned and which lives, or is referred to: Main/spawn0. So its name depends on
/// neither what others do nor, in a loop, on what was there before. Names have numbers in `seeds`,
/// to which a run adds those that it meets first.
class Run {
 public:
  Run(const Setup& setup, std::vector<ThreadSeed>& seeds, std::set<std::string>& covered);

  World world;
  std::vector<std::unique_ptr<Walker>> walkers;  // null: not spawned, perhaps on other paths
  Oracle* oracle = nullptr;
  int last_spawned = -1;  // its number
  /// How many threads had this number before.
  [[nodiscard]] int generation(int thread) const {
    const auto found = generations_.find(thread);
    return found == generations_.end() ? 0 : found->second;
  }

  void apply(const Move& move) {
    Oracle here(move.script);
    oracle = &here;
    step(move.thread);
    oracle = nullptr;
    settle();
  }
  /// A step of a thread, and of the one that it has met; returns which that is, or -1.
  int step(int thread) {
    walkers[static_cast<std::size_t>(thread)]->step();
    if (!world.handover) return -1;
    const int partner = world.handover->to;
    walkers[static_cast<std::size_t>(partner)]->step();
    return partner;
  }
  /// What is due after every step: the conditions that are pending now count as accesses.
  void settle();
  [[nodiscard]] std::string key(bool asks_candidates = true) const {
    return key_of(*this, asks_candidates).text;
  }
  /// Ended, spawned, owns no lock, and nobody can name it any more; of the objects of the heap,
  /// those that have names can be reached.
  [[nodiscard]] bool is_garbage(const Walker& walker, const Names& names) const;

 private:
  [[nodiscard]] std::vector<std::pair<int, int>> waits_at(int thread, const Leaf& channel,
                                                          bool to_receive) const;
  int spawn(int spawner, const model::Spawn& node, Words arguments);
  void create_objects(const model::Model& model, Walker& constants,
                      const std::vector<ThreadSeed>& seeds);

  const Setup& setup_;
  const model::Model& model_;
  std::vector<ThreadSeed>& seeds_;
  std::set<std::string>& covered_;
  std::map<int, int> generations_;
  bool awaits_ = false;  // some thread may
};

}  // namespace cml::brute
