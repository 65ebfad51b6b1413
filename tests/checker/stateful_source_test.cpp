// Source sets with a store: how many states safe sets, eager and lazy source sets keep, in every
// order of the threads. That nothing is missed is for the differential test.
#include <doctest/doctest.h>
#include <string>

#include "checker/reduction/thread_order.h"
#include "tests/checker/check_text.h"
#include "tests/random/heap.h"

namespace {

using namespace cml;
using checker::Sets;

checker::Statistics explored(const std::string& model, Sets sets,
                             checker::Order order = checker::Order::DepthFirst,
                             std::uint64_t seed = 0) {
  checker::Options options;
  options.all = true;
  options.hang_check = false;
  options.engine = checker::Engine::Interpreter;
  options.reduction.sets = sets;
  options.order = order;
  options.seed = seed;
  options.limits.max_states = 20'000;
  return test::check_text(model, options).stats;
}

TEST_CASE("source sets with a store: slots that are known only while executing") {
  // Each thread uses the slots of one key. Who uses which one says no code.
  const std::string model =
      "const N = 4;\n"
      "atomic slot[N]: int(0..3) = 0;\n"
      "thread T[i in 0..<N] {\n"
      "  let at = (3 * i + 1) % N;\n"
      "  for k in 0..<3 { slot[at] = k; }\n"
      "}\n";
  CHECK(explored(model, Sets::LazySource).states < 20);
  CHECK(explored(model, Sets::EagerSource).states == explored(model, Sets::LazySource).states);
}

TEST_CASE("source sets with a store: never more states than safe sets, in any order") {
  int smaller = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string model = random_models::draw(seed).text();
    CAPTURE(model);
    const checker::Statistics safe = explored(model, Sets::SafeSet);
    if (!safe.complete) continue;
    for (std::uint64_t permutation = 0; permutation < 4; ++permutation) {
      const auto order = permutation < 2 ? checker::Order::DepthFirst : checker::Order::Random;
      CHECK(explored(model, Sets::SafeSet, order, permutation).states == safe.states);
      const checker::Statistics lazy = explored(model, Sets::LazySource, order, permutation);
      const checker::Statistics eager = explored(model, Sets::EagerSource, order, permutation);
      CHECK(lazy.states <= safe.states);
      CHECK(lazy.states == eager.states);
      CHECK(lazy.transitions == eager.transitions);
      smaller += lazy.states < safe.states ? 1 : 0;
    }
  }
  CHECK(smaller > 20);
}

TEST_CASE("orders of threads: permutations have numbers, and what is drawn is the same again") {
  const auto arranged = [](checker::Order order, std::uint64_t seed) {
    checker::Options options;
    options.order = order;
    options.seed = seed;
    checker::ThreadOrder threads(options, 3);
    std::string text;
    for (int time = 0; time < 4; ++time) {
      std::vector<ir::Action> actions;
      for (std::uint32_t thread = 0; thread < 3; ++thread)
        for (std::uint32_t choice = 0; choice < 2; ++choice)
          actions.push_back({ir::ThreadId(thread), choice});
      threads.arrange(actions);
      for (std::size_t i = 0; i < actions.size(); i += 2) {
        CHECK(actions[i].thread == actions[i + 1].thread);
        CHECK(actions[i].choice == 0);
        text += static_cast<char>('A' + actions[i].thread.index);
      }
      if (order == checker::Order::DepthFirst) break;
    }
    return text;
  };
  using checker::Order;
  const char* const permutations[] = {"ABC", "ACB", "BAC", "BCA", "CAB", "CBA"};
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    CHECK(arranged(Order::DepthFirst, seed) == permutations[seed % 6]);
  CHECK(arranged(Order::Random, 1) == arranged(Order::Random, 1));
  CHECK(arranged(Order::Random, 1) != arranged(Order::Random, 2));
}

}  // namespace
