// How many spawned threads may be alive at a time, and that places for them do not matter.
#include <doctest/doctest.h>
#include <string>

#include "checker/check.h"
#include "frontend/load_model.h"
#include "ir/lower/lower.h"

namespace cml {
namespace {

checker::Result checked(const std::string& text, const ir::LowerOptions& lowering, bool is_sync) {
  SourceSet sources;
  const FileId file = sources.add("room.cml", text);
  Diagnostics diagnostics;
  const model::Model model = load_model(sources, file, {}, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  const auto system = ir::lower(model, sources, lowering);
  REQUIRE(system);
  checker::Options options;
  options.all = true;
  options.engine = checker::Engine::Interpreter;
  if (is_sync) {
    options.granularity = checker::Granularity::Sync;
    options.composition = checker::Composition::Composed;
    options.reduction.sets = checker::Sets::Stubborn;
  }
  return checker::check(*system, sources, options);
}

/// Which limit was hit; none: it is verified.
std::string limit(const std::string& text, std::uint32_t max_threads, bool is_sync) {
  ir::LowerOptions lowering;
  lowering.max_threads = max_threads;
  lowering.thread_share = max_threads;
  const checker::Result result = checked(text, lowering, is_sync);
  CHECK(result.violations.empty());
  CHECK((result.verdict == checker::Verdict::Verified) == result.stats.limits_hit.empty());
  return result.stats.limits_hit.empty() ? "" : result.stats.limits_hit.front();
}

/// So many threads must be able to be alive, where all executions are explored, and no more.
void needs(std::uint32_t alive, const std::string& text) {
  CAPTURE(text);
  CHECK(limit(text, alive, true).empty());
  CHECK(limit(text, alive, false).empty());
  CHECK(limit(text, alive - 1, false) == "max-threads");
}

TEST_CASE("threads: as many may be alive as are allowed, however many are spawned") {
  const std::string count = "atomic n: int(0..99) = 0;\n";
  // One after the other, each by its predecessor, which waits for it.
  needs(4, count +
               "thread T(k: int) { n.add(1); if k > 0 { let h = spawn T(k - 1); join h; } }\n"
               "thread M { let h = spawn T(3); join h; }");
  // A tree.
  needs(7, count +
               "thread T(k: int) { if k > 0 { let a = spawn T(k - 1); let b = spawn T(k - 1); "
               "join a; join b; } n.add(1); }\n"
               "thread M { let h = spawn T(2); join h; assert n == 7; }");
  // Six pairs at places of their own, each when the last one has ended.
  needs(2, count +
               "thread T() { n.add(1); }\n"
               "fun two() { let a = spawn T(); let b = spawn T(); join a; join b; }\n"
               "thread M { two(); two(); two(); two(); two(); two(); }");
  // Those that a handle refers to count, too.
  needs(3, count +
               "thread T() { n.add(1); }\n"
               "thread M { let a = spawn T(); join a; let b = spawn T(); join b; "
               "let c = spawn T(); join c; join a; join b; }");
  // Of two declarations, in loops that do not count, by threads that come and go.
  needs(2, count +
               "thread W() { n.add(1); }\n"
               "thread S() { var k = 0; while k < 3 { let w = spawn W(); join w; k = k + 1; } }\n"
               "thread M { var k = 0; while k < 3 { let s = spawn S(); join s; k = k + 1; } }");
}

TEST_CASE("threads: passed other locks, they have other places") {
  const std::string text =
      "lock l; lock r; shared x: int = 0 guarded by l; shared y: int = 0 guarded by r;\n"
      "thread T(a: lock, b: lock, k: int) { with a { if k == 0 { x = 1; } else { y = 1; } } }\n"
      "thread S(a: lock, b: lock, k: int) { var i = 0; while i < 3 { let h = spawn T(a, b, k); "
      "join h; i = i + 1; } }\n"
      "thread M { var i = 0; while i < 2 { let h = spawn S(l, r, 0); join h; let g = spawn S(r, l, "
      "1); join g; i = i + 1; } }";
  needs(3, text);
  ir::LowerOptions lowering;
  lowering.max_threads = 3;
  lowering.thread_share = 3;
  lowering.common_pools = 2;
  CHECK(checked(text, lowering, true).stats.limits_hit.front() == "thread-places");
}

}  // namespace
}  // namespace cml
