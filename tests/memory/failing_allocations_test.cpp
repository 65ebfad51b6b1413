// Allocations that fail, one in each run or all from some on: the program says so or goes on
// without, by the exit statuses that are documented, and what it writes is well-formed. It never
// calls a model verified that is not.
//
// With CML_FAILING=n there are n times as many runs.
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

namespace {

using cml::test::ProcessResult;
using nlohmann::json;

constexpr int kOutOfMemory = 3;
constexpr std::uint64_t kSingle = 120;  // runs of a command in which one allocation fails
constexpr std::uint64_t kAll = 12;      // in which all fail from some on

const std::string kSource = CML_SOURCE_DIR "/";

const std::vector<std::vector<std::string>> kCommands = {
    {"check", "--format", "json", "-D", "N=3", kSource + "bench/models/philosophers.cml"},
    {"check", "--format", "json", "--all", "--jit-after", "0", "--granularity", "access",
     "--reduction", "none", "-D", "N=3", kSource + "bench/models/philosophers.cml"},
    {"check", "--format", "json", "--all", "--granularity", "access", "--order", "sequential",
     "--reduction", "stubborn+sleep", kSource + "examples/bank_transfer.cml"},
    {"check", "--format", "json", "--store", "stateless", "--engine", "interpreter",
     kSource + "examples/bounded_buffer_monitor.cml"},
    {"check", "--format", "json", "--all", "--discipline", "per-execution",
     kSource + "examples/lock_discipline.cml"},
    {"check", "--format", "json", kSource + "tests/diagnostics/statements.cml"},
    {"check", "--stats", kSource + "examples/peterson.cml"},
    {"export", "--promela", kSource + "examples/bank_transfer.cml"},
    {"ir", kSource + "examples/readers_writers.cml"},
    {"ir", "--llvm", kSource + "examples/bank_transfer.cml"},
    {"fmt", "--check", kSource + "examples/elevator.cml"},
    {"explain", "deadlock"},
};

struct Counts {
  std::uint64_t allocations = 0;
  std::uint64_t failures = 0;
};

ProcessResult run_failing(const std::vector<std::string>& command, const std::string& when,
                          Counts& counts) {
  const cml::test::TemporaryFolder folder;
  const std::string file = (folder.path() / "counts").string();
  std::vector<std::string> words = {CML_BUILD_DIR "/cml_failing"};
  words.insert(words.end(), command.begin(), command.end());
  cml::test::ProcessOptions options;
  options.environment = {"CML_FAIL_COUNTS=" + file, "CML_FAIL=" + when};
  const ProcessResult result = cml::test::run(words, options);
  std::istringstream(cml::test::read_file(file)) >> counts.allocations >> counts.failures;
  return result;
}

void look_at(const ProcessResult& result, const ProcessResult& expected, bool is_json) {
  CAPTURE(result.err);
  CHECK_FALSE(result.timed_out);
  CHECK((result.status == expected.status || result.status == kOutOfMemory));
  if (!is_json) return;
  if (result.out.empty()) {
    CHECK(result.status == kOutOfMemory);
    CHECK(result.err.find("out of memory") != std::string::npos);
    return;
  }
  const json document = json::parse(result.out, nullptr, false);
  REQUIRE_FALSE(document.is_discarded());
  if (!document.contains("verdict")) {
    CHECK(result.status == 2);
    return;
  }
  const json truth = json::parse(expected.out);
  const std::string verdict = document["verdict"];
  CHECK((verdict == "inconclusive" || verdict == truth.value("verdict", "")));
  CHECK((verdict == "inconclusive") == (result.status == kOutOfMemory));
  if (verdict == "inconclusive")
    CHECK(document["stats"]["limits_hit"] == json::array({"max-memory"}));
}

CML_TEST_PARTS("memory: whatever allocation fails, the outcome is one that is documented") {
  if (cml::test::kSanitized) return;  // they have allocators of their own
  const char* const more = std::getenv("CML_FAILING");
  const std::uint64_t times = more == nullptr ? 1 : std::strtoull(more, nullptr, 10);
  Counts start;  // nearly all that allocates before main() are the tables of the parser
  CHECK(run_failing({"--version"}, "0", start).status == 0);
  REQUIRE(start.allocations > 0);
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  for (std::size_t number = 0; number < kCommands.size(); ++number) {
    if (!part.has(number)) continue;
    const std::vector<std::string>& command = kCommands[number];
    CAPTURE(command);
    Counts counts;
    const ProcessResult expected = run_failing(command, "0", counts);
    REQUIRE(expected.status != 4);
    const bool is_json = command.size() > 1 && command[1] == "--format";
    const auto spread = [&](std::uint64_t many, const char* every) {
      const std::uint64_t before = start.allocations;
      const std::uint64_t span = counts.allocations - before;
      for (std::uint64_t i = 0; i < many; ++i) {
        const std::uint64_t at = i == 0 ? before / 2 : before + i * span / many;
        CAPTURE(at);
        Counts failed;
        look_at(run_failing(command, std::to_string(at) + every, failed), expected, is_json);
        failures += failed.failures;
        ++runs;
      }
    };
    spread(kSingle * times, ":0");
    spread(kAll * times, ":1");
  }
  MESSAGE(runs, " runs, in which ", failures, " allocations failed");
  CHECK(failures > runs / 2);  // a process that is ended at once does not say how many
}

}  // namespace
