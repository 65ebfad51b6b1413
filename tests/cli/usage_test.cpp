// The command line itself: help, versions, mistakes, streams and exit statuses, on the real binary.
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "checker/combinations.h"
#include "support/version.h"
#include "tests/harness/help.h"
#include "tests/harness/process.h"
#include "tests/harness/terminal.h"

namespace {

using cml::test::contains;
using cml::test::kWrong;
using cml::test::ProcessResult;
using cml::test::run;
using cml::test::run_on_terminal;

constexpr int kDone = 0;

ProcessResult cml_run(std::vector<std::string> words) {
  words.insert(words.begin(), CML_BINARY);
  return run(words);
}

TEST_CASE("--version says the name and the version") {
  for (const char* option : {"--version", "-V"}) {
    const ProcessResult result = cml_run({option});
    CHECK(result.status == kDone);
    CHECK(result.out == "cml " + std::string(cml::kVersion) + "\n");
    CHECK(result.err.empty());
  }
}

TEST_CASE("without arguments there is a short help, and it is a mistake") {
  const ProcessResult result = cml_run({});
  CHECK(result.status == kWrong);
  CHECK(result.out.empty());
  CHECK(contains(result.err, "Usage: cml COMMAND"));
  CHECK(contains(result.err, "cml --help"));
}

TEST_CASE("every command that the help lists has a help with examples") {
  const std::vector<std::string> names = cml::test::commands_of_help();
  CHECK(names.size() >= 1);
  for (const std::string& name : names) {
    CAPTURE(name);
    const ProcessResult help = cml_run({name, "--help"});
    CHECK(help.status == kDone);
    CHECK(help.err.empty());
    CHECK(contains(help.out, "Usage:\n  cml " + name + " "));
    CHECK(contains(help.out, "Examples:\n"));
    CHECK(contains(help.out, "-h, --help"));
    CHECK(cml_run({"help", name}).out == help.out);
    CHECK(cml_run({name, "-h"}).out == help.out);
  }
  CHECK(cml_run({"help"}).out == cml_run({"--help"}).out);
  CHECK(cml_run({"-h"}).out == cml_run({"--help"}).out);
}

TEST_CASE("help fits the terminal") {
  for (const std::string& name : cml::test::commands_of_help()) {
    const auto help = run_on_terminal({CML_BINARY, name, "--help"}, {.columns = 72});
    CHECK(help.status == kDone);
    CHECK(contains(help.screen, "\033["));
  }
}

struct Mistake {
  std::vector<std::string> words;
  std::string_view message;
  std::string_view help;
};

TEST_CASE("mistakes are told with a way out") {
  const std::vector<Mistake> mistakes = {
      {{"explian"}, "unknown command `explian`", "did you mean `cml explain`?"},
      {{"frobnicate"}, "unknown command `frobnicate`", "`cml --help` lists the commands"},
      {{"--verison"}, "unknown option `--verison`", "did you mean `cml --version`?"},
      {{"-D", "N=3", "m.cml"}, "unknown option `-D`", "options stand behind the command"},
      {{"m.cml"}, "`m.cml` is no command", "did you mean `cml check m.cml`?"},
      {{"help", "explian"}, "unknown command `explian`", "did you mean `cml explain`?"},
      {{"explain", "--quite"},
       "unknown option `--quite`",
       "`cml explain --help` shows the options"},
      {{"explain", "deadlok"}, "no page about `deadlok`", "did you mean `cml explain deadlock`?"},
      {{"explain", "xyzzy"}, "no page about `xyzzy`", "`cml explain` lists all pages"},
      {{""}, "unknown command ``", "`cml --help` lists the commands"},
      {{"\033[31m\xFF"}, "unknown command `\uFFFD[31m\uFFFD`", "lists the commands"},
  };
  for (const Mistake& mistake : mistakes) {
    const ProcessResult result = cml_run(mistake.words);
    CAPTURE(mistake.message);
    CAPTURE(result.err);
    CHECK(result.status == kWrong);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("cml: error: "));
    CHECK(contains(result.err, mistake.message));
    CHECK(contains(result.err, mistake.help));
  }
}

TEST_CASE("combinations of searches that would be wrong, or mean nothing, are refused") {
  for (const cml::checker::Refusal& refusal : cml::checker::all_refusals()) {
    std::vector<std::string> words = {"check", CML_SOURCE_DIR "/examples/philosophers.cml"};
    std::istringstream example{std::string(refusal.example)};
    for (std::string word; example >> word;)
      words.push_back(word);
    const ProcessResult result = cml_run(words);
    CAPTURE(result.err);
    CHECK(result.status == kWrong);
    CHECK(result.out.empty());
    CHECK(contains(result.err, std::string(refusal.reason)));
    CHECK(contains(result.err, std::string(refusal.help)));
  }
}

TEST_CASE("a reader that goes away is no error, a full disk is") {
  const auto shell = [](std::string command) { return run({"bash", "-c", std::move(command)}); };
  const std::string cml = "'" CML_BINARY "'";
  const ProcessResult gone = shell(cml + " explain | true; exit ${PIPESTATUS[0]}");
  CHECK(gone.status == kDone);
  CHECK(gone.err.empty());
  const ProcessResult full = shell(cml + " explain > /dev/full");
  CHECK(full.status == kWrong);
  CHECK(contains(full.err, "cannot write to standard output"));
  const ProcessResult closed = shell(cml + " explain >&-");
  CHECK(closed.status == kWrong);
}

TEST_CASE("colours are for terminals, and NO_COLOR is honoured") {
  const std::vector<std::string> command = {CML_BINARY, "explain", "deadlock"};
  CHECK_FALSE(contains(run(command).out, "\033["));
  CHECK(contains(run_on_terminal(command).screen, "\033["));
  CHECK_FALSE(contains(run_on_terminal(command, {.environment = {"NO_COLOR=1"}}).screen, "\033["));
  CHECK(contains(run_on_terminal(command, {.environment = {"NO_COLOR="}}).screen, "\033["));
  CHECK_FALSE(contains(run_on_terminal(command, {.environment = {"TERM=dumb"}}).screen, "\033["));
}

}  // namespace
