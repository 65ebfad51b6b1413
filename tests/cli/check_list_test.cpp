// `cml check` with several models and with several values of constants: lines, documents, JUnit,
// exit statuses, and what a signal does.
#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "report/terminal_text.h"
#include "tests/harness/process.h"
#include "tests/harness/terminal.h"
#include "tests/harness/xml.h"

namespace {

using namespace cml::test;
using nlohmann::json;

// Philosophers with N forks: a deadlock from 2 on. Those of ordered.cml have none.
constexpr std::string_view kDeadlock =
    "const N = 2; lock fork[N];\n"
    "thread P[i in 0..<N] { with fork[i] { with fork[(i + 1) % N] { skip; } } }\n";
constexpr std::string_view kNone =
    "const N = 2; lock m;\nthread P[i in 0..<N] { with m { skip; } }\n";
constexpr std::string_view kWrongModel = "const N = 2;\nthread A { x = N; }\n";
constexpr std::string_view kLong =
    "const N = 2; atomic n: int(0..200_000_000) = 0;\n"
    "thread A { while n < 200_000_000 { n = n + 1; } }\n";

class CheckList {
 public:
  CheckList() {
    (void)folder_.write("deadlock.cml", kDeadlock);
    (void)folder_.write("none.cml", kNone);
    (void)folder_.write("wrong.cml", kWrongModel);
    (void)folder_.write("long.cml", kLong);
  }
  ProcessResult operator()(std::vector<std::string> words) const {
    words.insert(words.begin(), {CML_BINARY, "check"});
    ProcessOptions options;
    options.folder = folder_.path();
    return run(words, options);
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

/// Without what differs from run to run.
std::string without_times(const std::string& text) {
  static const std::regex kTime(" *[0-9]+\\.[0-9]+ s");
  return std::regex_replace(text, kTime, " …");
}

TEST_CASE("several models and values are a line each, in their order") {
  const CheckList check;
  for (const char* jobs : {"1", "3"}) {
    const ProcessResult result =
        check({"-D", "N=1..2", "--jobs", jobs, "none.cml", "deadlock.cml"});
    CHECK(result.status == 1);
    CHECK(result.err.empty());
    CHECK(without_times(result.out) ==
          "none.cml      N=1  verified             2 states …\n"
          "none.cml      N=2  verified             2 states …\n"
          "deadlock.cml  N=1  verified             2 states …\n"
          "deadlock.cml  N=2  violated             5 states …  deadlock at 2:44\n"
          "\n4 checked: 3 verified, 1 violated; …\n"
          "how it comes to that, a check of one model tells: `cml check -D N=2 deadlock.cml`\n");
  }
}

TEST_CASE("values are ranges, open ranges, lists, and all ways to choose") {
  const CheckList check;
  (void)check.folder().write("two.cml",
                             "const N = 2; const B = true; lock m;\n"
                             "thread P[i in 0..<N] { with m { assert B; } }\n");
  const auto chosen = [&check](std::vector<std::string> words) {
    words.insert(words.begin(), {"--format", "json", "two.cml"});
    std::string all;
    for (const json& document : json::parse(check(words).out))
      all += document["definitions"].value("B", "") + document["definitions"].value("N", "") + " ";
    return all;
  };
  CHECK(chosen({"-D", "N=1..3"}) == "1 2 3 ");
  CHECK(chosen({"-D", "N=1..<3"}) == "1 2 ");
  CHECK(chosen({"-D", "N=1,3"}) == "1 3 ");
  CHECK(chosen({"-D", "N=1..2,5"}) == "1 2 5 ");
  CHECK(chosen({"-D", "N=2..2"}) == "2 ");
  CHECK(chosen({"-D", "B=false,true", "-D", "N=1..2"}) == "false1 false2 true1 true2 ");
  CHECK(chosen({"-D", "N=1..9", "-D", "N=1..2"}) == "1 2 ");

  const auto refused = [&check](const std::string& definition) {
    const ProcessResult result = check({"-D", definition, "two.cml"});
    CHECK(result.status == kWrong);
    CHECK(result.out.empty());
    CHECK(contains(result.err, "\nhelp: "));
    return result.err;
  };
  CHECK(contains(refused("N=3..2"), "there is no value in this range"));
  CHECK(contains(refused("N=3..<3"), "there is no value in this range"));
  CHECK(contains(refused("N=a..b"), "a range lies between two numbers"));
  CHECK(contains(refused("N=1.."), "a range lies between two numbers"));
  CHECK(contains(refused("N=1,"), "lacks a value"));
  CHECK(contains(refused("N=0..1000000"), "more than 10000 values"));
  CHECK(contains(refused("N=0..99999999999999999999"), "a range lies between two numbers"));
  CHECK(contains(refused("=1..2"), "names no constant"));
}

TEST_CASE("the status is the worst: 2, then 1, 3, 0") {
  const CheckList check;
  CHECK(check({"none.cml", "none.cml"}).status == 0);
  CHECK(check({"none.cml", "long.cml", "--max-states", "100"}).status == 3);
  CHECK(check({"long.cml", "deadlock.cml", "--max-states", "100"}).status == 1);
  CHECK(check({"deadlock.cml", "wrong.cml"}).status == 2);
  CHECK(check({"none.cml", "there_is_none.cml"}).status == 2);
  const ProcessResult quiet = check({"-q", "none.cml", "deadlock.cml"});
  CHECK(quiet.status == 1);
  CHECK(quiet.out.empty());
}

TEST_CASE("a model with errors is a line, and its errors are told once") {
  const CheckList check;
  const ProcessResult result = check({"-D", "N=1..3", "wrong.cml", "none.cml"});
  CHECK(contains(result.out, "wrong.cml  N=3  wrong         1 error, E0301 at 2:12\n"));
  CHECK(contains(result.out, "6 checked: 3 verified, 3 wrong; "));
  const std::size_t first = result.err.find("error[E0301]");
  REQUIRE(first != std::string::npos);
  CHECK(result.err.find("error[E0301]", first + 1) == std::string::npos);
}

TEST_CASE("what is about one check only is refused for several") {
  const CheckList check;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--format", "html"},
                                                {"--stats"},
                                                {"--progress", "json"},
                                                {"--all=verbose"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"none.cml", "deadlock.cml"});
    const ProcessResult result = check(all);
    CHECK(result.status == kWrong);
    CHECK(contains(result.err, words.back()));
    CHECK(contains(result.err, "is about one check, not several"));
  }
  CHECK(contains(check({"-", "none.cml"}).err, "standard input can be read only once"));
  CHECK(contains(check({"-D", "N=1..2", "-"}).err, "standard input can be read only once"));
  // It is no list: nothing is refused.
  CHECK(check({"-D", "N=1", "--stats", "none.cml"}).status == 0);
}

TEST_CASE("documents are a list, also of one") {
  const CheckList check;
  const json list =
      json::parse(check({"--format", "json", "-D", "N=2..2", "deadlock.cml", "wrong.cml"}).out);
  REQUIRE(list.size() == 2);
  CHECK(list[0]["model"] == "deadlock.cml");
  CHECK(list[0]["verdict"] == "violated");
  CHECK(list[0]["definitions"] == json{{"N", "2"}});
  CHECK(list[0]["violations"][0]["trace"].size() == 2);
  CHECK_FALSE(list[1].contains("verdict"));
  CHECK(list[1]["diagnostics"][0]["code"] == "E0301");
  const json log =
      json::parse(check({"--format", "sarif", "deadlock.cml", "none.cml", "wrong.cml"}).out);
  REQUIRE(log["runs"].size() == 3);
  CHECK(log["runs"][0]["results"][0]["ruleId"] == "deadlock");
  CHECK(log["runs"][1]["properties"]["verdict"] == "verified");
  CHECK(log["runs"][2]["results"][0]["ruleId"] == "E0301");
}

TEST_CASE("a list is written to a file, but not over a model") {
  const CheckList check;
  const ProcessResult result = check({"-o", "list.txt", "none.cml", "deadlock.cml"});
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(contains(read_file(check.folder().path() / "list.txt"), "2 checked: "));
  const ProcessResult over = check({"-o", "none.cml", "none.cml", "deadlock.cml"});
  CHECK(over.status == kWrong);
  CHECK(contains(over.err, "would overwrite the model"));
  CHECK(over.out.empty());
  CHECK(read_file(check.folder().path() / "none.cml") == kNone);
  // Nor over what one imports.
  (void)check.folder().write("importing.cml", "import \"part.cml\";\nthread A { skip; }\n");
  (void)check.folder().write("part.cml", "const K = 1;\n");
  CHECK(check({"importing.cml"}).status == 0);
  const ProcessResult part = check({"-o", "part.cml", "none.cml", "importing.cml"});
  CHECK(part.status == kWrong);
  CHECK(contains(part.err, "would overwrite the model"));
  CHECK(read_file(check.folder().path() / "part.cml") == "const K = 1;\n");
}

TEST_CASE("junit: a test case for each check, well-formed whatever a model contains") {
  const CheckList check;
  (void)check.folder().write(
      "odd & <even>.cml",
      "thread A { fail \"<b> & \\\"c\\\" ]]> \x01\xff é \xEF\xBF\xBE \xEF\xBF\xBF\"; }\n");
  const ProcessResult result = check({"--format", "junit", "--max-states", "1000", "none.cml",
                                      "deadlock.cml", "wrong.cml", "long.cml", "odd & <even>.cml"});
  CHECK(result.status == 2);
  CAPTURE(result.out);
  const XmlElement root = parse_xml(result.out);
  CHECK(root.name == "testsuites");
  CHECK(root.attributes.at("tests") == "5");
  CHECK(root.attributes.at("failures") == "1");
  CHECK(root.attributes.at("errors") == "3");
  REQUIRE(root.children.size() == 1);
  const XmlElement& suite = root.children[0];
  CHECK(suite.name == "testsuite");
  CHECK(suite.attributes.at("skipped") == "0");
  REQUIRE(suite.children.size() == 5);
  for (const XmlElement& one : suite.children) {
    CHECK(one.name == "testcase");
    for (const char* attribute : {"classname", "name", "time", "file"})
      CHECK(one.attributes.contains(attribute));
    CHECK(one.children.size() <= 1);
  }
  CHECK(suite.children[0].children.empty());
  const XmlElement& failure = suite.children[1].children.at(0);
  CHECK(failure.name == "failure");
  CHECK(failure.attributes.at("type") == "deadlock");
  CHECK(failure.attributes.at("message").starts_with("no thread can move"));
  CHECK(contains(failure.text, "how it comes to that: "));
  CHECK(suite.children[2].children.at(0).attributes.at("type") == "E0301");
  const XmlElement& inconclusive = suite.children[3].children.at(0);
  CHECK(inconclusive.name == "error");
  CHECK(inconclusive.attributes.at("type") == "inconclusive");
  CHECK(inconclusive.attributes.at("message") == "ended at max-states");
  CHECK(suite.children[4].attributes.at("classname") == "odd & <even>.cml");

  // One model, and several violations of it.
  (void)check.folder().write("several.cml",
                             "atomic b: bool;\nthread A[i in 0..<2] {\n"
                             "  assert b, \"<first>\\n& more\"; }\n"
                             "thread B { fail \"second\"; }\n");
  const XmlElement one = parse_xml(check({"--all", "--format", "junit", "several.cml"}).out);
  const XmlElement& found = one.children.at(0).children.at(0).children.at(0);
  CHECK(found.attributes.at("type") == "assertion");
  CHECK(contains(found.attributes.at("message"), "more)"));
}

TEST_CASE("the lines of a list fit the terminal") {
  const CheckList check;
  const std::string long_name = "a_rather_long_name_of_a_model_in_a_folder.cml";
  const std::string model = check.folder().write(long_name, kDeadlock).string();
  for (const int columns : {60, 80, 100, 140}) {
    CAPTURE(columns);
    const auto result =
        run_on_terminal({"/bin/sh", "-c",
                         "cd " + check.folder().path().string() +
                             " && " CML_BINARY " check -D N=1..2 none.cml wrong.cml " + long_name},
                        {.columns = columns, .environment = {"NO_COLOR=1"}});
    CHECK(result.status == 2);
    std::istringstream lines(result.screen.substr(result.screen.find("none.cml")));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      if (!contains(line, "error[") && !contains(line, "cml check -D"))
        CHECK(cml::report::display_width(line) <= std::max(columns, 62));
    }
    CHECK(contains(result.screen, "deadlock at 2:44"));
  }
}

TEST_CASE("Ctrl-C ends a list: what has not been checked is inconclusive") {
  const CheckList check;
  const std::string at = check.folder().path().string() + "/";
  const auto result = run_on_terminal(
      {CML_BINARY, "check", "--jobs", "1", at + "none.cml", at + "long.cml", at + "deadlock.cml"},
      {.columns = 120, .wait_for = "none.cml", .keys = "\x03"});
  CHECK(result.status == 3);
  CAPTURE(result.screen);
  CHECK(contains(result.screen, "3 checked: 1 verified, "));
  CHECK(contains(result.screen, "2 inconclusive; "));
  CHECK(contains(result.screen, "interrupted before it began"));
  CHECK_FALSE(contains(result.screen, "violated"));
}

}  // namespace
