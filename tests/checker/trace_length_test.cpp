// Traces have no junk: whatever way a search finds a violation, its trace is hardly longer than the
// shortest, which the full breadth-first search finds, and no threads go round beside it
// (checker/finding/shorten.h). Measured on all models of tests/models; CML_REPORT=1 prints the
// ratios.
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checker/finding/shorten.h"
#include "ir/exec/interpreter.h"
#include "tests/checker/check_text.h"
#include "tests/harness/parts.h"

namespace {

using namespace cml;
using checker::Violation;
namespace fs = std::filesystem;

constexpr double kLongest = 1.2;  // times the shortest

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Violation> violations(const test::LoweredModel& model,
                                  const checker::Options& options) {
  return checker::check(model.system, model.sources, options).violations;
}

checker::Options shortest_options() {
  checker::Options options;
  options.shortest = true;
  options.order = checker::Order::BreadthFirst;
  options.limits.max_states = 50'000;
  return options;
}

checker::Options as_people_search() {
  checker::Options options;
  options.granularity = checker::Granularity::Sync;
  options.composition = checker::Composition::Composed;
  options.reduction.sets = checker::Sets::Stubborn;
  options.order = checker::Order::BreadthFirst;
  options.limits.max_states = 50'000;
  return options;
}

/// The longest way that a search comes to think of.
checker::Options depth_first() {
  checker::Options options;
  options.limits.max_states = 50'000;
  return options;
}

/// It is known what the shortest is: the same violation, told by one execution.
bool is_comparable(const Violation& a, const Violation& b) {
  return a.kind == b.kind && a.accesses.empty() && !a.trace.empty() && a.message == b.message &&
         a.location == b.location;
}

CML_TEST_PARTS("no trace is much longer than the shortest") {
  for (const fs::path& path : part.models("tests/models")) {
    CAPTURE(path.filename().string());
    const test::LoweredModel model = test::lowered_model(read(path), path.filename().string());
    const std::vector<Violation> best = violations(model, shortest_options());
    if (best.size() != 1) continue;
    for (const checker::Options& options : {as_people_search(), depth_first()}) {
      const std::vector<Violation> found = violations(model, options);
      if (found.size() != 1 || !is_comparable(found[0], best[0])) continue;
      const double ratio =
          static_cast<double>(found[0].trace.size()) / static_cast<double>(best[0].trace.size());
      if (std::getenv("CML_REPORT") != nullptr)
        fmt::print("{:<50} {:>4} / {:<4} {:.2f}\n", path.filename().string(), found[0].trace.size(),
                   best[0].trace.size(), ratio);
      CHECK(ratio <= kLongest);
    }
  }
}

/// A random walk up to where nobody can move, or a thread stops.
checker::Path random_walk(ir::Interpreter& interpreter, std::uint32_t seed, bool& fails) {
  std::vector<std::uint8_t> state(interpreter.layout().size());
  ir::Record record;
  interpreter.initial(state.data(), record);
  checker::Path path;
  Buffer<ir::Action> enabled;
  for (fails = false; path.size() < 2'000 && !fails;) {
    enabled.clear();
    interpreter.all_enabled(state.data(), enabled);
    if (enabled.empty()) break;
    seed = seed * 1'664'525U + 1'013'904'223U;
    const ir::Action action = enabled[(seed >> 8) % enabled.size()];
    record.clear();
    interpreter.execute(state.data(), action, record);
    path.push_back(action);
    fails = !record.events.empty();
  }
  return path;
}

CML_TEST_PARTS("shortened paths lead to the same end, with no more switches") {
  for (const fs::path& path : part.models("tests/models")) {
    CAPTURE(path.filename().string());
    const test::LoweredModel model = test::lowered_model(read(path), path.filename().string());
    const ir::Analyses analyses(model.system);
    const ir::Layout layout(analyses);
    ir::StepConfig config;
    ir::Interpreter step(analyses, layout, config);
    checker::Replayer replayer(analyses, layout, model.sources, step, config);
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      bool fails = false;
      const checker::Path walked = random_walk(step, seed, fails);
      if (!fails) continue;
      ir::Event wanted;
      const auto look = [&](const ir::Record& record, const std::uint8_t*) {
        if (!record.events.empty()) wanted = record.events[0];
        return false;
      };
      (void)replayer.replay(walked, look, checker::Replayer::Steps::None);
      const checker::Leads leads = [&](const checker::Path& one) -> std::optional<std::size_t> {
        bool seen = false;
        const auto is_it = [&](const ir::Record& record, const std::uint8_t*) {
          for (const ir::Event& event : record.events)
            seen = seen || (event.kind == wanted.kind && event.thread == wanted.thread &&
                            event.pc == wanted.pc);
          return seen;
        };
        const auto replay = replayer.replay(one, is_it, checker::Replayer::Steps::None);
        return replay.ok && seen ? std::optional(replay.executed) : std::nullopt;
      };
      std::uint64_t budget = 300'000;
      const checker::Path result = shortened(replayer, walked, leads, {}, budget);
      CHECK(leads(result) == result.size());
      CHECK(result.size() <= walked.size());
      CHECK(checker::switches(result) <= checker::switches(walked));
    }
  }
}

TEST_CASE("a thread that goes round beside a deadlock is not in its trace") {
  const char* const text =
      "lock a; lock b; atomic x: int(0..99);\n"
      "thread A { for i in 0..<50 { x = i; } a.acquire(); b.acquire(); }\n"
      "thread B { b.acquire(); a.acquire(); }\n"
      "daemon thread C { var n: int(0..9) = 0; loop { x = n; n = (n + 1) % 10; } }\n";
  checker::Options options = depth_first();
  options.all = true;
  const checker::Result result = test::check_text(text, options);
  REQUIRE(!result.violations.empty());
  for (const checker::Violation& violation : result.violations)
    for (const checker::TraceStep& step : violation.trace)
      CHECK(step.thread != "C");
}

}  // namespace
