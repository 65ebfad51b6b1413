// The bash completion offers what the program's help says, no more and no less. (That of zsh and
// fish read the same help in the same way.)
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/help.h"
#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using Offered = std::set<std::string>;

// What bash offers for the last of the words.
Offered completions(const std::vector<std::string>& words) {
  std::string script = "source '" CML_SOURCE_DIR "/app/completions/cml.bash'\nCOMP_WORDS=(";
  for (const std::string& word : words)
    script += "'" + word + "' ";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
            "\n_cml\nif ((${#COMPREPLY[@]})); then printf '%s\\n' \"${COMPREPLY[@]}\"; fi\n";
  const std::string path = fs::path(CML_BINARY).parent_path().string() + ":/usr/bin:/bin";
  const auto result = cml::test::run({"bash", "-O", "extglob", "-c", script},
                                     {.input = {}, .folder = {}, .environment = {"PATH=" + path}});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  Offered offered;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    offered.insert(line);
  return offered;
}

TEST_CASE("bash completes every command and every option") {
  const std::vector<std::string> commands = cml::test::commands_of_help();
  CHECK(completions({"cml", ""}) == Offered(commands.begin(), commands.end()));
  CHECK(completions({"cml", "--v"}) == Offered{"--version"});
  for (const std::string& command : commands) {
    CAPTURE(command);
    const Offered all = completions({"cml", command, "-"});
    for (const std::string& option : cml::test::options_of_help(command)) {
      CAPTURE(option);
      CHECK(all.contains(option));
    }
  }
}

TEST_CASE("bash completes pages to explain") {
  CHECK(completions({"cml", "explain", "deadl"}) == Offered{"deadlock"});
}

TEST_CASE("bash completes modules of the standard library") {
  CHECK(completions({"cml", "std", "barr"}) == Offered{"barrier"});
}

}  // namespace
