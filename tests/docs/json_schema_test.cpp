// docs/command-line.md describes the JSON of `cml check` and `cml compare`, member by member: what
// the program writes stands there, and whatever the writer can write is named there.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "tests/docs/documented_json.h"
#include "tests/harness/process.h"

namespace {

using nlohmann::json;
using namespace cml::test;

using Schema = DocumentedJson;

void check_members(const Schema& schema, const json& value, const std::string& path,
                   std::set<std::string>& seen) {
  if (value.is_array()) {
    for (const json& element : value)
      check_members(schema, element, path + "[]", seen);
  }
  if (!value.is_object()) return;
  // Their members are names of the model.
  for (const char* const names :
       {"constants", "definitions", ".values", ".reads", ".changes", ".before", ".after", ".state",
        ".locals", ".fields", ".result", ".was"})
    if (path.ends_with(names)) return;
  const bool is_location = path.ends_with("location");
  const auto known = schema.find(is_location ? "location" : path);
  CAPTURE(path);
  REQUIRE(known != schema.end());
  for (const auto& entry : value.items()) {
    const std::string& member = entry.key();
    CAPTURE(member);
    CHECK(known->second.contains(member));
    seen.insert(member);
    check_members(schema, entry.value(), path.empty() ? member : fmt::format("{}.{}", path, member),
                  seen);
  }
}

constexpr std::string_view kModels[] = {
    "lock m; lock n; const N = 2;\n"
    "thread A { with m { with n { skip; } } }\n"
    "daemon thread B { with n { with m { cover \"both\"; } } }\n",
    "shared x: int(0..9) = 0; shared y: int guarded by m; lock m;\n"
    "thread Worker[i in 0..<2] { let k = choose(0..1); x = k; with m { y = x; } }\n",
    "shared alone: bool; atomic n: int; thread A { alone = true; n += 1; fail; }\n",
    "class C {} thread A { let c = new C(); }\n",
    "atomic x: bool; terminates; property p: always !x; thread A { x = true; }\n"
    "daemon thread B { await x; }\n",
    "atomic class C { var n: int(0..1); commutes set(_); fun set(v: int(0..1)) { n = v; } }\n"
    "thread A { let c = new C(); }\n",
};

TEST_CASE("the members of the JSON are documented") {
  const Schema schema = documented_json();
  REQUIRE(schema.size() > 10);
  const TemporaryFolder folder;
  std::set<std::string> seen;
  for (const std::string_view model : kModels) {
    const std::string path = folder.write("model.cml", model).string();
    for (const char* option : {"--all", "--max-states=3", "--store=stateless"}) {
      const ProcessResult answer = run({CML_BINARY, "check", "--format", "json", option, path}, {});
      CAPTURE(answer.err);
      REQUIRE(answer.status < 4);
      check_members(schema, json::parse(answer.out), "", seen);
    }
  }
  const std::string compared = folder.write("model.cml", kModels[0]).string();
  const ProcessResult list =
      run({CML_BINARY, "compare", "--format", "json", "--with",
           "--store stateful,stateless --reduction stubborn,source", compared},
          {});
  const json documents = json::parse(list.out);
  REQUIRE(documents.size() == 4);
  for (const json& document : documents)
    check_members(schema, document, "", seen);
  const ProcessResult checks =
      run({CML_BINARY, "check", "--format", "json", "-D", "N=1..2", compared}, {});
  for (const json& document : json::parse(checks.out))
    check_members(schema, document, "", seen);
  const ProcessResult walks =
      run({CML_BINARY, "simulate", "--format", "json", "--scheduler", "pct", compared}, {});
  check_members(schema, json::parse(walks.out), "", seen);
  for (const char* member : {"trace", "accesses", "related", "reduced", "stuck", "end_line",
                             "comparison", "standing", "definitions", "simulation"}) {
    CAPTURE(member);
    CHECK(seen.contains(member));  // else these models show too little
  }
}

TEST_CASE("whatever the JSON writer can write is named in its documentation") {
  std::set<std::string> named;
  for (const auto& [path, members] : documented_json())
    named.insert(members.begin(), members.end());
  static const std::regex kWritten("(?:\\{|\\[)\"([a-z_]+)\"(?:,|\\])");
  std::size_t count = 0;
  for (const char* file :
       {"result_json.cpp", "diagnostics_json.cpp", "comparison_json.cpp", "simulation.cpp"}) {
    const std::string text = read_file(std::string(CML_SOURCE_DIR "/report/") + file);
    for (std::sregex_iterator at(text.begin(), text.end(), kWritten), end; at != end; ++at) {
      const std::string member = (*at)[1];
      ++count;
      CAPTURE(member);
      // Of documents of models with errors, which are shown whole.
      CHECK((named.contains(member) || member == "suppressed_errors"));
    }
  }
  CHECK(count > 80);
}

}  // namespace
