// The full search and its monitors on systems built by hand.
#include "checker/search/search.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/exec/histories.h"
#include "tests/checker/build_system.h"
#include "tests/checker/check_text.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using checker::Verdict;
using checker::ViolationKind;
using tests::all;
using tests::check;
using tests::count;
using tests::SystemBuilder;

/// Everybody takes the left fork first, N times over.
ir::System philosophers(std::uint32_t n) {
  SystemBuilder build;
  std::vector<ir::ObjectId> fork;
  for (std::uint32_t i = 0; i < n; ++i)
    fork.push_back(build.lock(fmt::format("fork[{}]", i)));
  for (std::uint32_t i = 0; i < n; ++i) {
    const ir::Place left = SystemBuilder::at(fork[i]);
    const ir::Place right = SystemBuilder::at(fork[(i + 1) % n]);
    build.thread(fmt::format("Philosopher[{}]", i),
                 {ir::Acquire{left}, ir::Acquire{right}, ir::Release{right}, ir::Release{left},
                  ir::Jump{0}});
  }
  return build.system;
}

TEST_CASE("time that is over ends a transition below native code, and what was found is told") {
  checker::Options options;  // the default of the command line
  options.all = true;
  options.granularity = checker::Granularity::Sync;
  options.composition = checker::Composition::Composed;
  options.order = checker::Order::BreadthFirst;
  options.reduction.sets = checker::Sets::Stubborn;
  options.jit_after = 0;
  options.limits.max_seconds = test::kSanitized ? 2.0 : 0.5;
  const checker::Result result = test::check_text(
      "atomic x: int(0..3); atomic y: int(0..1000000); semaphore s;\n"
      "thread V { assert x == 9; }\n"
      "thread A { atomic { let k = choose(0..3000); x = k % 4; } s.down(); }\n"
      "thread B { loop { y = (y + 1) % 1000000; } }\n"
      "thread D { loop { y = (y + 1) % 1000000; } }\n",
      options);
  CHECK(result.verdict == checker::Verdict::Violated);
  CHECK(result.stats.limits_hit == std::vector<std::string>{"max-time"});
  REQUIRE_FALSE(result.violations.empty());
  CHECK_FALSE(result.violations[0].is_trace_lost);
}

// A state that is too deep is stored, but never entered: what a reduction keeps beside the states
// must not lose its place, nor may what was to be explored again be forgotten.
TEST_CASE("a depth-first search that ends at its depth explores nothing that is not enabled") {
  for (const char* model : {"barber", "two_phase_commit", "alternating_bit", "philosophers"}) {
    const std::string text =
        test::read_file(std::string(CML_SOURCE_DIR "/examples/") + model + ".cml");
    for (const std::uint64_t depth : {4, 5, 8, 13, 17, 25}) {
      for (const checker::Sets sets : {checker::Sets::None, checker::Sets::Stubborn}) {
        for (const bool sleep : {false, true}) {
          checker::Options options;
          options.all = true;
          options.granularity = checker::Granularity::Sync;
          options.composition = checker::Composition::Composed;
          options.order = checker::Order::DepthFirst;
          options.engine = checker::Engine::Interpreter;
          options.reduction.sets = sets;
          options.reduction.sleep = sleep;
          options.limits.max_depth = depth;
          options.limits.max_states = 20'000;
          CAPTURE(model);
          CAPTURE(depth);
          CAPTURE(sleep);
          CHECK_FALSE(test::check_text(text, options).internal_error.has_value());
        }
      }
    }
  }
}

TEST_CASE("philosophers deadlock, and the trace says how") {
  const checker::Result result = check(philosophers(3));
  CHECK(result.verdict == Verdict::Violated);
  REQUIRE(result.violations.size() == 1);
  const checker::Violation& violation = result.violations[0];
  CHECK(violation.kind == ViolationKind::Deadlock);
  CHECK(violation.cycle.size() == 3);
  CHECK(violation.threads[0].blocked_on == "fork[1].acquire()");
  CHECK(violation.threads[0].waits_for == "Philosopher[1]");
  CHECK(violation.threads[0].holds == std::vector<std::string>{"fork[0]"});
  CHECK_FALSE(violation.trace.empty());
  CHECK_FALSE(result.internal_error);
}

TEST_CASE("breadth-first finds the shortest deadlock and the same states") {
  checker::Options options = all();
  const checker::Result depth = check(philosophers(4), options);
  options.shortest = true;
  const checker::Result breadth = check(philosophers(4), options);
  CHECK(breadth.stats.states == depth.stats.states);
  CHECK(breadth.stats.transitions == depth.stats.transitions);
  REQUIRE(breadth.violations.size() == 1);
  CHECK(breadth.violations[0].trace.size() == 4);
}

TEST_CASE("an assertion on a racy counter fails") {
  SystemBuilder build;
  const ir::ObjectId x = build.atomic("x");
  for (const char* name : {"A", "B"})
    build.thread(name,
                 {SystemBuilder::read(x, 0),
                  build.write(x, build.binary(ir::ExprOp::Add, build.local(0), build.constant(1))),
                  ir::End{}},
                 1);
  build.finally({SystemBuilder::read(x, 0), build.assert_equal(0, 2), ir::End{}}, 1);
  const checker::Result result = check(build.system);
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == ViolationKind::Assertion);
  CHECK(result.violations[0].trace.size() == 4);
}

TEST_CASE("a stopped thread keeps its locks, and its state is no deadlock") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  build.thread("A", {ir::Acquire{SystemBuilder::at(m)}, build.fail(), ir::End{}});
  build.thread("B",
               {ir::Acquire{SystemBuilder::at(m)}, ir::Release{SystemBuilder::at(m)}, ir::End{}});
  const checker::Result result = check(build.system, all());
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == ViolationKind::Assertion);
}

TEST_CASE("a busy thread does not hide two that are stuck") {
  SystemBuilder build;
  const ir::ObjectId a = build.lock("a");
  const ir::ObjectId b = build.lock("b");
  const ir::ObjectId tick = build.atomic("tick");
  const auto both = [](ir::ObjectId first, ir::ObjectId second) {
    return std::vector<ir::Operation>{
        ir::Acquire{SystemBuilder::at(first)}, ir::Acquire{SystemBuilder::at(second)},
        ir::Release{SystemBuilder::at(second)}, ir::Release{SystemBuilder::at(first)}, ir::End{}};
  };
  build.thread("Left", both(a, b));
  build.thread("Right", both(b, a));
  build.thread("Clock", {build.write(tick, 1), build.write(tick, 0), ir::Jump{0}});
  const checker::Result result = check(build.system, all());
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == ViolationKind::PartialDeadlock);
}

TEST_CASE("two locks for one object break the discipline, and both sides are told") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  const ir::ObjectId n = build.lock("n");
  const ir::ObjectId x = build.shared("x");
  for (const ir::ObjectId lock : {m, n})
    build.thread(lock == m ? "A" : "B", {ir::Acquire{SystemBuilder::at(lock)}, build.write(x, 1),
                                         ir::Release{SystemBuilder::at(lock)}, ir::End{}});
  for (const checker::Discipline form :
       {checker::Discipline::Global, checker::Discipline::PerExecution}) {
    checker::Options options = all();
    options.discipline = form;
    const checker::Result result = check(build.system, options);
    CHECK_FALSE(result.internal_error);
    REQUIRE(result.violations.size() == 1);
    CHECK(result.violations[0].kind == ViolationKind::LockDiscipline);
    CHECK(result.violations[0].accesses.size() == 2);
    REQUIRE(result.discipline.size() == 1);
    CHECK(result.discipline[0].status == "violated");
  }
}

TEST_CASE("a read without a lock in one execution and a write under one in another: global only") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  const ir::ObjectId x = build.shared("x");
  const ir::ObjectId turn = build.atomic("turn");  // only one of the two gets it
  const ir::Operation get_turn =
      ir::Update{ir::Update::Kind::Cas, SystemBuilder::at(turn),    0, {build.constant(0)},
                 {build.constant(1)},   {{0, std::nullopt, 1, {}}}, {}};
  build.thread("A",
               {get_turn, ir::Branch{build.local(0), 2, 5}, ir::Acquire{SystemBuilder::at(m)},
                build.write(x, 1), ir::Release{SystemBuilder::at(m)}, ir::End{}},
               1);
  build.thread(
      "B", {get_turn, ir::Branch{build.local(0), 2, 3}, SystemBuilder::read(x, 1), ir::End{}}, 2);
  checker::Options options = all();
  const checker::Result global = check(build.system, options);
  CHECK(count(global, ViolationKind::LockDiscipline) == 1);
  CHECK_FALSE(global.internal_error);
  options.discipline = checker::Discipline::PerExecution;
  CHECK(check(build.system, options).verdict == Verdict::Verified);
}

TEST_CASE("a thread that polls with the lock held diverges") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  const ir::ObjectId ready = build.shared("ready");
  build.thread("Poller",
               {ir::Acquire{SystemBuilder::at(m)}, SystemBuilder::read(ready, 0),
                ir::Branch{build.local(0), 3, 1}, ir::Release{SystemBuilder::at(m)}, ir::End{}},
               1);
  build.thread("Setter", {ir::Acquire{SystemBuilder::at(m)}, build.write(ready, 1),
                          ir::Release{SystemBuilder::at(m)}, ir::End{}});
  const checker::Result result = check(build.system, all());
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == ViolationKind::Divergence);
  CHECK(result.violations[0].thread == "Poller");
  checker::Options sync = all();
  sync.granularity = checker::Granularity::Sync;
  sync.composition = checker::Composition::Composed;
  const checker::Result composed = check(build.system, sync);
  CHECK_FALSE(composed.internal_error);
  REQUIRE(composed.violations.size() == 1);
  CHECK(composed.violations[0].kind == ViolationKind::Divergence);
  CHECK(composed.stats.states < result.stats.states);
}

TEST_CASE("a local loop diverges before anything else happens") {
  SystemBuilder build;
  build.thread("A", {ir::Jump{0}});
  const checker::Result result = check(build.system, all());
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].kind == ViolationKind::Divergence);
}

TEST_CASE("one notify and two waiters: somebody may wait for ever") {
  SystemBuilder build;
  const ir::ObjectId m = build.lock("m");
  const ir::Place place = SystemBuilder::at(m);
  for (const char* name : {"W1", "W2"})
    build.thread(name, {ir::Acquire{place}, ir::Wait{place, {}}, ir::Rewait{place, {}},
                        ir::Release{place}, ir::End{}});
  build.thread("N", {ir::Acquire{place}, ir::Notify{place, false}, ir::Release{place}, ir::End{}});
  const checker::Result result = check(build.system, all());
  CHECK(count(result, ViolationKind::Deadlock) == 1);  // both wait, which covers one of them alone
  checker::Options spurious = all();
  spurious.spurious_wakeups = true;
  // It could wake for no reason, but that nobody notifies it is not to be relied on.
  CHECK(count(check(build.system, spurious), ViolationKind::Deadlock) == 1);
}

TEST_CASE("numbers that run out are a limit, too") {
  checker::Options options = all();
  options.limits.most_numbers = 200;
  for (const bool breadth_first : {false, true}) {
    options.shortest = breadth_first;
    const checker::Result result = check(philosophers(6), options);
    CHECK(result.stats.limits_hit == std::vector<std::string>{"max-states"});
    CHECK_FALSE(result.stats.complete);
    CHECK(result.stats.states < 200);
  }
  options.shortest = false;
  options.store = checker::Store::Stateless;
  options.reduction.sleep = true;
  options.limits.max_depth = 200;
  const checker::Result result = check(philosophers(6), options);
  CHECK(result.stats.limits_hit.back() == "sleep-sets");
  CHECK_FALSE(result.stats.complete);
}

TEST_CASE("breadth-first, states as deep as the limit are stored, and not expanded") {
  struct SetsAndSleep {
    checker::Sets sets;
    bool sleep;
  };
  for (const SetsAndSleep way :
       {SetsAndSleep{checker::Sets::None, false}, SetsAndSleep{checker::Sets::None, true},
        SetsAndSleep{checker::Sets::Stubborn, false}}) {
    checker::Options options;
    options.granularity = checker::Granularity::Access;
    options.order = checker::Order::BreadthFirst;
    options.reduction.sets = way.sets;
    options.reduction.sleep = way.sleep;
    options.reduction.longest_chain = 0;
    CAPTURE(way.sleep);
    const char* const text = "atomic x: int(0..9); thread T { for i in 0..<6 { x = i; } }";
    const checker::Result all = test::check_text(text, options);
    CHECK(all.verdict == Verdict::Verified);
    CHECK(all.stats.max_depth == 6);
    CHECK(all.stats.states == 7);
    options.limits.max_depth = 3;
    const checker::Result some = test::check_text(text, options);
    CHECK(some.verdict == Verdict::Inconclusive);
    CHECK(some.stats.limits_hit == std::vector<std::string>{"max-depth"});
    CHECK(some.stats.max_depth == 2);
    CHECK(some.stats.states == 4);
    CHECK(some.stats.transitions == 3);
  }
}

// The system keeps them, so the second of two equal searches has more of them.
TEST_CASE("what histories mean counts as memory of a search") {
  const test::LoweredModel model =
      test::lowered_model(test::read_file(CML_SOURCE_DIR "/tests/models/linearizable_counter.cml"));
  const auto peak = [&model](std::uint64_t max_states) {
    checker::Options options;
    options.limits.max_states = max_states;
    return checker::check(model.system, model.sources, options).stats.peak_memory_bytes;
  };
  const std::uint64_t first = peak(2);
  const std::uint64_t few = model.system.histories->memory();
  (void)peak(1000);
  const std::uint64_t many = model.system.histories->memory();
  CHECK(many > few);
  CHECK(peak(2) - first == many - few);
}

TEST_CASE("limits make a verdict inconclusive, but a violation beats them") {
  checker::Options options;
  options.limits.max_states = 3;
  SystemBuilder build;
  const ir::ObjectId x = build.atomic("x");
  build.thread(
      "A", {build.write(x, 1), build.write(x, 2), build.write(x, 3), build.write(x, 4), ir::End{}});
  const checker::Result result = check(build.system, options);
  CHECK(result.verdict == Verdict::Inconclusive);
  CHECK(result.stats.limits_hit == std::vector<std::string>{"max-states"});
  CHECK_FALSE(result.stats.complete);
}

}  // namespace
