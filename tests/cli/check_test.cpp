// `cml check` on the real binary: streams, exit statuses, formats, and every kind of file that is
// no model.
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/harness/golden.h"
#include "tests/harness/process.h"
#include "tests/harness/sanitized.h"
#include "tests/harness/terminal.h"

namespace {

namespace fs = std::filesystem;
using cml::test::contains;
using cml::test::kWrong;
using cml::test::ProcessResult;
using cml::test::TemporaryFolder;
using nlohmann::json;

constexpr std::string_view kGood =
    "model \"two\";\n"
    "const N = 2;\n"
    "lock m;\n"
    "shared x: int(0..9) = 0;\n"
    "thread Worker[i in 0..<N] {\n"
    "  with m { if x < 9 { x = x + 1; } }\n"
    "}\n";

constexpr std::string_view kBad =
    "lock fork[2];\n"
    "thread Philosopher[i in 0..<2] {\n"
    "  frok[i].acquire();\n"
    "  fork[i].relaese();\n"
    "}\n";

// Runs `cml check` in a folder that has good.cml and bad.cml.
class Check {
 public:
  Check() {
    (void)folder_.write("good.cml", kGood);
    (void)folder_.write("bad.cml", kBad);
  }

  ProcessResult operator()(std::vector<std::string> words, std::string_view input = {}) const {
    words.insert(words.begin(), {CML_BINARY, "check"});
    return cml::test::run(
        words, {.input = std::string(input), .folder = folder_.path(), .environment = {}});
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

// A model without errors ends with a verdict: verified, violated or inconclusive.
bool has_verdict(const ProcessResult& result) {
  return result.status == 0 || result.status == 1 || result.status == 3;
}

TEST_CASE("a model without errors gets a verdict, and nothing on stderr") {
  const Check check;
  const ProcessResult result = check({"good.cml"});
  CHECK(has_verdict(result));
  CHECK(result.err.empty());

  const ProcessResult quiet = check({"--quiet", "good.cml"});
  CHECK(quiet.status == result.status);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
  // What a program asks for is no report for people.
  CHECK(json::parse(check({"--quiet", "--format", "json", "good.cml"}).out)["verdict"] ==
        "verified");
}

TEST_CASE("`cml ir --ranges` says lines and columns") {
  const Check check;
  const ProcessResult result =
      cml::test::run({CML_BINARY, "ir", "--ranges", "good.cml"},
                     {.input = {}, .folder = check.folder().path(), .environment = {}});
  CHECK(result.status == 0);
  CHECK(contains(result.out, "group \"m\" from 3:6-3:7\n"));
  CHECK(contains(result.out, "read s0 = o1 from 6:15-6:16 "));
}

TEST_CASE("errors in the model: on stderr, with places, exit 2") {
  const Check check;
  const ProcessResult result = check({"bad.cml"});
  CHECK(result.status == kWrong);
  CHECK(result.out.empty());
  CHECK_GOLDEN("cli/golden/errors.txt", result.err);
  CHECK(check({"-q", "bad.cml"}).err == result.err);
}

TEST_CASE("errors in the model as JSON: on stdout, and nothing else") {
  const Check check;
  const ProcessResult result = check({"--format", "json", "bad.cml"});
  CHECK(result.status == kWrong);
  CHECK(result.err.empty());
  const json document = json::parse(result.out);
  CHECK(document["schema"] == "cml-result/1");
  CHECK(document["tool"]["name"] == "cml");
  CHECK(document["model"] == "bad.cml");
  REQUIRE(document["diagnostics"].size() == 2);
  const json& first = document["diagnostics"][0];
  CHECK(first["code"] == "E0301");
  CHECK(first["severity"] == "error");
  CHECK(first["location"]["file"] == "bad.cml");
  CHECK(first["location"]["line"] == 3);
  CHECK(first["location"]["column"] == 3);
  CHECK(first["location"]["end_column"] == 7);
  CHECK(contains(first["hint"].get<std::string>(), "fork"));
}

TEST_CASE("a result as JSON parses and tells the constants") {
  const Check check;
  const ProcessResult result = check({"--format=json", "-DN=3", "good.cml"});
  CHECK(has_verdict(result));
  CHECK(result.err.empty());
  const json document = json::parse(result.out);
  CHECK(document["title"] == "two");
  CHECK(document["constants"]["N"] == 3);
  CHECK(document["verdict"].is_string());
  CHECK(document["violations"].is_array());
  CHECK(document["warnings"].is_array());
}

TEST_CASE("--output writes the result to a file") {
  const Check check;
  for (const char* model : {"good.cml", "bad.cml"}) {
    const ProcessResult result = check({"--format", "json", "--output", "result.json", model});
    CHECK(result.out.empty());
    CHECK(result.err.empty());
    const std::string written = cml::test::read_file(check.folder().path() / "result.json");
    CHECK(json::parse(written)["model"] == model);
  }
  const ProcessResult result = check({"-o", "no/such/folder/result", "good.cml"});
  CHECK(result.status == kWrong);
  CHECK(contains(result.err, "cannot write `no/such/folder/result`: No such file"));
}

TEST_CASE("`-` is standard input") {
  const Check check;
  CHECK(has_verdict(check({"-"}, kGood)));
  const ProcessResult result = check({"-"}, kBad);
  CHECK(result.status == kWrong);
  CHECK(contains(result.err, ":3:3: error[E0301]"));
}

TEST_CASE("definitions") {
  const Check check;
  CHECK(has_verdict(check({"-D", "N=3", "good.cml"})));
  CHECK(has_verdict(check({"good.cml", "-D", "N=7", "-DN=3"})));
  struct Mistake {
    std::string definition;
    std::string_view message;
  };
  for (const Mistake& mistake : {Mistake{"N", "`-D N` gives `N` no value"},
                                 {"N=", "`-D N=` gives `N` no value"},
                                 {"=3", "`-D =3` names no constant"},
                                 {"3=3", "`-D 3=3` names no constant"},
                                 {"M=3", "M"},
                                 {"N=x", "N"},
                                 {"N=-1", "N"}}) {
    const ProcessResult result = check({"-D", mistake.definition, "good.cml"});
    CAPTURE(mistake.definition);
    CAPTURE(result.err);
    if (mistake.definition != "N=-1") CHECK(result.status == kWrong);
    if (result.status == kWrong) CHECK(contains(result.err, mistake.message));
  }
}

TEST_CASE("mistakes on the command line") {
  const Check check;
  struct Mistake {
    std::vector<std::string> words;
    std::string_view message;
    std::string_view help;
  };
  for (const Mistake& mistake :
       {Mistake{{}, "MODEL.cml is missing", "`cml check --help`"},
        {{"--frmat", "json", "good.cml"}, "unknown option `--frmat`", "did you mean `--format`?"},
        {{"--quite", "good.cml"}, "unknown option `--quite`", "did you mean `--quiet`?"},
        {{"--format", "jsn", "good.cml"}, "`--format` cannot be `jsn`", "`--format json`?"},
        {{"--format", "yaml", "good.cml"},
         "`--format` cannot be `yaml`",
         "it is one of text, json"},
        {{"good.cml", "--format"}, "`--format` needs a value", "`cml check --help`"},
        {{"--quiet=7", "good.cml"}, "`--quiet` takes no value", "`cml check --help`"},
        {{"--max-states", "many", "good.cml"}, "`--max-states` needs a number", "2M"},
        {{"--max-states=-1", "good.cml"}, "`--max-states` needs a number, not `-1`", "2M"},
        {{"--max-time", "soon", "good.cml"}, "`--max-time` needs a time", "1.5m"},
        {{"--max-time", "1e9", "good.cml"}, "`--max-time` needs a time", "1.5m"},
        {{"--granularity", "acess", "good.cml"}, "cannot be `acess`", "`--granularity access`?"},
        {{"good.cm"}, "cannot read `good.cm`", "did you mean `good.cml`?"},
        {{"good"}, "cannot read `good`", "did you mean `good.cml`?"},
        {{"--", "--quiet"}, "cannot read `--quiet`", ""}}) {
    const ProcessResult result = check(mistake.words);
    CAPTURE(mistake.message);
    CAPTURE(result.err);
    CHECK(result.status == kWrong);
    CHECK(result.out.empty());
    CHECK(contains(result.err, mistake.message));
    CHECK(contains(result.err, mistake.help));
  }
}

TEST_CASE("what is no model is refused in a sentence") {
  const Check check;
  const fs::path folder = check.folder().path();
  fs::create_directory(folder / "folder.cml");
  (void)check.folder().write("unreadable.cml", kGood);
  fs::permissions(folder / "unreadable.cml", fs::perms::none);
  (void)check.folder().write("huge.cml", "lock m;\n");
  fs::resize_file(folder / "huge.cml", 1'000'000'000);  // sparse
  REQUIRE(mkfifo((folder / "pipe.cml").c_str(), 0600) == 0);

  std::vector<std::string> files = {"missing.cml", "folder.cml", "huge.cml", "no/folder/m.cml"};
  if (geteuid() != 0) files.emplace_back("unreadable.cml");  // root reads everything
  for (const std::string& file : files) {
    CAPTURE(file);
    const ProcessResult text = check({file});
    CHECK(text.status == kWrong);
    CHECK(text.out.empty());
    CHECK(text.err.starts_with("cml: error: "));
    CHECK(contains(text.err, file));

    const ProcessResult result = check({"--format", "json", file});
    CHECK(result.status == kWrong);
    const json document = json::parse(result.out);
    CHECK(document["diagnostics"][0]["severity"] == "error");
    CHECK(document["diagnostics"][0]["location"] == nullptr);
  }
}

TEST_CASE("bytes that are no text are told as such") {
  const Check check;
  std::string bytes =
      "\x7F"
      "ELF\033[31m";
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>(i * 37 % 256);
  (void)check.folder().write("binary.cml", bytes);
  const ProcessResult text = check({"binary.cml"});
  CHECK(text.status == kWrong);
  CHECK_FALSE(contains(text.err, "\033"));
  const ProcessResult result = check({"--format", "json", "binary.cml"});
  CHECK(result.status == kWrong);
  CHECK(json::parse(result.out)["diagnostics"].size() > 0);
  CHECK(check({"-"}, "").status == kWrong);
}

// A model whose exploration takes long enough to be watched.
std::vector<std::string> long_check(std::vector<std::string> words) {
  words.insert(words.begin(), {CML_BINARY, "check", "-D", "N=18"});
  words.emplace_back(CML_SOURCE_DIR "/examples/philosophers_ordered.cml");
  return words;
}

TEST_CASE("limits make a search inconclusive") {
  const ProcessResult states =
      cml::test::run(long_check({"--format", "json", "--max-states", "1k"}));
  CHECK(states.status == 3);
  const json document = json::parse(states.out);
  CHECK(document["verdict"] == "inconclusive");
  CHECK(document["stats"]["limits_hit"] == json::array({"max-states"}));
  CHECK(document["options"]["max_states"] == 1000);
  CHECK(cml::test::run(long_check({"--max-time", "0.2"})).status == 3);
  CHECK(cml::test::run(long_check({"--max-depth", "5", "-q"})).status == 3);
  CHECK(cml::test::run(long_check({"--max-memory", "1M", "-q"})).status == 3);
}

TEST_CASE("a search whose allocations fail ends at max-memory, with what it has found") {
  if (cml::test::kSanitized) return;  // they reserve more than that
  const Check check;
  (void)check.folder().write("wide.cml",
                             "atomic x: int(0..4999) = 0;\n"
                             "atomic y: int(0..4999) = 0;\n"
                             "thread C { await x == 3; fail \"seen\"; }\n"
                             "daemon thread A { var i: int(0..4999) = 0; "
                             "loop { i = (i + 1) % 5000; x = i; } }\n"
                             "daemon thread B { var i: int(0..4999) = 0; "
                             "loop { i = (i + 1) % 5000; y = i; } }\n");
  for (const char* engine : {"interpreter", "jit"}) {
    for (const char* order : {"bfs", "sequential"}) {
      CAPTURE(engine);
      CAPTURE(order);
      const std::string command =
          "ulimit -v 90000; exec " CML_BINARY
          " check --format json --all --granularity access --reduction none --max-memory 4G "
          "--engine " +
          std::string(engine) + " --order " + order + " wide.cml";
      cml::test::ProcessOptions there;
      there.folder = check.folder().path();
      const ProcessResult result = cml::test::run({"sh", "-c", command}, there);
      CAPTURE(result.err);
      CHECK(result.status == 1);
      const json document = json::parse(result.out);
      CHECK(document["stats"]["limits_hit"] == json::array({"max-memory"}));
      CHECK(document["stats"]["complete"] == false);
      CHECK(document["stats"]["states"].get<int>() > 50'000);
      REQUIRE(document["violations"].size() == 1);
      CHECK(document["violations"][0]["trace"].size() > 2);
    }
  }
}

TEST_CASE("without --max-memory, what `ulimit` leaves is the limit") {
  if (cml::test::kSanitized) return;
  const ProcessResult result =
      cml::test::run({"sh", "-c",
                      "ulimit -v 400000; exec " CML_BINARY " check --format json " CML_SOURCE_DIR
                      "/examples/philosophers.cml"});
  CHECK(json::parse(result.out)["options"]["max_memory"] == 300'000ULL * 1024);
}

TEST_CASE("limits hold inside a state with very many successors") {
  const Check check;
  (void)check.folder().write("wide.cml",
                             "atomic x: int(0..1000000) = 0;\n"
                             "thread A { var v = choose(0..1000000); x = v; }\n"
                             "thread B { var w = choose(0..1000000); x = w; }\n");
  for (const char* engine : {"interpreter", "jit"}) {
    const json limited = json::parse(
        check({"--format", "json", "--granularity", "access", "--reduction", "none", "--engine",
               engine, "--jit-after", "0", "--max-states", "1000", "wide.cml"})
            .out);
    CHECK(limited["stats"]["states"] == 1000);
  }
}

TEST_CASE("a search that its first violation ends is not complete, and warns of nothing") {
  const Check check;
  const std::string model = CML_SOURCE_DIR "/tests/models/invariant_in_the_last_state.cml";
  const json result = json::parse(
      check({"--format", "json", "--granularity", "access", "--reduction", "none", model}).out);
  CHECK(result["verdict"] == "violated");
  CHECK(result["stats"]["complete"] == false);
  CHECK(result["stats"]["limits_hit"].empty());
  CHECK(result["warnings"].empty());
  const json deep = json::parse(check({"--format", "json", "--granularity", "access", "--reduction",
                                       "none", "--max-depth", "3", model})
                                    .out);
  CHECK(deep["stats"]["limits_hit"].empty());
  CHECK(deep["stats"]["max_depth"] == result["stats"]["max_depth"]);
}

// Neither has a thread that turns. The loop stands elsewhere, so the place of the property is told.
TEST_CASE("properties that never end are told by their names, their places and their loops") {
  const Check check;
  (void)check.folder().write("ends.cml",
                             "shared x: int(0..1) = 0;\n"
                             "thread A { x = 1; }\n"
                             "fun f(): bool {\n"
                             "  loop { skip; }\n"
                             "}\n"
                             "finally { assert f(); }\n");
  (void)check.folder().write("holds.cml",
                             "atomic x: int(0..1) = 0;\n"
                             "fun f(): bool {\n"
                             "  while x == 1 { skip; }\n"
                             "  return true;\n"
                             "}\n"
                             "invariant settled: f();\n"
                             "thread A { x = 1; }\n");
  const std::vector<std::vector<std::string>> ways = {
      {},
      {"--all"},
      {"--engine", "interpreter"},
      {"--jit-after", "0"},
      {"--granularity", "access", "--reduction", "none"},
      {"--store", "stateless"},
      {"--order", "sequential"},
      {"--shortest"},
  };
  for (const std::vector<std::string>& way : ways) {
    CAPTURE(way.empty() ? std::string() : way.front());
    for (const auto& [model, message, line] :
         {std::tuple{"ends.cml",
                     "finally (ends.cml:6), when all threads have ended: it never comes to an end",
                     4},
          {"holds.cml", "the invariant settled (holds.cml:6) never comes to an end", 3}}) {
      std::vector<std::string> words = way;
      words.emplace_back(model);
      const ProcessResult text = check(words);
      CHECK(text.status == 1);
      CHECK(contains(text.out, std::string("divergence: ") + message + "\n"));
      CHECK(contains(text.out, "let the loop come to an end"));
      words.insert(words.end(), {"--format", "json"});
      const ProcessResult result = check(words);
      CHECK(result.status == 1);
      const json parsed = json::parse(result.out);
      REQUIRE(parsed["violations"].size() == 1);
      const json& violation = parsed["violations"][0];
      CHECK(violation["kind"] == "divergence");
      CHECK(violation["message"] == message);
      CHECK(violation["thread"] == nullptr);
      CHECK(violation["location"]["line"] == line);
      CHECK(violation["trace"].size() == 1);
    }
  }
}

TEST_CASE("granularity sync explores less, with the same verdict") {
  const Check check;
  const json fine = json::parse(
      check({"--format", "json", "--granularity", "access", "--reduction", "none", "good.cml"})
          .out);
  const json coarse =
      json::parse(check({"--format", "json", "--reduction", "none", "good.cml"}).out);
  CHECK(fine["verdict"] == coarse["verdict"]);
  CHECK(coarse["stats"]["composition"] == "composed");
  CHECK(coarse["stats"]["states"].get<int>() < fine["stats"]["states"].get<int>());
}

TEST_CASE("a long search shows how it goes on") {
  const auto line = cml::test::run_on_terminal(long_check({"--max-time", "1"}), {.columns = 60});
  CHECK(line.status == 3);
  CHECK(contains(line.screen, " states, "));
  CHECK(contains(line.screen, "\033[K"));
  for (const std::vector<std::string>& silent :
       {long_check({"--max-time", "1", "--progress", "never"}),
        long_check({"--max-time", "1", "-q"})}) {
    CHECK_FALSE(contains(cml::test::run_on_terminal(silent).screen, "\033[K"));
  }
  const ProcessResult piped = cml::test::run(long_check({"--max-time", "1"}));
  CHECK(piped.err.empty());
  const ProcessResult lines = cml::test::run(long_check({"--max-time", "1", "--progress", "json"}));
  REQUIRE_FALSE(lines.err.empty());
  CHECK(json::parse(lines.err.substr(0, lines.err.find('\n')))["states"].get<int>() > 0);
}

TEST_CASE("an interrupt ends the search with what is known") {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    CAPTURE(signal);
    std::vector<std::string> words = long_check({"--format", "json"});
    // Not in the foreground, timeout would signal the whole group as well: a second interrupt.
    words.insert(words.begin(),
                 {"timeout", "--foreground", "--preserve-status", "-s", signal, "1"});
    const ProcessResult result = cml::test::run(words);
    CHECK(result.status == 3);
    const json document = json::parse(result.out);
    CHECK(document["verdict"] == "inconclusive");
    CHECK(document["stats"]["limits_hit"] == json::array({"interrupted"}));
  }
}

TEST_CASE("errors are coloured on a terminal, and fit it") {
  const Check check;
  const std::string bad = (check.folder().path() / "bad.cml").string();
  const auto coloured = cml::test::run_on_terminal({CML_BINARY, "check", bad});
  CHECK(coloured.status == kWrong);
  CHECK(contains(coloured.screen, "\033[1;31merror[E0301]:\033[0m"));
  const auto plain =
      cml::test::run_on_terminal({CML_BINARY, "check", bad}, {.environment = {"NO_COLOR=1"}});
  CHECK_FALSE(contains(plain.screen, "\033"));
}

}  // namespace
