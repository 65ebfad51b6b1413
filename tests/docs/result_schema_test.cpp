// The JSON Schema of results (docs/schema/cml-result-1.schema.json): it has the members that
// docs/command-line.md describes, and each is described; what tests let cml write is validated
// wherever they do (tests/harness/json_schema.h). Here: that the validator notices what is wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "checker/violation_kind.h"
#include "tests/docs/documented_json.h"
#include "tests/harness/json_schema.h"
#include "tests/harness/process.h"

namespace {

using nlohmann::json;
using namespace cml::test;

const json& defined(const std::string& name) { return result_schema().at("$defs").at(name); }

/// What a member is: a definition itself, or a list of such, or null beside it.
std::string definition_of(const json& member) {
  if (const auto at = member.find("$ref"); at != member.end())
    return at->get<std::string>().substr(std::string("#/$defs/").size());
  if (const auto items = member.find("items"); items != member.end()) return definition_of(*items);
  for (const json& one : member.value("anyOf", json::array()))
    if (std::string found = definition_of(one); !found.empty()) return found;
  return {};
}

/// The objects of the schema by the paths of the page: "violations[].trace[]".
void collect(const std::string& name, const std::string& path, DocumentedJson& found) {
  const json& object = defined(name);
  const std::string at = name == "location" ? "location" : path;
  for (const auto& entry : object.at("properties").items()) {
    found[at].insert(entry.key());
    CAPTURE(fmt::format("{}.{}", at, entry.key()));
    const std::string inner = definition_of(entry.value());
    if (inner.empty()) CHECK((entry.value().contains("type") || entry.value().contains("const")));
    if (inner.empty() || inner == "value") continue;
    const bool is_list = entry.value().contains("items");
    const std::string below = path.empty() ? entry.key() : path + "." + entry.key();
    collect(inner, below + (is_list ? "[]" : ""), found);
  }
}

TEST_CASE("the schema of results has the members that the page describes") {
  DocumentedJson schema;
  collect("result", "", schema);
  for (const char* path : {"failure", "suppressed_errors"})
    schema[""].insert(path);  // of documents without a result
  DocumentedJson page = documented_json();
  page[""].insert("suppressed_errors");  // shown, not listed
  for (const auto& object : page) {
    const std::string& path = object.first;
    CAPTURE(path);
    CHECK(schema[path] == object.second);
  }
  CHECK(schema.size() == page.size());
}

TEST_CASE("each object of the schema of results says what it is") {
  for (const auto& entry : result_schema().at("$defs").items()) {
    CAPTURE(entry.key());
    CHECK(entry.value().contains("description"));
    if (entry.value().contains("properties"))
      CHECK(entry.value().value("additionalProperties", true) == false);
  }
}

TEST_CASE("the schema of results has all kinds of violations and warnings") {
  std::set<std::string> violations;
  for (const cml::checker::ViolationKind kind : cml::checker::all_violation_kinds())
    violations.insert(std::string(name(kind)));
  std::set<std::string> warnings;
  for (const cml::checker::WarningKind kind : cml::checker::all_warning_kinds())
    warnings.insert(std::string(name(kind)));
  CHECK(defined("violation")["properties"]["kind"]["enum"].get<std::set<std::string>>() ==
        violations);
  CHECK(defined("warning")["properties"]["kind"]["enum"].get<std::set<std::string>>() == warnings);
}

TEST_CASE("what is not as the schema says is noticed") {
  const ProcessResult checked = run(
      {CML_BINARY, "check", "--format", "json", CML_SOURCE_DIR "/examples/philosophers.cml"}, {});
  const json good = json::parse(checked.out);
  const auto violation = [](const json& document) {
    return schema_violation(result_schema(), document);
  };
  CHECK(violation(good) == "");
  CHECK(violation(json::array({good, good})) == "");
  const auto with = [&](const char* pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    return violation(changed);
  };
  CHECK(with("/violations/0/kind", "deadlocks").starts_with("/violations/0/kind: "));
  CHECK(with("/violations/0/trace/0/choice", "0").starts_with("/violations/0/trace/0/choice: "));
  CHECK(with("/violations/0/location/line", 0).starts_with("/violations/0/location/line: "));
  CHECK(with("/violations/0/more", 1).starts_with("/violations/0/more: "));
  CHECK(with("/stats/states", 1.5).starts_with("/stats/states: "));
  CHECK(with("/schema", "cml-result/2") != "");
  json less = good;
  less["violations"][0].erase("trace");
  CHECK(violation(less) == "/violations/0: there is no \"trace\"");
  CHECK(schema_violation({{"oneOf", 1}}, good) == "/: the validator lacks oneOf");
}

}  // namespace
