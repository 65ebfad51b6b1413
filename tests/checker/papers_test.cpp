// The examples by which Stoller's framework argues (seed of the reductions: "Model-checking
// multi-threaded distributed Java programs", §5, §6 and §9), with the executions that each search
// obligations.
#include <doctest/doctest.h>
#include <string>

#include "checker/check.h"
#include "tests/ir/lowered.h"

namespace {

using namespace cml;
using checker::Composition;
using checker::Options;
using checker::Result;
using checker::Sets;
using checker::Verdict;
using checker::ViolationKind;

Options stateless(Composition composition, Sets sets) {
  Options options;
  options.all = true;
  options.granularity = checker::Granularity::Sync;
  options.composition = composition;
  options.reduction = {sets, true};
  options.store = checker::Store::Stateless;
  options.order = checker::Order::DepthFirst;
  return options;
}

Result run(const std::string& text, const Options& options) {
  const test::LoweredModel lowered = test::lowered_model(text, "paper.cml");
  return checker::check(lowered.system, lowered.sources, options);
}

std::uint64_t interleavings(const Result& result) {
  return result.stats.executions + result.stats.blocked_executions;
}

// §5: in C(A) each thread reads in a single transition, and the two are independent; in A the
// acquires are not.
TEST_CASE("two critical sections that only read are one interleaving of composed transitions") {
  const std::string model = R"(
    shared v: int(0..3) = 2;
    lock m;
    thread Reader[i in 0..<2] {
      m.acquire();
      let copy = v;
      m.release();
    }
  )";
  for (const Sets sets : {Sets::None, Sets::Persistent, Sets::Stubborn}) {
    CAPTURE(static_cast<int>(sets));
    const Result composed = run(model, stateless(Composition::Composed, sets));
    CHECK(composed.verdict == Verdict::Verified);
    CHECK(composed.stats.executions == 1);
    // Without persistent sets a sleep set ends the second order in front of its last transition.
    CHECK(composed.stats.blocked_executions == (sets == Sets::None ? 1 : 0));
    const Result apart = run(model, stateless(Composition::InvisibleFirst, sets));
    CHECK(apart.verdict == Verdict::Verified);
    CHECK(apart.stats.executions == 2);
    CHECK(apart.stats.blocked_executions == 0);
  }
}

// §6: while `left` is false, the access to `second` is an artifact of composition: the transition
// that starts at `down` may read it, so a thread that writes it joins the persistent set. In
// invisible-first search only the semaphore counts. (The lock of the writer is one of an array, so
// that nothing but the candidates could tell that it is the same one.)
TEST_CASE("guards of composed transitions can make persistent sets larger") {
  const std::string model = R"(
    lock m[2];
    semaphore go = 1;
    shared left: bool = false;
    shared second: int(0..3) = 0;
    shared third: int(0..3) = 0;
    thread Asks {
      with m[0] {
        go.down();
        var seen = 0;
        if left { seen = second; } else { seen = third; }
      }
    }
    thread Writes {
      let k = choose(0..0);
      with m[k] { second = 1; }
    }
  )";
  const Result composed = run(model, stateless(Composition::Composed, Sets::Persistent));
  const Result apart = run(model, stateless(Composition::InvisibleFirst, Sets::Persistent));
  CHECK(composed.verdict == Verdict::Verified);
  CHECK(apart.verdict == Verdict::Verified);
  CHECK(composed.stats.reduction.chosen > apart.stats.reduction.chosen);
}

// §9: v is written without a lock before and after `up`, and under o elsewhere. In the order that
// a reduction prefers, the usual lockset algorithm takes the first writes for initialisation and
// sees nothing. MLD′ has the initialising thread declared, or none.
TEST_CASE("what MLD would miss, MLD' does not") {
  const auto model = [](const std::string& init) {
    return "shared v: int(0..2) " + init + R"(= 0;
      semaphore sem = 0;
      lock o;
      thread A { v = 0; sem.up(); v = 1; }
      thread B { sem.down(); o.acquire(); v = 2; o.release(); }
    )";
  };
  for (const std::string& init : {std::string(), std::string("init by A ")}) {
    for (const Composition composition : {Composition::InvisibleFirst, Composition::Composed}) {
      for (const Sets sets : {Sets::None, Sets::Persistent, Sets::Stubborn}) {
        CAPTURE(init);
        CAPTURE(static_cast<int>(composition));
        CAPTURE(static_cast<int>(sets));
        const Result result = run(model(init), stateless(composition, sets));
        REQUIRE(result.violations.size() == 1);
        CHECK(result.violations[0].kind == ViolationKind::LockDiscipline);
        CHECK(result.violations[0].object == "v");
        CHECK(interleavings(result) == 1);
      }
    }
  }
}

}  // namespace
