// `cml compare` on the real binary: the table of docs/reductions.md, what is refused or incomplete,
// lists of words, the exit status.
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/process.h"

namespace {

using namespace cml::test;
using nlohmann::json;

ProcessResult compare(std::vector<std::string> words) {
  words.insert(words.begin(), {CML_BINARY, "compare"});
  ProcessOptions options;
  options.folder = CML_SOURCE_DIR;
  return run(words, options);
}

json searches(std::vector<std::string> words) {
  words.insert(words.begin(), {"--format", "json"});
  return json::parse(compare(words).out);
}

/// Without what differs from run to run: memory and time.
std::string counts(const std::string& text) {
  static const std::regex kMeasured(" +[0-9.]+ MB +[0-9.]+ s");
  return std::regex_replace(text, kMeasured, " …");
}

TEST_CASE("docs/reductions.md shows what `cml compare` prints") {
  const std::string path = CML_SOURCE_DIR "/docs/reductions.md";
  std::string page = read_file(path);
  const std::string begin = "<!-- cml compare examples/lastzero.cml -->\n```text\n";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t first = at + begin.size();
  const std::string shown = page.substr(first, page.find("```", first) - first);
  const ProcessResult result = compare({"examples/lastzero.cml"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  const bool is_current = counts(shown) == counts(result.out);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): not set here
  if (!is_current && std::getenv("CML_UPDATE_GOLDEN") != nullptr) {
    page.replace(first, shown.size(), result.out);
    std::ofstream(path, std::ios::binary) << page;
    return;
  }
  CHECK_MESSAGE(is_current, result.out);
}

TEST_CASE("lists of words are searches with each, in their order") {
  const json all = searches({"--with", "--granularity=access,sync --reduction none,stubborn",
                             "--with", "--granularity access --reduction source --store stateless",
                             "examples/lastzero.cml"});
  std::vector<std::string> names;
  for (const json& one : all) {
    names.push_back(one["comparison"]["search"]);
    CHECK(one["verdict"] == "verified");
    CHECK(one["comparison"]["standing"] == "sound");
    CHECK(one["comparison"]["agrees"] == true);
  }
  CHECK(names == std::vector<std::string>{"access none", "access stubborn", "sync none",
                                          "sync stubborn", "access source stateless"});
  CHECK(all[1]["comparison"]["words"] == "--granularity=access --reduction stubborn");
}

TEST_CASE("what is refused or incomplete is a line, with the reason") {
  const std::vector<std::string> words = {"--with", "--reduction none,source", "--with",
                                          "--granularity access --reduction none --max-states 3",
                                          "examples/lastzero.cml"};
  const ProcessResult text = compare(words);
  CHECK(text.status == 0);
  CHECK(contains(text.out, "1 of 3 searches are conclusive"));
  CHECK(contains(text.out, "sync source: refused: a dynamic reduction learns from executions"));
  CHECK(contains(text.out, "access none: incomplete: it ended at max-states"));
  const json all = searches(words);
  CHECK(all[1]["comparison"]["standing"] == "refused");
  CHECK(contains(all[1]["comparison"]["instead"].get<std::string>(), "--store stateless"));
  CHECK_FALSE(all[1].contains("verdict"));
  CHECK(all[2]["comparison"]["standing"] == "incomplete");
  CHECK(all[2]["comparison"]["why"] == "it ended at max-states");
}

TEST_CASE("a search at granularity sync of a model without discipline is incomplete") {
  const json all =
      searches({"--with", "--granularity access,sync", "examples/lock_discipline.cml"});
  CHECK(all[0]["comparison"]["standing"] == "sound");
  CHECK(all[1]["comparison"]["standing"] == "incomplete");
  CHECK(contains(all[1]["comparison"]["why"].get<std::string>(), "relies on the discipline"));
}

TEST_CASE("what a model asks for holds where the words do not say otherwise") {
  const std::string model = "tests/models/races_semaphore_as_mutex.cml";
  const json all = searches({"--with", "--reduction none", "--with", "--discipline global", model});
  CHECK(all[0]["options"]["discipline"] == "races");
  CHECK(all[0]["verdict"] == "verified");
  CHECK(all[1]["options"]["discipline"] == "global");
  CHECK(all[1]["verdict"] == "violated");
  CHECK(compare({"--with", "--reduction none", "--with", "--discipline global", model}).status ==
        1);  // they are asked different things, and contradict each other in nothing
}

TEST_CASE("the exit status of a comparison is the worst of its models") {
  const std::string usual = "--reduction stubborn";
  CHECK(compare({"--with", usual, "examples/lastzero.cml"}).status == 0);
  CHECK(compare({"--with", usual, "examples/lastzero.cml", "examples/philosophers.cml"}).status ==
        1);
  CHECK(compare({"--with", usual, "--max-states", "2", "examples/lastzero.cml"}).status == 3);
  CHECK(compare({"--with", "--reduction source", "examples/lastzero.cml"}).status == 3);
  CHECK(compare({"examples/none.cml"}).status == kWrong);
  const ProcessResult wrong = compare({"--with", "--reduction some", "examples/lastzero.cml"});
  CHECK(wrong.status == kWrong);
  CHECK(wrong.err.starts_with("cml: error: --with \"--reduction some\": "));
  CHECK(compare({"--with", "examples/lastzero.cml"}).status == kWrong);
  CHECK(compare({"--with", "other.cml", "examples/lastzero.cml"}).status == kWrong);
  CHECK(compare({"--with", "--reduction none --help", "examples/lastzero.cml"}).status == kWrong);
}

}  // namespace
