// What a model costs grows with its size, and not with the square of it: models of one size and of
// four times that size, from the text to the report, counted in instructions. The clock would tell
// more about what else the machine does; instructions are the same each time. And what takes long
// all the same ends when it is asked to.
#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/stop_token.h"
#include "tests/harness/parts.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"

namespace {

using cml::test::TemporaryFolder;

std::string times(int count, const std::function<std::string(int)>& text) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text(i) + "\n";
  return result;
}

/// How many instructions `cml` executes with these arguments and the model; 0 if it was not
/// counted.
std::uint64_t instructions(const std::vector<std::string>& options, const std::string& model) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"valgrind", "--tool=callgrind",
                                     "--callgrind-out-file=/dev/null", CML_BINARY};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(folder.write("model.cml", model).string());
  const cml::test::ProcessResult result = cml::test::run(arguments);
  const std::string key = "Collected : ";
  const std::size_t at = result.err.find(key);
  if (result.status > 1 && result.status != 3) return 0;
  return at == std::string::npos ? 0 : std::stoull(result.err.substr(at + key.size()));
}

struct Growing {
  const char* name;
  int size;
  std::function<std::string(int)> model;
  std::vector<std::string> options;
};

std::vector<Growing> growing() {
  const std::string other = "thread Other { skip; }\n";
  std::vector<Growing> all;
  const auto add = [&all](const char* name, int size, std::function<std::string(int)> model,
                          std::vector<std::string> options) {
    options.insert(options.begin(), {"check", "--engine", "interpreter"});
    all.push_back({name, size, std::move(model), std::move(options)});
  };
  add("assignments to an atomic", 50,
      [other](int n) {
        return "atomic x: int(0..3);\nthread A {\n" +
               times(n, [](int i) { return fmt::format("x = {};", i % 3); }) + "}\n" + other;
      },
      {});
  add("assignments to many atomics", 50,
      [other](int n) {
        return times(n, [](int i) { return fmt::format("atomic x{}: bool;", i); }) +
               "thread A {\n" + times(n, [](int i) { return fmt::format("x{} = true;", i); }) +
               "}\n" + other;
      },
      {});
  add("threads that take one lock", 25,
      [](int n) {
        return fmt::format(
            "lock m; shared c: int(0..1);\n"
            "thread T[i in 0..<{}] {{ with m {{ c = 1; }} }}\n",
            n);
      },
      {"--max-states", "20"});
  add("threads that write what their neighbours write", 25,
      [](int n) {
        return fmt::format(
            "atomic x[{0}]: bool;\n"
            "thread T[i in 0..<{0}] {{ x[i] = true; x[(i + 1) % {0}] = true; }}\n",
            n);
      },
      {"--max-states", "20"});
  add("leaves of an atomic block", 100,
      [other](int n) {
        return fmt::format(
                   "atomic x: int(0..{0});\n"
                   "thread A {{ atomic {{ let y = choose(1..{0}); x = y; }} }}\n",
                   n) +
               other;
      },
      {});
  add("choices with sleep sets", 4000,
      [](int n) {
        return fmt::format(
            "atomic x: int(0..2);\n"
            "thread A {{ let y = choose(1..{}); x = 1; }}\n"
            "thread B {{ x = 2; }}\n",
            n);
      },
      {"--reduction", "sleep"});
  return all;
}

TEST_CASE(
    "a transition that takes very long ends at --max-time, and so does what comes before a "
    "search") {
  // 2^18 leaves, each behind a thousand writes.
  const TemporaryFolder folder;
  const std::string model = folder
                                .write("model.cml",
                                       "atomic x: int(0..2);\n"
                                       "thread A {\n"
                                       "  atomic {\n"
                                       "    for i in 0..<18 { let y = choose(0..1); x = y; }\n"
                                       "    for i in 0..<1000 { x = i % 3; }\n"
                                       "  }\n"
                                       "}\n"
                                       "thread B { x = 2; }\n")
                                .string();
  for (const char* engine : {"interpreter", "jit"}) {
    const cml::test::ProcessResult result =
        cml::test::run({CML_BINARY, "check", "--max-time", "1", "--engine", engine, "--jit-after",
                        "0", "--format", "json", model});
    CHECK_FALSE(result.timed_out);
    CHECK(result.status == 3);
    const auto document = nlohmann::json::parse(result.out, nullptr, false);
    REQUIRE_FALSE(document.is_discarded());
    CHECK(document["verdict"] == "inconclusive");
    CHECK(document["stats"]["limits_hit"] == nlohmann::json({"max-time"}));
  }

  // Each poll counts the work that is done between two of them.
  const std::atomic<bool> asked = true;
  const cml::StopToken stop(&asked, std::nullopt);
  CHECK(stop.is_interrupted());
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 1'000; ++i)
          stop.poll(1'000);
      }(),
      cml::Stopped);
  CHECK_NOTHROW(cml::StopToken().poll(1'000'000'000));
}

CML_TEST_PARTS("what a model costs does not grow with the square of its size") {
  if (cml::test::kSanitized) return;  // valgrind does not run what they build
  // Four times the size: 4 if it grows like the size, 16 if like its square.
  constexpr double kMostGrowth = 8;
  const std::vector<Growing> all = growing();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!part.has(i)) continue;
    const Growing& one = all[i];
    CAPTURE(one.name);
    const std::uint64_t start = instructions(one.options, one.model(2));
    const std::uint64_t small = instructions(one.options, one.model(one.size));
    const std::uint64_t large = instructions(one.options, one.model(4 * one.size));
    REQUIRE(start > 0);
    REQUIRE(small > start);
    const double growth = static_cast<double>(large - start) / static_cast<double>(small - start);
    CAPTURE(small);
    CAPTURE(large);
    CHECK(growth < kMostGrowth);
  }
}

}  // namespace
