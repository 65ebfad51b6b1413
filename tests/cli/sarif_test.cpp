// `cml check --format sarif`: the parts that code scanning reads. (Documents of all kinds have been
// validated against the schema of SARIF 2.1.0, which is not part of this repository.)
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/process.h"

namespace {

using namespace cml::test;

nlohmann::json sarif_of(const std::string& model) {
  ProcessOptions where;
  where.folder = CML_SOURCE_DIR;
  const nlohmann::json document =
      nlohmann::json::parse(run({CML_BINARY, "check", "--format", "sarif", model}, where).out);
  CHECK(document["version"] == "2.1.0");
  REQUIRE(document["runs"].size() == 1);
  return document["runs"][0];
}

TEST_CASE("sarif: a violation is an error with a thread flow for each thread") {
  const nlohmann::json run = sarif_of("examples/philosophers.cml");
  REQUIRE(run["results"].size() == 1);
  const nlohmann::json& result = run["results"][0];
  CHECK(result["ruleId"] == "deadlock");
  CHECK(result["level"] == "error");
  CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == "deadlock");
  const nlohmann::json& place = result["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "examples/philosophers.cml");
  CHECK(place["region"]["startLine"] == 18);
  const nlohmann::json& flows = result["codeFlows"][0]["threadFlows"];
  REQUIRE(flows.size() == 5);
  CHECK(flows[2]["id"] == "Philosopher[2]");
  const nlohmann::json& step = flows[2]["locations"][0];
  CHECK(step["executionOrder"] == 3);
  CHECK(step["location"]["message"]["text"] == "fork[2].acquire()");
  CHECK(step["state"]["fork[2]"]["text"] == "Philosopher[2]");
}

TEST_CASE("sarif: what is wrong with a text, and what is not known") {
  const TemporaryFolder folder;
  const nlohmann::json wrong = sarif_of(folder.write("a b.cml", "thread A { x = 1; }\n"));
  CHECK(wrong["invocations"][0]["executionSuccessful"] == false);
  REQUIRE(wrong["results"].size() == 1);
  CHECK(wrong["results"][0]["ruleId"] == "E0301");
  const nlohmann::json& place = wrong["results"][0]["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"].get<std::string>().ends_with("/a%20b.cml"));
  CHECK(sarif_of("there_is_none.cml")["results"][0]["ruleId"] == "unreadable");

  const nlohmann::json verified = sarif_of("examples/philosophers_ordered.cml");
  CHECK(verified["results"].empty());
  CHECK(verified["properties"]["verdict"] == "verified");
  CHECK(sarif_of("examples/std/mailbox_wrong.cml")["results"][0]["locations"][0]["logicalLocations"]
                                                  [0]["fullyQualifiedName"] == "std.mailbox:22");
}

}  // namespace
