// The extension for VS Code, as far as that can be said without npm (its own tests are in
// editors/vscode/test): its version and licence are ours, its grammar knows all keywords, and its
// lock file names no hosts that packages come from.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "frontend/words.h"
#include "support/version.h"
#include "tests/harness/process.h"

namespace {

using nlohmann::json;
using namespace cml::test;

std::string file_of_extension(const std::string& name) {
  return read_file(CML_SOURCE_DIR "/editors/vscode/" + name);
}

TEST_CASE("the extension for VS Code has the version of the program") {
  CHECK(json::parse(file_of_extension("package.json"))["version"] == std::string(cml::kVersion));
}

TEST_CASE("the extension for VS Code is licensed as the program is, and has the text with it") {
  CHECK(file_of_extension("LICENSE") == read_file(CML_SOURCE_DIR "/LICENSE"));
  CHECK(json::parse(file_of_extension("package.json"))["license"] == "MIT");
  CHECK(json::parse(file_of_extension("package-lock.json"))["packages"][""]["license"] == "MIT");
}

TEST_CASE("the colours of the extension for VS Code know all keywords") {
  const std::string grammar = file_of_extension("syntaxes/cml.tmLanguage.json");
  CHECK(json::parse(grammar)["scopeName"] == "source.cml");
  for (const std::string& word : cml::keywords()) {
    CAPTURE(word);
    CHECK(std::regex_search(grammar, std::regex("[(|b]" + word + "[|)\\\\]")));
  }
}

TEST_CASE("the lock file of the extension names no places to fetch packages from") {
  const json lock = json::parse(file_of_extension("package-lock.json"));
  REQUIRE(lock["packages"].size() > 10);
  for (const auto& entry : lock["packages"].items()) {
    CAPTURE(entry.key());
    CHECK_FALSE(entry.value().contains("resolved"));
  }
}

}  // namespace
