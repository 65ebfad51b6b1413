// `cml check --coverage`: what never happens, found by looking at all interleavings.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/json_schema.h"
#include "tests/harness/process.h"

namespace {

using nlohmann::json;
using namespace cml::test;

ProcessResult check(const std::string& model, const std::vector<std::string>& options) {
  std::vector<std::string> command = {CML_BINARY, "check"};
  command.insert(command.end(), options.begin(), options.end());
  command.emplace_back("-");
  return run(command, {.input = model, .folder = {}, .environment = {}});
}

/// "kind line what never", of all that has not happened.
std::set<std::string> missing(const std::string& model, std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--coverage", "--format", "json"});
  const json document = json::parse(check(model, options).out);
  CHECK(schema_violation(result_schema(), document) == "");
  std::set<std::string> found;
  for (const json& item : document.at("coverage").at("items"))
    if (item["never"].is_string())
      found.insert(item["kind"].get<std::string>() + " " +
                   std::to_string(item["location"]["line"].get<int>()) + " " +
                   (item["object"].is_string() ? item["object"].get<std::string>() + " " : "") +
                   item["never"].get<std::string>());
  return found;
}

using Missing = std::set<std::string>;

TEST_CASE("coverage: conditions that are always the same") {
  CHECK(missing("atomic x: int(0..3);\n"
                "thread A {\n"
                "  if x > 3 {\n"
                "    x = 0;\n"
                "  }\n"
                "  if x < 2 {\n"
                "    x = 1;\n"
                "  }\n"
                "  while x != 1 { x = 1; }\n"
                "  if x == 2 { x = 3; } else { x = 1; }\n"
                "}\n"
                "thread B { x = 2; }\n") ==
        Missing{"condition 3 is never true", "statement 4 is never reached"});
  // In no instance, and whatever has been asserted.
  CHECK(missing("atomic x: int(0..3);\n"
                "thread A[i in 0..<2] {\n"
                "  if i == 0 && x == 0 { skip; }\n"
                "  assert x >= 0 && x < 4;\n"
                "}\n") == Missing{"condition 3 is never false"});
}

TEST_CASE("coverage: waits that nobody enters") {
  const std::string early =
      "lock m;\nshared ready: bool = true;\nsemaphore s = 2;\natomic go: bool = true;\n"
      "thread A[i in 0..<2] {\n"
      "  with m { m.wait() until ready; }\n"
      "  s.down();\n"
      "  await go;\n"
      "}\n";
  CHECK(missing(early) == Missing{"wait 6 is never waited at", "wait 7 is never waited at",
                                  "wait 8 is never waited at"});
  CHECK(missing("lock m;\nshared ready: bool;\nsemaphore s = 1;\natomic go: bool;\n"
                "thread A[i in 0..<2] {\n"
                "  with m { m.wait() until ready; }\n"
                "  s.down();\n"
                "  await go;\n"
                "  s.up();\n"
                "}\n"
                "thread B { with m { ready = true; m.notifyAll(); } go = true; }\n") == Missing{});
}

TEST_CASE("coverage: locks that nobody finds taken, whatever the reduction leaves out") {
  const std::string model =
      "lock a;\nlock b;\nlock c[2];\nshared x: int(0..9);\nshared y: int(0..9);\n"
      "thread A[i in 0..<2] {\n"
      "  with a { x = 1; }\n"
      "  with a { with b { y = 1; } }\n"
      "  with c[i] { skip; }\n"
      "}\n";
  for (const char* reduction : {"none", "stubborn"})
    CHECK(missing(model, {"--reduction", reduction}) ==
          Missing{"lock 2 b is never contended", "lock 3 c is never contended"});
  CHECK(missing("lock a;\nthread A { let t = a.tryAcquire(); if t { a.release(); } }\n"
                "thread B { with a { skip; } }\n") == Missing{});
  CHECK(missing("rwlock r;\nshared x: int(0..1);\n"
                "thread A[i in 0..<2] { with read r { let t = x; } }\n") ==
        Missing{"lock 1 r is never contended"});
  CHECK(missing("rwlock r;\nshared x: int(0..1);\nthread A { with read r { let t = x; } }\n"
                "thread B { with write r { x = 1; } }\n") == Missing{});
}

TEST_CASE("coverage: channels that are never full") {
  CHECK(missing("channel c: int capacity 3;\nchannel d: int capacity 1;\n"
                "thread A { for i in 0..<2 { c.send(i); d.send(i); } }\n"
                "thread B { for i in 0..<2 { let x = c.recv(); let y = d.recv(); } }\n") ==
        Missing{"channel 1 c is never full", "wait 3 is never waited at"});
}

/// Lines and columns, for comparisons.
std::array<int, 4> place_of(const json& location) {
  return {location["line"], location["column"], location["end_line"], location["end_column"]};
}
bool contains(const json& whole, const json& part) {
  const auto [line, column, end_line, end_column] = place_of(whole);
  const auto [part_line, part_column, part_end_line, part_end_column] = place_of(part);
  return whole["file"] == part["file"] &&
         std::pair(line, column) <= std::pair(part_line, part_column) &&
         std::pair(part_end_line, part_end_column) <= std::pair(end_line, end_column);
}

TEST_CASE("coverage: the statements that nobody reaches are those that a check warns of") {
  std::size_t compared = 0;
  std::size_t found = 0;
  for (const char* const folder : {"/examples", "/tests/models"}) {
    std::size_t taken = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(CML_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".cml" || taken == 60) continue;
      const ProcessResult checked = run({CML_BINARY, "check", "--coverage", "--max-states", "3000",
                                         "--max-time", "5", "--format", "json", entry.path()},
                                        {});
      if (checked.status != 0) continue;  // warnings about "never" are of what is verified
      const json document = json::parse(checked.out);
      if (!document["coverage"]["complete"].get<bool>()) continue;
      ++taken;
      ++compared;
      CAPTURE(entry.path().string());
      std::vector<json> warned;
      for (const json& warning : document["warnings"])
        if (warning["kind"] == "unreached") warned.push_back(warning["location"]);
      std::vector<json> never;
      for (const json& item : document["coverage"]["items"])
        if (item["kind"] == "statement" && item["never"].is_string())
          never.push_back(item["location"]);
      found += never.size();
      for (const json& statement : never)
        CHECK(std::any_of(warned.begin(), warned.end(),
                          [&](const json& one) { return contains(one, statement); }));
      for (const json& statement : warned)
        CHECK(std::find(never.begin(), never.end(), statement) != never.end());
    }
  }
  CHECK(compared > 30);
  CHECK(found > 3);
}

TEST_CASE("coverage: for people, as sentences, or beside the source") {
  const std::string model =
      "lock m;\nshared x: int(0..9);\n"
      "thread A {\n"
      "  with m {\n"
      "    if x > 9 {\n"
      "      x = 1;\n"
      "    }\n"
      "  }\n"
      "}\n";
  const std::string text = check(model, {"--coverage"}).out;
  const auto tells = [](const std::string& out, const std::string& part) {
    CAPTURE(out);
    CAPTURE(part);
    CHECK(out.find(part) != std::string::npos);
  };
  tells(text, "\ncoverage, of all ");
  tells(text, "  -:1:6: the lock `m` is never contended: no thread finds it taken\n");
  tells(text, "  -:5:8: the condition `x > 9` is never true\n");
  tells(text, "0 of 1 conditions are both true and false, 0 of 1 locks");
  const std::string listing = check(model, {"--coverage=source"}).out;
  tells(listing, "\n  - 5 |     if x > 9 {\n      |   the condition `x > 9` is never true\n");
  tells(listing, "\n    3 | thread A {\n");
  tells(listing, "\n  + 4 |   with m {\n");
}

TEST_CASE("coverage: what has not been looked at is said so, and it is about one check") {
  const std::string model =
      "atomic x: int(0..200); thread A { while x < 200 { x += 1; } } thread B { let t = x; }";
  const ProcessResult cut = check(model, {"--coverage", "--max-states", "50"});
  CHECK(cut.out.find("coverage, of the first 50 states at granularity access:") !=
        std::string::npos);
  const ProcessResult refused = run({CML_BINARY, "check", "--coverage", "a.cml", "b.cml"}, {});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("`--coverage` is about one check, not several") != std::string::npos);
}

}  // namespace
