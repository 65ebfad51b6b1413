// Walks a trace of the checker in a run of the brute force (traces.h).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/result.h"
#include "tests/brute/rules.h"
#include "tests/brute/run.h"

namespace cml::differential {

class Follower {
 public:
  /// The model must outlive it.
  explicit Follower(const model::Model& model);

  /// All steps of a trace, from the initial state. Nothing: they are possible, and do what they are
  /// said to do.
  [[nodiscard]] std::optional<std::string> follow(const std::vector<checker::TraceStep>& trace);

  /// Where it stands. Once something is wrong, nowhere.
  [[nodiscard]] brute::Run& run() { return *run_; }
  [[nodiscard]] brute::Rules& rules() { return rules_; }
  [[nodiscard]] std::optional<int> thread(const std::string& name) const;
  [[nodiscard]] bool can_move(int thread) const;
  /// What the thread, which cannot go, looks at while it waits is in the world of the result.
  [[nodiscard]] std::unique_ptr<brute::Run> waiting(int thread) const;
  /// Texts of the trace as the brute force has them: with classes for objects of the heap.
  [[nodiscard]] std::string plain(const std::string& text, bool is_object) const;

  /// None of these can ever move again; true as well if there are too many states to know.
  [[nodiscard]] bool are_stuck(const std::set<int>& threads) const;
  /// How many of the steps come before the thread is alone, by invisible transitions, to the end.
  [[nodiscard]] std::size_t steps_before_alone(int thread) const;
  /// A state of the steps behind `first` is the last one, too.
  [[nodiscard]] bool comes_back(std::size_t first) const;

 private:
  using Scripts = std::vector<std::vector<unsigned>>;

  using Waiting = std::vector<std::optional<std::pair<brute::Leaf, int>>>;

  [[nodiscard]] std::optional<std::string> step(const checker::TraceStep& step);
  /// Whether the result is told as it will be.
  [[nodiscard]] std::optional<std::string> answers(const checker::TraceStep& step,
                                                   int thread) const;
  /// Whether those are told that do not wait any more. `names`: of the threads.
  [[nodiscard]] std::optional<std::string> wakes(const checker::TraceStep& step,
                                                 const Waiting& before,
                                                 const std::vector<std::string>& names) const;
  /// What traces call the threads, by number.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] int last_spawned() const { return run_->last_spawned; }
  [[nodiscard]] std::unique_ptr<brute::Run> at(const brute::Path& path) const;
  /// Every way to go on, in order; those that are blocked in the end are empty.
  [[nodiscard]] std::vector<std::optional<brute::Move>> ways(const brute::Path& path,
                                                             int thread) const;
  [[nodiscard]] bool is_way(const checker::TraceStep& step, const brute::Way& way) const;
  [[nodiscard]] std::optional<brute::Move> chosen(const checker::TraceStep& step,
                                                  const brute::Walker& walker) const;

  const model::Model& model_;
  brute::Setup setup_;
  mutable std::vector<brute::ThreadSeed> seeds_;  // runs add those that they spawn
  std::map<std::string, int> spawned_;            // what traces call them
  brute::Rules rules_;
  mutable std::set<std::string> covered_;
  std::unique_ptr<brute::Run> run_;
  brute::Path path_;
  std::vector<bool> invisible_;    // by step
  std::vector<std::string> keys_;  // of states, the initial one first
};

}  // namespace cml::differential
