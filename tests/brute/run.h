// A run of the brute force: the objects and the threads of a model, somewhere along a path.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
};
/// All threads that run from the start, in their order.
[[nodiscard]] std::vector<ThreadSeed> seeds_of(const model::Model& model);

template <class Body>
void for_each_instance(const std::optional<model::IndexRange>& range, Body body) {
  if (!range) return body(0);
  for (std::int32_t i = range->lo; i <= range->hi; ++i)
    body(i);
}

/// A world and its threads, somewhere along a path.
class Run {
 public:
  Run(const model::Model& model, const std::vector<ThreadSeed>& seeds,
      std::set<std::string>& covered);

  World world;
  std::vector<std::unique_ptr<Walker>> walkers;
  Oracle* oracle = nullptr;

  void apply(const Move& move) {
    Oracle here(move.script);
    oracle = &here;
    walkers[static_cast<std::size_t>(move.thread)]->step();
    oracle = nullptr;
  }
  [[nodiscard]] std::string key() const {
    std::string out = world.key();
    for (const auto& walker : walkers)
      out += "|" + walker->key();
    return out;
  }

 private:
  void create_objects(const model::Model& model, Walker& constants,
                      const std::vector<ThreadSeed>& seeds);
};

}  // namespace cml::brute
