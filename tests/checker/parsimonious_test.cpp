// The parsimonious reduction beside the optimal one: the same executions, where wakeup trees have
// as many sequences as there are executions, and what it keeps has not; and where it explores some
// twice.
#include <doctest/doctest.h>
#include <string>

#include "tests/checker/check_text.h"

namespace {

using namespace cml;

checker::Statistics search(const std::string& model, checker::Sets reduction) {
  checker::Options options;
  options.all = true;
  options.store = checker::Store::Stateless;
  options.engine = checker::Engine::Interpreter;
  options.reduction = {reduction, true};
  const checker::Result result = test::check_text(model, options);
  CHECK(result.verdict == checker::Verdict::Verified);
  return result.stats;
}

/// What Last writes comes behind all orders of what it has read: so many sequences reverse its race
/// with First. The shape is that of exponential-memory in M. Kokologiannakis, I. Marmanis, V.
/// Gladstein, V. Vafeiadis, "Truly Stateless, Optimal Dynamic Partial Order Reduction", POPL 2022.
std::string orders(int workers) {
  return "const N = " + std::to_string(workers) +
         ";\n"
         "atomic x: int(0..2) = 0;\n"
         "atomic y: int(0..N) = 0;\n"
         "thread First { x = 1; }\n"
         "thread Worker[i in 0..<N] { y = i; }\n"
         "thread Last { let r = y; x = 2; }\n";
}

TEST_CASE("parsimonious: the executions of optimal, without its memory") {
  std::uint64_t executions = 2;  // (N + 1)! orders of y, two of x
  for (int workers = 1; workers <= 6; ++workers) {
    executions *= static_cast<std::uint64_t>(workers) + 1;
    CAPTURE(workers);
    const auto optimal = search(orders(workers), checker::Sets::Optimal);
    const auto parsimonious = search(orders(workers), checker::Sets::Parsimonious);
    CHECK(optimal.executions == executions);
    CHECK(parsimonious.executions == executions);
    CHECK(parsimonious.blocked_executions == 0);
    // The trees of the last size have 5,040 sequences.
    CHECK(parsimonious.peak_memory_bytes < 60'000);
    if (workers == 6) CHECK(optimal.peak_memory_bytes > 500'000);
  }
}

TEST_CASE("parsimonious: where several reversals free an event, an execution comes twice") {
  const std::string model =
      "atomic x: int(0..2) = 0;\n"
      "atomic y: int(0..2) = 0;\n"
      "thread A { y = 2; let a = x; }\n"
      "thread B { x = 1; let b = y; y = 0; y = 1; }\n"
      "thread C { let c = y; y = 0; }\n";
  CHECK(search(model, checker::Sets::Optimal).executions == 57);
  const auto parsimonious = search(model, checker::Sets::Parsimonious);
  CHECK(parsimonious.executions == 69);
  CHECK(parsimonious.blocked_executions == 0);
}

}  // namespace
