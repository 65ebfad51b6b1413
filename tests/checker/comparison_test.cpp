// Which answers of two searches contradict each other, and which do not.
#include "checker/comparison.h"

#include <doctest/doctest.h>
#include <initializer_list>

namespace {

using namespace cml::checker;

Compared searched(Verdict verdict, std::initializer_list<ViolationKind> kinds = {}) {
  Compared one;
  one.result.verdict = verdict;
  one.result.checked_hangs = true;
  for (const ViolationKind kind : kinds) {
    Violation violation;
    violation.kind = kind;
    one.result.violations.push_back(violation);
  }
  return one;
}

bool contradict(const Compared& a, const Compared& b) {
  const Compared both[] = {a, b};
  const Compared reversed[] = {b, a};
  CHECK(disagreement(both).has_value() == disagreement(reversed).has_value());
  return disagreement(both).has_value();
}

const Compared kVerified = searched(Verdict::Verified);
const Compared kDeadlock = searched(Verdict::Violated, {ViolationKind::Deadlock});

TEST_CASE("verified and violated contradict each other") {
  CHECK(contradict(kVerified, kDeadlock));
  CHECK_FALSE(contradict(kVerified, kVerified));
  const Compared partial = searched(Verdict::Violated, {ViolationKind::PartialDeadlock});
  CHECK_FALSE(contradict(kDeadlock, partial));
  const Compared all[] = {kVerified, searched(Verdict::Inconclusive), kVerified, kDeadlock};
  const auto two = disagreement(all);
  REQUIRE(two.has_value());
  CHECK(two->first == 0);
  CHECK(two->second == 3);
}

TEST_CASE(
    "what was found counts, whatever ended the search; that nothing was, only of a whole one") {
  CHECK_FALSE(contradict(searched(Verdict::Inconclusive), kDeadlock));
  Compared cut = kDeadlock;
  cut.result.end_at("max-states");
  CHECK(cut.standing() == Standing::Incomplete);
  CHECK(contradict(kVerified, cut));
  Compared broken = searched(Verdict::Violated, {ViolationKind::LockDiscipline});
  broken.result.assumption_broken = true;
  CHECK(contradict(kVerified, broken));
  CHECK_FALSE(contradict(kDeadlock, broken));
}

TEST_CASE("searches that are asked for other things cannot contradict each other") {
  Compared other = kDeadlock;
  other.options.discipline = Discipline::PerExecution;
  CHECK_FALSE(contradict(kVerified, other));
  other = kDeadlock;
  other.options.spurious_wakeups = true;
  CHECK_FALSE(contradict(kVerified, other));
  other = kDeadlock;
  other.options.limits.max_stack = 3;
  CHECK_FALSE(contradict(kVerified, other));
  other = kDeadlock;
  other.refusal = &all_refusals().front();
  CHECK(other.standing() == Standing::Refused);
  CHECK_FALSE(contradict(kVerified, other));
}

TEST_CASE("threads that are lost are found by those searches that look for them") {
  const Compared livelock = searched(Verdict::Violated, {ViolationKind::Livelock});
  Compared lost = kDeadlock;
  lost.result.violations.front().is_of_graph = true;
  Compared stateless = kVerified;
  stateless.result.checked_hangs = false;
  CHECK(contradict(kVerified, livelock));
  CHECK(contradict(kVerified, lost));
  CHECK_FALSE(contradict(stateless, livelock));
  CHECK_FALSE(contradict(stateless, lost));
  CHECK(contradict(stateless, kDeadlock));
}

TEST_CASE("searches for all violations find the same kinds") {
  Compared one = searched(Verdict::Violated, {ViolationKind::Deadlock});
  Compared two = searched(Verdict::Violated, {ViolationKind::Deadlock, ViolationKind::Assertion});
  CHECK_FALSE(contradict(one, two));
  one.options.all = true;
  CHECK_FALSE(contradict(one, two));
  two.options.all = true;
  CHECK(contradict(one, two));
}

TEST_CASE("a search is called by what makes the difference") {
  Options options;
  options.order = Order::BreadthFirst;
  CHECK(short_name(options) == "access none");
  options.granularity = Granularity::Sync;
  options.reduction = {Sets::Stubborn, true};
  CHECK(short_name(options) == "sync not-composed stubborn+sleep");
  options.composition = Composition::Composed;
  options.store = Store::Stateless;
  options.order = Order::DepthFirst;
  options.undo = Undo::Reverse;
  options.discipline = Discipline::Off;
  options.engine = Engine::Interpreter;
  CHECK(short_name(options) == "sync stubborn+sleep stateless reverse discipline off interpreter");
}

}  // namespace
