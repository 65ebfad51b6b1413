// What surrounds the program: one version everywhere, and annotations of a workflow from SARIF. The
// package itself is tried by packaging/try.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

#include "support/version.h"
#include "tests/harness/help.h"
#include "tests/harness/process.h"

namespace {

using namespace cml::test;

std::string file_of_project(const std::string& name) {
  return read_file(CML_SOURCE_DIR "/" + name);
}

TEST_CASE("the version is the same everywhere") {
  const std::string version(cml::kVersion);
  CHECK(contains(file_of_project("CITATION.cff"), fmt::format("\nversion: {}\n", version)));
  CHECK(contains(file_of_project("CHANGELOG.md"), fmt::format("\n## {}", version)));
  CHECK(file_of_project("packaging/changelog").starts_with(fmt::format("cml ({}) ", version)));
}

TEST_CASE("the list of changes names all commands") {
  const std::string changes = file_of_project("CHANGELOG.md");
  for (const std::string& command : commands_of_help()) {
    CAPTURE(command);
    CHECK((contains(changes, "`" + command + "`") || contains(changes, "`cml " + command + "`")));
  }
}

TEST_CASE("what SARIF says becomes annotations of a workflow") {
  const TemporaryFolder folder;
  folder.write("m.cml",
               "lock a; lock b;\nthread One { with a { with b { skip; } } }\n"
               "thread Two { with b { with a { skip; } } }\n");
  const ProcessResult checked =
      run({CML_BINARY, "check", "--format", "sarif", "-o", "m.sarif", "m.cml"},
          {.input = {}, .folder = folder.path(), .environment = {}});
  REQUIRE(checked.status == 1);
  const ProcessResult told = run({CML_SOURCE_DIR "/packaging/annotations", "m.sarif"},
                                 {.input = {}, .folder = folder.path(), .environment = {}});
  CAPTURE(told.err);
  CHECK(told.status == 0);
  CHECK(contains(told.out, "::error file=m.cml,line="));
  CHECK(contains(told.out, "title=deadlock::no thread can move"));
}

}  // namespace
