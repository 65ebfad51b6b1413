// The checker against SPIN on random models, on the examples and on the models of the tests. A
// difference is shrunk before it is shown; what it shows belongs into tests/models.
#include "tests/spin/second_opinion.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/random/generator.h"
#include "tests/spin/guards.h"

// Nothing here is worth running under a sanitizer: most of the time is a C compiler's.
#ifndef CML_SANITIZED

namespace cml::spin {
namespace {

constexpr std::uint64_t kModels = 135;
constexpr std::uint64_t kMaxStates = 1500;
constexpr std::uint64_t kMaxFileStates = 20'000;

struct Task {
  std::string name;
  std::string text;
  std::uint64_t max_states = kMaxStates;
  std::uint64_t seed = 0;
  Opinion opinion = {};
};

/// On all cores.
void run_all(std::vector<Task>& tasks) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&tasks, &next] {
    for (std::size_t i = next++; i < tasks.size(); i = next++)
      tasks[i].opinion = second_opinion(tasks[i].name, tasks[i].text, tasks[i].max_states);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(std::thread::hardware_concurrency(), 1U); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread& thread : threads)
    thread.join();
}

/// CML_SEEDS=first:last runs a campaign instead of the standard seeds.
std::pair<std::uint64_t, std::uint64_t> seeds() {
  const char* range = std::getenv("CML_SEEDS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (range == nullptr) return {0, kModels};
  const std::string text = range;
  return {std::stoull(text), std::stoull(text.substr(text.find(':') + 1))};
}

/// Three of four have guards and properties of their own, besides.
random_models::ModelTree model(std::uint64_t seed) {
  random_models::ModelTree plain = random_models::generate(seed);
  return seed % 4 == 0 ? plain : with_guards(std::move(plain), seed);
}

/// Of a campaign: how many models were not compared, and why.
void tell(const std::vector<Task>& tasks) {
  std::map<std::string, std::size_t> why;
  for (const Task& task : tasks)
    if (task.opinion.outcome != Outcome::Differ) ++why[task.opinion.report];
  for (const auto& [report, count] : why)
    MESSAGE(count << std::string(report.empty() ? " agree" : " not compared: ") << report);
}

TEST_CASE("SPIN finds the same deadlocks, violations and states in random models") {
  const auto [first, last] = seeds();
  std::vector<Task> tasks;
  for (std::uint64_t seed = first; seed < last; ++seed)
    tasks.push_back({"random.cml", model(seed).text(), kMaxStates, seed});
  run_all(tasks);
  std::size_t compared = 0;
  std::size_t with_states = 0;  // the graphs are equal state by state
  int shown = 0;
  for (const Task& task : tasks) {
    const Outcome outcome = task.opinion.outcome;
    if (outcome == Outcome::Agree) ++compared;
    if (outcome == Outcome::Agree && task.opinion.states_compared) ++with_states;
    if ((outcome != Outcome::Differ && outcome != Outcome::Wrong) || ++shown > 3) continue;
    const random_models::ModelTree small = random_models::shrink(
        model(task.seed),
        [outcome](const random_models::ModelTree& candidate) {
          return second_opinion("random.cml", candidate.text(), kMaxStates).outcome == outcome;
        },
        200);
    FAIL_CHECK("seed " << task.seed << ":\n"
                       << second_opinion("random.cml", small.text(), kMaxStates).report
                       << small.text());
  }
  if (first != 0 || last != kModels) tell(tasks);
  CHECK(compared * kModels >= (last - first) * 100);
  CHECK(with_states * kModels >= (last - first) * 80);
}

std::vector<Task> files(const char* folder) {
  std::vector<Task> tasks;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cml")
      tasks.push_back({entry.path(), test::read_file(entry.path()), kMaxFileStates});
  std::ranges::sort(tasks, {}, &Task::name);
  return tasks;
}

TEST_CASE("SPIN finds the same in the examples and in the models of the tests") {
  std::vector<Task> tasks = files(CML_SOURCE_DIR "/examples");
  for (Task& task : files(CML_SOURCE_DIR "/tests/models"))
    tasks.push_back(std::move(task));
  run_all(tasks);
  std::size_t compared = 0;
  for (const Task& task : tasks) {
    CAPTURE(task.name);
    CAPTURE(task.opinion.report);
    CHECK(task.opinion.outcome != Outcome::Differ);
    CHECK(task.opinion.outcome != Outcome::Wrong);
    if (task.opinion.outcome == Outcome::Agree) ++compared;
  }
  CHECK(compared * 5 >= tasks.size() * 4);
}

}  // namespace
}  // namespace cml::spin

#endif
