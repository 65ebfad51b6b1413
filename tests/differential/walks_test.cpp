// Random walks and walks by hand beside the full search, on random models: what a walk finds, the
// search finds; and the traces of the search can be walked, and end as it says.
#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "checker/simulate.h"
#include "checker/walk.h"
#include "tests/differential/subject.h"
#include "tests/harness/sanitized.h"
#include "tests/random/generator.h"

namespace cml::differential {
namespace {

constexpr std::uint64_t kModelsToWalk = test::kSanitized ? 20 : 120;
constexpr std::uint64_t kMostWalked = 3'000;

using checker::Violation;
using checker::ViolationKind;

std::set<std::string> kinds_of(const checker::Result& result) {
  std::set<std::string> kinds;
  for (const Violation& violation : result.violations)
    kinds.emplace(checker::name(violation.kind));
  return kinds;
}

checker::Options options_of_walks() {
  checker::Options options;
  options.all = true;
  options.engine = checker::Engine::Interpreter;
  return options;
}

/// Each random model, and all that there is to find in it.
void each_model(const std::function<void(Subject&, const checker::Result&)>& look) {
  for (std::uint64_t seed = 0; seed < kModelsToWalk; ++seed) {
    CAPTURE(seed);
    Subject& subject = Subject::of(random_models::generate(seed).text());
    if (!subject.has_model() || !subject.refused().empty()) continue;
    const checker::Result* truth = subject.truth(kMostWalked, checker::Discipline::Global);
    if (truth == nullptr) continue;
    look(subject, *truth);
  }
}

TEST_CASE("random walks find and meet nothing that the full search does not") {
  std::size_t violated = 0;
  std::size_t found = 0;
  each_model([&](Subject& subject, const checker::Result& truth) {
    for (const checker::Scheduler scheduler :
         {checker::Scheduler::Uniform, checker::Scheduler::Pct}) {
      checker::WalkOptions walks;
      walks.scheduler = scheduler;
      walks.runs = 30;
      walks.steps = 200;
      checker::WalkStatistics told;
      const checker::Result result =
          checker::simulate(subject.system(), subject.sources(), options_of_walks(), walks, told);
      CHECK_FALSE(result.internal_error);
      CHECK(result.verdict != checker::Verdict::Verified);
      CHECK(result.stats.states <= truth.stats.states);
      CHECK(told.ended + told.deadlocked + told.stopped + told.cut + told.found == told.runs);
      if (result.violations.empty()) continue;
      CHECK(truth.verdict == checker::Verdict::Violated);
      for (const std::string& kind : kinds_of(result)) {
        // Threads may be stuck while others go on, which then are stuck as well.
        const bool is_partial = kind == "partial-deadlock" && kinds_of(truth).contains("deadlock");
        CHECK_MESSAGE((kinds_of(truth).contains(kind) || is_partial), kind);
      }
      ++found;
    }
    violated += truth.verdict == checker::Verdict::Violated ? 2 : 0;
  });
  CHECK(violated > kModelsToWalk / 6);
  CHECK(found * 10 > violated * 8);  // of small models, walks find nearly all
}

/// Whether a walk alone shows it, without other executions and without the graph of all states.
bool is_of_one_walk(const Violation& violation) {
  return !violation.is_of_graph && violation.kind != ViolationKind::Livelock &&
         violation.kind != ViolationKind::LockDiscipline &&
         violation.kind != ViolationKind::FalseCommute;
}

TEST_CASE("the traces of the full search can be walked, and end as it says") {
  std::size_t walked = 0;
  each_model([&](Subject& subject, const checker::Result& truth) {
    for (const Violation& violation : truth.violations) {
      if (violation.is_trace_lost) continue;
      checker::Walk walk(subject.system(), subject.sources(), options_of_walks());
      for (const checker::TraceStep& step : violation.trace) {
        std::vector<ir::Action> actions = walk.actions_of(step.thread);
        if (step.choice)
          std::erase_if(actions, [&](ir::Action one) { return one.choice != *step.choice; });
        REQUIRE(actions.size() == 1);
        const std::vector<checker::Move> moves = walk.moves();
        CHECK(std::any_of(moves.begin(), moves.end(),
                          [&](const checker::Move& move) { return move.action == actions[0]; }));
        walk.take(actions[0]);
      }
      const std::vector<checker::TraceStep> trace = walk.trace();
      REQUIRE(trace.size() == violation.trace.size());
      for (std::size_t i = 0; i < trace.size(); ++i)
        CHECK(trace[i].operation == violation.trace[i].operation);
      if (!is_of_one_walk(violation)) continue;
      const checker::Walk::Found found = walk.found();
      CHECK_MESSAGE(std::any_of(found.violations.begin(), found.violations.end(),
                                [&](const Violation& one) {
                                  return one.kind == violation.kind &&
                                         one.message == violation.message;
                                }),
                    violation.message);
      ++walked;
      // There and back.
      walk.back(violation.trace.size());
      const std::vector<std::uint8_t> first = walk.state();
      CHECK(walk.path().empty());
      CHECK(first ==
            checker::Walk(subject.system(), subject.sources(), options_of_walks()).state());
    }
  });
  CHECK(walked > kModelsToWalk / 10);
}

}  // namespace
}  // namespace cml::differential
