// `cmake --install` puts everything where Debian expects it, and the installed program runs.
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/version.h"
#include "tests/harness/process.h"

namespace {

namespace fs = std::filesystem;
using cml::test::run;

TEST_CASE("an installation is complete") {
  const cml::test::TemporaryFolder prefix;
  const auto installed =
      run({"cmake", "--install", CML_BUILD_DIR, "--prefix", prefix.path().string()});
  CAPTURE(installed.err);
  REQUIRE(installed.status == 0);

  for (const std::string_view file :
       {"bin/cml", "share/man/man1/cml.1", "share/man/man1/cml-check.1",
        "share/bash-completion/completions/cml", "share/zsh/vendor-completions/_cml",
        "share/fish/vendor_completions.d/cml.fish", "share/cml/schema/cml-result-1.schema.json"}) {
    CAPTURE(file);
    CHECK(fs::is_regular_file(prefix.path() / file));
  }

  // Every module and example is there, and nothing that is no model.
  struct Tree {
    std::string_view source;
    std::string_view target;
  };
  for (const Tree& tree :
       {Tree{"stdlib", "share/cml/stdlib"}, Tree{"examples", "share/doc/cml/examples"}}) {
    const fs::path source = fs::path(CML_SOURCE_DIR) / tree.source;
    if (!fs::is_directory(source)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source)) {
      if (entry.path().extension() != ".cml") continue;
      const fs::path copy = prefix.path() / tree.target / fs::relative(entry.path(), source);
      CAPTURE(copy.string());
      CHECK(fs::is_regular_file(copy));
    }
  }
  CHECK_FALSE(fs::exists(prefix.path() / "share/cml/stdlib/CMakeLists.txt"));

  const auto version = run({(prefix.path() / "bin/cml").string(), "--version"});
  CHECK(version.status == 0);
  CHECK(version.out == "cml " + std::string(cml::kVersion) + "\n");
  CHECK(version.err.empty());
}

}  // namespace
